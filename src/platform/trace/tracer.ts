/** Follows traces. Whether their spans are recorded is a setting; without it a trace only passes through. */
import type { TraceContext } from './trace-context.ts';

/** A request or a job. */
export interface Span {
  readonly trace: TraceContext;
  /** @param error code of the error that it ended with */
  end(
    name: string,
    facts: Readonly<Record<string, string | number | undefined>>,
    error: string | undefined,
  ): void;
}

export interface Tracer {
  /** Begins a request or a job. Undefined when it belongs to no trace and none is recorded. */
  begin(kind: 'request' | 'job', parent: TraceContext | undefined): Span | undefined;
  /** The trace of an event, for the calls that deliver it. */
  resume(trace: TraceContext): TraceContext;
  /** Sends the spans that are not sent yet. */
  stop(): Promise<void>;
}

/** Records nothing. */
export const passThrough: Tracer = {
  begin: (_kind, trace) => (trace === undefined ? undefined : { trace, end: () => undefined }),
  resume: (trace) => trace,
  stop: async () => undefined,
};
