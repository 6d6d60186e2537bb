/**
 * Calls of a carrier's JSON interface. Each call is bounded in time and in what is read; 429, 5xx and silence
 * are tried again, under the same reference; everything else that is not as agreed is `carrier_unavailable`.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { Logger } from '../../../kernel/context.ts';
import { type ApiError, fail } from '../../../kernel/errors.ts';
import { ask } from '../../../platform/net/ask.ts';
import { shippingErrors } from '../errors.ts';

const ATTEMPTS = 3;
/** Before the second and the third attempt. */
const WAITS_MS = [200, 600];
/** A carrier that asks for more patience than this is given up for this request. */
const RETRY_AFTER_MAX_MS = 2_000;
const RETRY_AFTER_SECONDS = '30';
/** A label of twenty parcels has some ten thousand bytes. */
const BODY_BYTES_MAX = 1024 * 1024;

/** All attempts of a call and the waits between them, in milliseconds. */
export const longestMs = (timeoutMs: number): number =>
  ATTEMPTS * timeoutMs + (ATTEMPTS - 1) * RETRY_AFTER_MAX_MS;

/** Calls of one carrier at once in this process. Behind a hanging call no other queues: further calls are refused. */
const IN_FLIGHT_MAX = 32;
const inFlight = new Map<string, number>();

export interface CarrierAccount {
  readonly carrier: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of one attempt. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

export interface CarrierCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Sent with every attempt, so that a repeat does nothing twice. */
  readonly reference?: string;
  /** Statuses beside 2xx that say enough; their body is not looked at. */
  readonly accept?: readonly number[];
}

export interface CarrierAnswer {
  readonly status: number;
  /** Parsed JSON; undefined where there was no body. */
  readonly body: unknown;
}

/** The typed refusal; why goes to the log, never to the seller. */
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
    const seconds = Number(answer.headers.get('retry-after') ?? 0);
    return { status: answer.status, text: answer.text, retryAfterMs: (seconds || 0) * 1000 };
  } catch (error) {
    // The address and the headers hold secrets, so only the kind of fault is told.
    return { fault: error instanceof Error ? error.name : 'failed' };
  }
}

const worthRepeating = ({ status }: Attempt): boolean =>
  status === undefined || status === 429 || status >= 500;

/** What a carrier says of its refusal: a list of errors, as Australia Post and the aggregators have it. */
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

/** Statuses under which carriers say why they refuse. */
const REFUSALS: readonly number[] = [400, 404, 409, 422];

/** What an answer that will not change means. */
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

/** @throws ApiError 503 `carrier_unavailable`, 409 `carrier_refused` with what the carrier says */
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

/** A field of an answer, when it is there and of the kind that was agreed. */
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
