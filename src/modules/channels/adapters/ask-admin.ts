/** The admin API of a store (GraphQL). A throttled query is not a failure: it waits. */
import { setTimeout as rest } from 'node:timers/promises';
import { parseJsonExact } from '../../../kernel/readers/text/parse-json-exact.ts';
import { storable } from '../../../kernel/storable-text.ts';
import { AnswerTooLargeError, ask } from '../../../platform/net/ask.ts';
import type { StorePlatform } from '../settings.ts';
import { requireAnswer, StoreRefused, StoreUnreachable } from './store-errors.ts';

const TIMEOUT_MS = 20_000;
const BYTES_MAX = 1024 * 1024;
/** A query that was throttled this often fails; its job is retried later. */
const THROTTLED_MAX = 10;
const WAIT_SECONDS_MIN = 1;
const WAIT_SECONDS_MAX = 60;
const FORBIDDEN = 403;

export interface Question {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

interface Cost {
  readonly requestedQueryCost: number;
  readonly throttleStatus: { readonly currentlyAvailable: number; readonly restoreRate: number };
}
interface Reply<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly ({ readonly extensions?: { readonly code?: string } | null } | null)[] | null;
  readonly extensions?: { readonly cost?: Cost };
}

/** The platform refuses the question itself. */
export class QuestionRefused extends Error {
  override readonly name = 'QuestionRefused';
  readonly code: string;
  constructor(code: string) {
    super(`the store refuses the question: ${code}`);
    this.code = code;
  }
}

/** The code of a question whose answer is larger than the service reads. */
const ANSWER_TOO_LARGE = 'ANSWER_TOO_LARGE';

/** Whether the question must be made smaller. */
export const isTooMuch = (error: unknown): boolean =>
  error instanceof QuestionRefused && ['MAX_COST_EXCEEDED', ANSWER_TOO_LARGE].includes(error.code);

/** Asks a store; a throttled question waits there. */
export type Ask = <Data>(question: Question) => Promise<Data>;

/**
 * Asks a store and reads its answer.
 *
 * @throws StoreUnreachable if the answer cannot be read, because it has another form than the question asks for
 */
export async function askFor<Data, Found>(
  ask: Ask,
  question: Question,
  read: (data: Data) => Found,
): Promise<Found> {
  const data = await ask<Data>(question);
  try {
    return read(data);
  } catch (cause) {
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause;
    throw new StoreUnreachable('the answer has another form than the question asks for', { cause });
  }
}

/** Seconds until the bucket has what the question costs. */
function secondsToWait(cost: Cost | undefined): number {
  if (cost?.throttleStatus == null) return WAIT_SECONDS_MIN;
  const { requestedQueryCost, throttleStatus } = cost;
  const missing = requestedQueryCost - throttleStatus.currentlyAvailable;
  const seconds = missing / Math.max(1, throttleStatus.restoreRate);
  return Number.isNaN(seconds)
    ? WAIT_SECONDS_MIN
    : Math.min(WAIT_SECONDS_MAX, Math.max(WAIT_SECONDS_MIN, seconds));
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws StoreUnreachable if the text has not the form of a reply */
function readReply<Data>(text: string): Reply<Data> {
  let reply: Reply<Data>;
  try {
    reply = storable(parseJsonExact(text)) as Reply<Data>;
  } catch {
    throw new StoreUnreachable('the answer is not JSON');
  }
  const { data, errors } = isObject(reply) ? reply : { data: [] };
  if (!Array.isArray(errors ?? []) || !isObject(data ?? {}))
    throw new StoreUnreachable('the answer is none of the admin API');
  return reply;
}

/** @throws StoreRefused, StoreUnreachable */
async function askOnce<Data>(
  { addressOf, apiVersion }: StorePlatform,
  shop: string,
  access: string,
  question: Question,
): Promise<Reply<Data>> {
  const reply = await ask(`${addressOf(shop)}/admin/api/${apiVersion}/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-shopify-access-token': access },
    body: JSON.stringify(question),
    timeoutMs: TIMEOUT_MS,
    bytesMax: BYTES_MAX,
  }).catch((error: unknown) => {
    if (error instanceof AnswerTooLargeError) throw new QuestionRefused(ANSWER_TOO_LARGE);
    throw new StoreUnreachable(error instanceof Error ? error.name : 'failed');
  });
  requireAnswer(reply.status);
  return readReply(reply.text);
}

/** @throws StoreRefused, StoreUnreachable, QuestionRefused */
export async function askAdmin<Data>(
  platform: StorePlatform,
  shop: string,
  access: string,
  question: Question,
  signal?: AbortSignal,
): Promise<Data> {
  for (let throttled = 0; ; throttled += 1) {
    const { data, errors, extensions } = await askOnce<Data>(platform, shop, access, question);
    const codes = errors?.map((error) => error?.extensions?.code ?? 'INVALID') ?? [];
    // Its status is 200, although it says the same: a scope is missing.
    if (codes.includes('ACCESS_DENIED')) throw new StoreRefused(FORBIDDEN);
    const [code] = codes;
    if (code === undefined && data != null) return data;
    if (code !== 'THROTTLED' || throttled === THROTTLED_MAX) throw new QuestionRefused(code ?? 'NO_DATA');
    await rest(secondsToWait(extensions?.cost) * 1_000, undefined, signal && { signal });
  }
}
