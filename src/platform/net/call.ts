/**
 * One POST to an address that a seller chose, with a time limit and a size limit, without redirects and without a
 * proxy of the environment. A failure is a result, not an exception.
 */
import { Agent, type Dispatcher } from 'undici';
import { HEAD_BYTES_MAX, interimLimit } from './answer-limits.ts';
import { AddressRefusedError, createCheckedConnector, NameNotFoundError } from './checked-connector.ts';
import type { Range } from './classify-address.ts';
import type { ResolveHost } from './resolve-host.ts';

/** Why there is no answer. */
export const CALL_ERRORS = [
  'address_refused',
  'dns_failed',
  'connect_failed',
  'tls_failed',
  'timeout',
  'connection_lost',
  'response_invalid',
  'too_many_interim_answers',
] as const;
type CallError = (typeof CALL_ERRORS)[number];

interface CallAnswer {
  readonly status: number;
  /** Names in lower case; the first value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes of the body. */
  readonly head: Buffer;
}

export type CallResult = (CallAnswer & { readonly error?: undefined }) | { readonly error: CallError };

export interface Call {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Caller {
  post(call: Call): Promise<CallResult>;
  /** Aborts the calls in flight. */
  close(): Promise<void>;
}

export interface CallerOptions {
  readonly resolve: ResolveHost;
  /** Ranges that are allowed although they are not public. */
  readonly opened: readonly Range[];
  /** From the name lookup to the end of the answer. */
  readonly timeoutMs: number;
  /** Bytes of the answer that are kept. */
  readonly headBytes: number;
  readonly ca?: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 4_000;

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const BY_CODE: readonly (readonly [RegExp, CallError])[] = [
  [/^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'timeout'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'connect_failed'],
  [/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_OSSL|EPROTO|HOSTNAME_)/, 'tls_failed'],
  [/^(?:HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE|UND_ERR_RES|ANSWER_TOO_LONG)/, 'response_invalid'],
];

/** The failure as delivery records show it, without addresses. */
function classify(error: unknown): CallError {
  if (error instanceof AddressRefusedError) return 'address_refused';
  if (error instanceof NameNotFoundError) return 'dns_failed';
  // An interim answer without a request for it, 100 or 101, ends the connection.
  if (error instanceof Error && /^bad (?:response|upgrade)$/.test(error.message)) return 'response_invalid';
  // The parser's error has no code.
  const code = error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_' : codeOf(error);
  return BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? 'connection_lost';
}

/** Collects one answer. A call that ends before its request starts is aborted at the start. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  private readonly done: (result: CallResult) => void;
  private readonly headBytes: number;
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private answer: Omit<CallAnswer, 'head'> | undefined;
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private readonly isTooMuch = interimLimit();
  private hasInterim = false;
  private ended = false;

  constructor(options: Pick<CallerOptions, 'timeoutMs' | 'headBytes'>, done: (result: CallResult) => void) {
    this.done = done;
    this.headBytes = options.headBytes;
    // An answer counts as soon as its status has arrived, even if the body does not end in time.
    this.timer = setTimeout(() => this.abort('timeout'), options.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) controller.abort(new Error('too late'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) {
      this.hasInterim = true;
      if (this.isTooMuch(headers)) this.abort('too_many_interim_answers');
      return;
    }
    const first = Object.entries(headers).map(([name, value]) => [name, String([value].flat()[0] ?? '')]);
    this.answer = { status, headers: Object.fromEntries(first) };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.kept >= this.headBytes) return;
    // A copy: the chunk is a view of a much larger buffer.
    const part = Buffer.from(chunk.subarray(0, this.headBytes - this.kept));
    this.chunks.push(part);
    this.kept += part.length;
  }

  onResponseEnd(): void {
    this.end('connection_lost');
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const isFlood = this.hasInterim && codeOf(error) === 'ANSWER_TOO_LONG';
    this.end(isFlood ? 'too_many_interim_answers' : classify(error));
  }

  /** Ends the call and aborts the request. */
  private abort(error: CallError): void {
    this.end(error);
    this.controller?.abort(new Error(error));
  }

  private end(error: CallError): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.done(this.answer === undefined ? { error } : { ...this.answer, head: Buffer.concat(this.chunks) });
  }
}

/** A caller with connections of its own, kept alive between calls. */
export function createCaller(options: CallerOptions): Caller {
  const { resolve, opened, timeoutMs, headBytes, ca } = options;
  // A longer answer is cut off: its rest is not used, and the time for it would delay other work.
  const answerBytesMax = HEAD_BYTES_MAX + headBytes;
  const agent = new Agent({
    connect: createCheckedConnector({
      ...{ resolve, opened, connectTimeoutMs: CONNECT_TIMEOUT_MS, answerBytesMax },
      ...(ca === undefined ? {} : { ca }),
    }),
    allowH2: false,
    maxHeaderSize: HEAD_BYTES_MAX,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  return {
    post: ({ url, headers, body }) =>
      new Promise((done) => {
        const handler = new AnswerCollector(options, done);
        try {
          agent.dispatch(
            { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'POST', headers, body },
            handler,
          );
        } catch (error) {
          handler.onResponseError(undefined, error as Error);
        }
      }),
    close: () => agent.destroy(),
  };
}
