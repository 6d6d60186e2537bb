/** Asks a connected store, and follows what the answers say about the connection. */

import type { Acting, Correlation, CursorDb } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import { type Ask, askAdmin, type Question } from '../adapters/ask-admin.ts';
import { StoreRefused, StoreUnreachable } from '../adapters/store-errors.ts';
import { isOpen, type StatusReason } from '../domain/channel-machine.ts';
import { storePlatformOf } from '../settings.ts';
import { type ChannelKey, type ChannelRow, channels, touch } from '../store/channels.ts';
import { impair, repair } from './change-status.ts';
import { accessToken, NoToken, type Purpose, type Token } from './tokens.ts';

/** A store that has not answered for this time is unreachable. */
const UNREACHABLE_AFTER_MS = 24 * 3_600_000;
export const UNAUTHORISED = 401;
const FORBIDDEN = 403;

interface ChangeOptions<First> {
  readonly correlation?: Correlation;
  /** What is read as soon as the row is locked. */
  readonly first?: (ctx: Acting) => Promise<First | undefined>;
  readonly lookUp?: boolean;
}

/** Runs a change of the channel's row, which is locked. The channel is the actor. */
export function changeChannel<T, First = undefined>(
  services: Services,
  { seller_id, channel_id }: ChannelKey,
  change: (ctx: Acting, row: ChannelRow, first: First | undefined) => Promise<T>,
  { correlation, first, lookUp = false }: ChangeOptions<First> = {},
): Promise<T | undefined> {
  const work = async (db: CursorDb): Promise<T | undefined> => {
    const by = { kind: 'channel', id: channel_id } as const;
    const ctx = acting(services, { db, seller_id, by, ...(correlation && { correlation }) });
    // The receiver refers to the row with each delivery, and must not wait for a decision.
    const locked = channels.find(ctx, { channel_id }, 'for no key update');
    const [row, read] = await Promise.all([locked, first?.(ctx)]);
    return row === undefined ? undefined : change(ctx, row, read);
  };
  return services.withSystemLong('channels', 'write', work, { lookUp });
}

/** The store refuses a token. What it says holds for this token only. */
export class TokenRefused extends StoreRefused {
  readonly sealed: string;
  constructor(status: number, { sealed }: Token) {
    super(status);
    this.sealed = sealed;
  }
}

interface Verdict {
  readonly reason: StatusReason;
  readonly sealed: string | null;
}

/** The problem of the connection that a failed query reveals. */
function verdictOf(error: unknown): Verdict | undefined {
  if (error instanceof NoToken && error.reason !== 'ended')
    return { reason: error.reason, sealed: error.sealed };
  if (!(error instanceof TokenRefused)) return undefined;
  const { status, sealed } = error;
  if (status === FORBIDDEN) return { reason: 'scopes_missing', sealed };
  return status === UNAUTHORISED ? { reason: 'token_rejected', sealed } : undefined;
}

/** Changes the row if its tokens are still those of the verdict. */
const judge = (
  services: Services,
  key: ChannelKey,
  sealed: string | null,
  change: (ctx: Acting, row: ChannelRow) => Promise<unknown>,
): Promise<unknown> =>
  changeChannel(services, key, async (ctx, row) => {
    if (row.access_sealed === sealed) await change(ctx, row);
  });

/** Degrades the channel of a store that has not answered for a day. */
async function noteSilence(ctx: Acting, row: ChannelRow): Promise<void> {
  if (!isOpen(row)) return;
  const since = row.unreachable_since === null ? ctx.now() : Date.parse(row.unreachable_since);
  if (row.unreachable_since === null)
    await touch(ctx, row.channel_id, { unreachable_since: new Date(since).toISOString() });
  if (row.status === 'connected' && since <= ctx.now() - UNREACHABLE_AFTER_MS)
    await impair(ctx, row, 'unreachable');
}

/** An answer shows that the store is there and takes the token. Whether all scopes are granted, the hourly check asks. */
const isDisproved = ({ status, status_reason }: ChannelRow): boolean =>
  status === 'degraded' && status_reason !== 'scopes_missing';

async function noteAnswer(ctx: Acting, row: ChannelRow): Promise<void> {
  if (isDisproved(row)) await repair(ctx, row);
  else if (row.unreachable_since !== null) await touch(ctx, row.channel_id, { unreachable_since: null });
}

interface Answer<Data> {
  readonly data: Data;
  /** The token that it was asked with. */
  readonly token: Token;
}

/** Asks with a valid token; a refused token is refreshed once. @throws as {@link askStore} */
export async function askWithToken<Data>(
  services: Services,
  key: ChannelKey,
  shop: string,
  question: Question,
  { signal, purpose }: { readonly signal?: AbortSignal | undefined; readonly purpose?: Purpose } = {},
): Promise<Answer<Data>> {
  const platform = storePlatformOf(services.config);
  const ask = async (token: Token): Promise<Answer<Data>> => {
    try {
      return { data: await askAdmin<Data>(platform, shop, token.access, question, signal), token };
    } catch (error) {
      throw error instanceof StoreRefused ? new TokenRefused(error.status, token) : error;
    }
  };
  const token = await accessToken(services, key, undefined, purpose);
  try {
    return await ask(token);
  } catch (error) {
    if (!(error instanceof TokenRefused) || error.status !== UNAUTHORISED) throw error;
  }
  return ask(await accessToken(services, key, token.access, purpose));
}

/** As {@link askStore}, with the token of the answer. */
export async function askChannel<Data>(
  services: Services,
  key: ChannelKey,
  row: ChannelRow,
  question: Question,
  signal?: AbortSignal,
): Promise<Answer<Data>> {
  try {
    const answer = await askWithToken<Data>(services, key, row.shop_domain, question, { signal });
    if (row.unreachable_since !== null || isDisproved(row))
      await judge(services, key, answer.token.sealed, noteAnswer);
    return answer;
  } catch (error) {
    const verdict = verdictOf(error);
    if (verdict !== undefined)
      await judge(services, key, verdict.sealed, (ctx, now) => impair(ctx, now, verdict.reason));
    else if (error instanceof StoreUnreachable) await changeChannel(services, key, noteSilence);
    throw error;
  }
}

/**
 * Asks the store of a channel.
 *
 * @throws NoToken, StoreRefused, StoreUnreachable, QuestionRefused
 */
export const askStore = async <Data>(
  services: Services,
  key: ChannelKey,
  row: ChannelRow,
  question: Question,
  signal?: AbortSignal,
): Promise<Data> => (await askChannel<Data>(services, key, row, question, signal)).data;

/** Asks the store of a channel again and again, until a signal ends the work. */
export const askUntil =
  (services: Services, key: ChannelKey, row: ChannelRow, signal: AbortSignal): Ask =>
  (question) => {
    signal.throwIfAborted();
    return askStore(services, key, row, question, signal);
  };
