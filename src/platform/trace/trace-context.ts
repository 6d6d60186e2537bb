/**
 * The trace that the running work belongs to (W3C Trace Context). A request brings it in `traceparent`, its log lines
 * name it, and the calls, events and jobs that it causes pass it on. Without a trace nothing is stored or made.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface TraceContext {
  /** The header as it is passed on. */
  readonly traceparent: string;
  /** What other tracing systems add. It is passed on unchanged. */
  readonly tracestate?: string;
  /** Begins the span of an outgoing call, where spans are recorded. */
  readonly call?: (method: string, host: string) => CallSpan;
}

interface CallSpan {
  /** The call's own place in the trace. */
  readonly trace: TraceContext;
  /** @param status of the answer; undefined without one */
  end(status: number | undefined, error: string | undefined): void;
}

/** Version 00 has exactly these four fields; a later version may have more. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;
const VERSION_0_CHARS = 55;
/** The longest value that must be passed on, in characters that a header may have. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

const storage = new AsyncLocalStorage<TraceContext>();

/** The trace of the running work. */
export const currentTrace = (): TraceContext | undefined => storage.getStore();

/** Runs work inside a trace, or as it is when there is none. */
export const inTrace = <T>(trace: TraceContext | undefined, run: () => T): T =>
  trace === undefined ? run() : storage.run(trace, run);

export const traceIdOf = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35);

/** Reads the headers of a request, or the field of an event or a job. A malformed value counts as none. */
export function readTrace(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const version = TRACEPARENT.exec(traceparent)?.[1];
  if (version === undefined || (version === '00' && traceparent.length !== VERSION_0_CHARS)) return undefined;
  const state = typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { tracestate } : {};
  // Of a later version only the fields of version 00 are known, so they are passed on as that version.
  return { traceparent: `00${traceparent.slice(2, VERSION_0_CHARS)}`, ...state };
}

/** What events and jobs store of the trace that causes them. */
export function storedTrace(): { readonly traceparent?: string } {
  const traceparent = currentTrace()?.traceparent;
  return traceparent === undefined ? {} : { traceparent };
}

const NONE: Readonly<Record<string, string>> = {};

/** Sends a call, with the headers that pass the trace on. */
export async function callInTrace<
  T extends { readonly status?: number; readonly error?: string | undefined },
>(
  trace: TraceContext | undefined,
  { method, url }: { readonly method: string; readonly url: URL },
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (trace === undefined) return send(NONE);
  const span = trace.call?.(method, url.host);
  const { traceparent, tracestate } = span?.trace ?? trace;
  try {
    const answer = await send({ traceparent, ...(tracestate !== undefined && { tracestate }) });
    span?.end(answer.status, answer.error);
    return answer;
  } catch (error) {
    span?.end(undefined, error instanceof Error ? error.name : 'failed');
    throw error;
  }
}
