import type { Logger } from '../../../kernel/context.ts';
import { ask } from '../../../platform/net/ask.ts';
import { parseAnswer, type RegisterAnswer } from './parse-answer.ts';

/** The longest wait for the register, which is often slow and sometimes closed. */
const TIMEOUT_MS = 5_000;
/** An answer of the register has a few hundred bytes, or some thousand with many business names. */
const BODY_BYTES_MAX = 256 * 1024;

interface Register {
  /** Address without path, for example `https://abr.business.gov.au`. */
  readonly baseUrl: string;
  /** Identifies this service to the register; a secret. Without it the register is not asked. */
  readonly guid: string | undefined;
}

function detailsUrl({ baseUrl, guid = '' }: Register, abn: string): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, '').replace(/\/json$/, '')}/json/AbnDetails.aspx`);
  url.search = new URLSearchParams({ abn, guid, callback: 'callback' }).toString();
  return url;
}

/**
 * Asks the register about one ABN with a right checksum. The result of every fault is `unavailable`, because a fault
 * says nothing about the number.
 */
export async function askRegister(
  register: Register,
  abn: string,
  log: Logger,
  timeoutMs = TIMEOUT_MS,
): Promise<RegisterAnswer> {
  let answer: RegisterAnswer;
  try {
    const { status, text } = await ask(detailsUrl(register, abn), {
      headers: { accept: 'application/json, text/javascript' },
      timeoutMs,
      bytesMax: BODY_BYTES_MAX,
    });
    answer = status === 200 ? parseAnswer(text) : { status: 'unavailable', reason: `status ${status}` };
  } catch (error) {
    // The address of the request has the GUID, which is secret. So the log shows only the kind of fault.
    answer = { status: 'unavailable', reason: error instanceof Error ? error.name : 'failed' };
  }
  if (answer.status === 'unavailable')
    log.warn({ reason: answer.reason }, 'the business register did not answer');
  return answer;
}
