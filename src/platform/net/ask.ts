/**
 * One request to a service that the operator has configured, with a time limit and a size limit, without redirects.
 * `call.ts` calls addresses that sellers choose.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, buildConnector, request } from 'undici';
import { callInTrace, currentTrace } from '../trace/trace-context.ts';
import { HEAD_BYTES_MAX, interimLimit, limitAnswers } from './answer-limits.ts';

interface Question {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the name lookup to the end of the answer. */
  readonly timeoutMs: number;
  /** Longest body that is read, at most {@link BODY_BYTES_MAX}. */
  readonly bytesMax: number;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Some services refuse requests without one. */
const USER_AGENT = 'seller-partner-service/1';
const BODY_BYTES_MAX = 1024 * 1024;
/** Twice the longest body: chunks need some bytes for their lengths. */
const ANSWER_BYTES_MAX = 2 * BODY_BYTES_MAX;
const agent = new Agent({
  connect: limitAnswers(buildConnector({ allowH2: false }), ANSWER_BYTES_MAX),
  allowH2: false,
  maxHeaderSize: HEAD_BYTES_MAX,
});

/** The answer has more bytes than its reader allows. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
  constructor(bytesMax: number) {
    super(`the answer is larger than ${bytesMax} bytes`);
  }
}

async function readBounded(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw new AnswerTooLargeError(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Sends the request, once. It passes the trace of the running work on.
 *
 * @throws Error whose message may hold the address: do not log it where the address is a secret
 */
export function ask(address: string | URL, question: Question): Promise<Reply> {
  const { timeoutMs, bytesMax, ...init } = question;
  const isTooMuch = interimLimit();
  const call = { method: question.method ?? 'GET', url: new URL(address) };
  return callInTrace(currentTrace(), call, async (traced) => {
    const answer = await request(call.url, {
      ...init,
      headers: { 'user-agent': USER_AGENT, ...traced, ...init.headers },
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
      onInfo: ({ headers }) => {
        if (isTooMuch(headers)) throw new Error('the server sends too many interim answers');
      },
    });
    const { statusCode: status, headers, body } = answer;
    const text = await readBounded(body, bytesMax);
    if (status >= 300 && status < 400) throw new Error('the answer is a redirect');
    return { status, headers, text };
  });
}
