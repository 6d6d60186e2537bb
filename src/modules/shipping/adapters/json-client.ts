/**
 * Calls a carrier's JSON API. The time of a call and the size of its answer are limited. After 429, 5xx and a timeout
 * the call is tried again with the same reference. Any other unexpected answer is `carrier_unavailable`.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { Logger } from '../../../kernel/context.ts';
import { type ApiError, fail } from '../../../kernel/errors.ts';
import { ask } from '../../../platform/net/ask.ts';
import { shippingErrors } from '../errors.ts';

const ATTEMPTS = 3;
/** The pauses before the second and the third attempt. */
const WAITS_MS = [200, 600];
/** If the carrier asks for a longer pause, the call fails. */
const RETRY_AFTER_MAX_MS = 2_000;
const RETRY_AFTER_SECONDS = '30';
/** A label of twenty parcels has about ten thousand bytes. */
const BODY_BYTES_MAX = 1024 * 1024;

/** All attempts of a call and the waits between them, in milliseconds. */
export const longestMs = (timeoutMs: number): number =>
  ATTEMPTS * timeoutMs + (ATTEMPTS - 1) * RETRY_AFTER_MAX_MS;

/** The most concurrent calls of one carrier in this process. Further calls are refused instead of waiting. */
const IN_FLIGHT_MAX = 32;
const inFlight = new Map<string, number>();

export interface CarrierAccount {
  readonly carrier: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The longest time of one attempt. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

interface CarrierCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Sent with each attempt, so that the carrier executes the call only once. */
  readonly reference?: string;
  /** Statuses other than 2xx that are a valid answer. Their body is not read. */
  readonly accept?: readonly number[];
}

interface CarrierAnswer {
  readonly status: number;
  /** The parsed JSON; undefined without a body. */
  readonly body: unknown;
}

/** The error for the seller. Only the log has the reason. */
export function unavailable(
  { carrier, log }: Pick<CarrierAccount, 'carrier' | 'log'>,
  reason: string,
): ApiError {
  log.warn({ carrier, reason }, 'the carrier did not answer as agreed');
  return fail(shippingErrors.carrier_unavailable, {
    facts: { carrier },
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}

interface Attempt {
  readonly status?: number;
  readonly text?: string;
  readonly retryAfterMs?: number;
  readonly fault?: string;
}

async function attempt(account: CarrierAccount, call: CarrierCall): Promise<Attempt> {
  const { method, path, body, reference } = call;
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(reference === undefined ? {} : { 'idempotency-key': reference }),
    ...account.headers,
  };
  try {
    const answer = await ask(`${account.baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: account.timeoutMs,
      bytesMax: BODY_BYTES_MAX,
    });
    const seconds = Number(answer.headers['retry-after'] ?? 0);
    return { status: answer.status, text: answer.text, retryAfterMs: (seconds || 0) * 1000 };
  } catch (error) {
    // The address and the headers have secrets, so the log shows only the kind of fault.
    return { fault: error instanceof Error ? error.name : 'failed' };
  }
}

const worthRepeating = ({ status }: Attempt): boolean =>
  status === undefined || status === 429 || status >= 500;

/** The errors in a carrier's refusal, in the form of Australia Post and of aggregators. */
function refusalOf(body: unknown): { code: string; message: string } | undefined {
  const [first] = fieldOf(body, 'errors', isList) ?? [];
  const code = fieldOf(first, 'code', isText);
  const message = fieldOf(first, 'message', isText);
  return code === undefined || message === undefined ? undefined : { code, message };
}

function parse(account: CarrierAccount, text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw unavailable(account, 'no JSON');
  }
}

async function untilAnswered(account: CarrierAccount, call: CarrierCall): Promise<CarrierAnswer> {
  for (let number = 0; ; number += 1) {
    const answer = await attempt(account, call);
    if (!worthRepeating(answer)) return settle(account, call, answer);
    const wait = Math.max(answer.retryAfterMs ?? 0, WAITS_MS[number] ?? 0);
    if (number + 1 >= ATTEMPTS || wait > RETRY_AFTER_MAX_MS)
      throw unavailable(account, answer.fault ?? `status ${answer.status}`);
    await after(wait);
  }
}

/** The statuses with which carriers state a reason. */
const REFUSALS: readonly number[] = [400, 404, 409, 422];

/** The meaning of an answer that a retry would not change. */
function settle(
  account: CarrierAccount,
  call: CarrierCall,
  { status = 0, text = '' }: Attempt,
): CarrierAnswer {
  if (call.accept?.includes(status)) return { status, body: undefined };
  if (status >= 200 && status < 300) return { status, body: parse(account, text) };
  const refusal = REFUSALS.includes(status) ? refusalOf(parse(account, text)) : undefined;
  if (refusal === undefined) throw unavailable(account, `status ${status}`);
  throw fail(shippingErrors.carrier_refused, {
    detail: `The carrier refuses: ${refusal.message.slice(0, 300)}`,
    facts: { carrier: account.carrier, carrier_code: refusal.code.slice(0, 40) },
  });
}

/** @throws ApiError 503 `carrier_unavailable`, 409 `carrier_refused` with the carrier's reason */
export async function callCarrier(account: CarrierAccount, call: CarrierCall): Promise<CarrierAnswer> {
  const { baseUrl } = account;
  const running = inFlight.get(baseUrl) ?? 0;
  if (running >= IN_FLIGHT_MAX) throw unavailable(account, 'too many calls at once');
  inFlight.set(baseUrl, running + 1);
  try {
    return await untilAnswered(account, call);
  } finally {
    inFlight.set(baseUrl, (inFlight.get(baseUrl) ?? 1) - 1);
  }
}

/** A field of an answer, if it exists and has the expected type. */
export function fieldOf<T>(value: unknown, name: string, is: (field: unknown) => field is T): T | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const field: unknown = (value as Record<string, unknown>)[name];
  return is(field) ? field : undefined;
}
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
