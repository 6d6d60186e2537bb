/** One attempt: sends the signed request, reads its answer, and decides what follows. */
import type { Clock } from '../../../kernel/context.ts';
import type { Caller, CallResult } from '../../../platform/net/call.ts';
import { EVENT_API_VERSION } from '../../../platform/outbox/read-events.ts';
import { callInTrace, readTrace, type TraceContext } from '../../../platform/trace/trace-context.ts';
import type { Tracer } from '../../../platform/trace/tracer.ts';
import { type Decision, decide } from '../domain/decide.ts';
import { eventBody } from '../domain/event-body.ts';
import { signedHeaders } from '../domain/sign.ts';
import type { QueuedRow } from '../store/queue.ts';
import type { AttemptResult } from '../store/results.ts';
import type { OpenEndpoint } from './open-endpoint.ts';

const USER_AGENT = 'seller-partner-service/1 (webhooks)';

interface AttemptDeps {
  readonly caller: Caller;
  readonly tracer: Tracer;
  readonly now: Clock;
  readonly schedule: readonly number[];
  readonly random: () => number;
}

export interface Attempt {
  readonly result: AttemptResult;
  readonly decision: Decision;
}

/** The beginning of an answer as text. Invalid UTF-8 and NULs are replaced, because PostgreSQL cannot store them. */
const headText = (head: Buffer): string => head.toString('utf8').replaceAll('\0', '\ufffd');

/** The trace of the request that caused the event. Few events have one, so the others are not parsed. */
function traceOf({ correlation }: QueuedRow, tracer: Tracer): TraceContext | undefined {
  if (correlation?.includes('"traceparent"') !== true) return undefined;
  const trace = readTrace((JSON.parse(correlation) as { readonly traceparent?: unknown }).traceparent);
  return trace && tracer.resume(trace);
}

/** Sends a delivery once. It never throws, because a failure is a result. */
export async function attempt(
  { caller, tracer, now, schedule, random }: AttemptDeps,
  endpoint: OpenEndpoint,
  row: QueuedRow,
): Promise<Attempt> {
  const at = now();
  const from = performance.now();
  const body = row.test_event ?? eventBody(row, endpoint.row.payload, EVENT_API_VERSION);
  const signed = signedHeaders(row.delivery_id, Math.floor(at / 1_000), body, endpoint.keysAt(at));
  const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...signed };
  const answer: CallResult = await callInTrace(
    traceOf(row, tracer),
    { method: 'POST', url: endpoint.url },
    (traced) => caller.post({ url: endpoint.url, headers: { ...headers, ...traced }, body }),
  );
  const step = row.step + 1;
  const context = { schedule, step, now: now(), random: random(), once: row.test };
  const decision = decide(answer, context);
  const failed = answer.error !== undefined;
  return {
    decision,
    result: {
      seller_id: row.seller_id,
      endpoint_id: row.endpoint_id,
      delivery_id: row.delivery_id,
      attempt: row.attempts + 1,
      step,
      due_at: row.due_at,
      at,
      duration_ms: Math.round(performance.now() - from),
      http_status: failed ? null : answer.status,
      error: decision.error,
      response_head: failed ? null : headText(answer.head),
      status: decision.status,
      reason: decision.reason,
      next_at: decision.nextAt,
      completed_at: decision.status === 'pending' ? null : now(),
      test: row.test,
    },
  };
}

/** The result of a delivery that ends without an attempt, because its event is no longer kept. */
export function expired(row: QueuedRow, now: number): AttemptResult {
  return {
    seller_id: row.seller_id,
    endpoint_id: row.endpoint_id,
    delivery_id: row.delivery_id,
    attempt: row.attempts,
    step: row.step,
    due_at: row.due_at,
    at: now,
    duration_ms: 0,
    http_status: null,
    error: null,
    response_head: null,
    status: 'failed',
    reason: 'expired',
    next_at: null,
    completed_at: now,
    test: row.test,
  };
}
