import type { Logger } from '../../../kernel/context.ts';
import { parseAnswer, type RegisterAnswer } from './parse-answer.ts';

/** The register is often slow and sometimes closed; nobody waits longer for it. */
const TIMEOUT_MS = 5_000;
/** An answer of the register has a few hundred bytes; with many business names some thousand. */
const BODY_BYTES_MAX = 256 * 1024;

export interface Register {
  /** Address without path, for example `https://abr.business.gov.au`. */
  readonly baseUrl: string;
  /** Identifies who asks; a secret. Absent: the register is not asked. */
  readonly guid: string | undefined;
}

function detailsUrl({ baseUrl, guid = '' }: Register, abn: string): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, '').replace(/\/json$/, '')}/json/AbnDetails.aspx`);
  url.search = new URLSearchParams({ abn, guid, callback: 'callback' }).toString();
  return url;
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Asks the register about one ABN whose checksum is right. Every fault is `unavailable`: an outage says
 * nothing about the number.
 */
export async function askRegister(
  register: Register,
  abn: string,
  log: Logger,
  timeoutMs = TIMEOUT_MS,
): Promise<RegisterAnswer> {
  let answer: RegisterAnswer;
  try {
    const response = await fetch(detailsUrl(register, abn), {
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json, text/javascript' },
    });
    if (response.status === 200) answer = parseAnswer(await readBounded(response));
    else {
      await response.body?.cancel();
      answer = { status: 'unavailable', reason: `status ${response.status}` };
    }
  } catch (error) {
    // The address of the request holds the GUID, so only the kind of fault is told.
    answer = { status: 'unavailable', reason: error instanceof Error ? error.name : 'failed' };
  }
  if (answer.status === 'unavailable')
    log.warn({ reason: answer.reason }, 'the business register did not answer');
  return answer;
}
