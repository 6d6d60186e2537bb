/**
 * The tokens of a channel. They are sealed where they are stored, and belong to one connection: to its use, or after its
 * end to the removal of the app. One worker at a time has the right to replace them, by a refresh or by a new
 * authorisation, and writes only while it has the right. Source: docs/design/channels.md#tokens.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { systemNow } from '../../../platform/db/clock.ts';
import type { Services } from '../../../platform/services.ts';
import { type GivenTokens, refreshTokens } from '../adapters/ask-tokens.ts';
import { StoreRefused } from '../adapters/store-errors.ts';
import { isLeaving, isOpen } from '../domain/channel-machine.ts';
import { tokenContext } from '../domain/token-context.ts';
import { storePlatformOf } from '../settings.ts';
import { type ChannelKey, type ChannelRow, channels, leaseTokens, writeLeased } from '../store/channels.ts';

/** An access token that ends sooner is refreshed before it is used. */
const EARLY_MS = 5 * 60_000;
/** Longer than a refresh or an exchange. After it another worker may replace the tokens instead of a dead one. */
const LEASE_MS = 30_000;
const POLL_MS = 200;
/** The lifetime of an access token if the answer does not state it. */
const ACCESS_SECONDS = 3_600;

/** What a token is asked for: to use a connection, or to remove the app after its end. */
export type Purpose = 'use' | 'leave';

/** An access token, and the sealed text that names it: what the store says about it holds for no other token. */
export interface Token {
  readonly access: string;
  readonly sealed: string;
}

/** The channel has no tokens for this purpose, or the store refuses to refresh them. */
export class NoToken extends Error {
  override readonly name = 'NoToken';
  readonly reason: 'ended' | 'refresh_expired' | 'token_rejected';
  /** The sealed access token that could not be refreshed. */
  readonly sealed: string | null;
  constructor(reason: NoToken['reason'], sealed: string | null = null) {
    super(`the channel has no access token: ${reason}`);
    this.reason = reason;
    this.sealed = sealed;
  }
}

/** The columns of given tokens. A field that the store left out keeps its value (`before`). */
export function tokenColumns(
  { secrets, now }: Pick<Services, 'secrets' | 'now'>,
  channelId: string,
  given: GivenTokens,
  before?: ChannelRow,
) {
  const seal = (token: string): string => secrets.seal(token, tokenContext(channelId));
  const after = (seconds: number): string => new Date(now() + seconds * 1_000).toISOString();
  const expires = given.refresh !== undefined || before?.refresh_sealed != null;
  const { accessSeconds = ACCESS_SECONDS } = given;
  return {
    access_sealed: seal(given.access),
    access_expires_at: expires ? after(accessSeconds) : null,
    refresh_sealed: given.refresh === undefined ? (before?.refresh_sealed ?? null) : seal(given.refresh),
    refresh_previous_sealed: before?.refresh_sealed ?? null,
    refresh_expires_at:
      given.refreshSeconds === undefined ? (before?.refresh_expires_at ?? null) : after(given.refreshSeconds),
    refreshing_until: null,
    ...(given.scopes && { scopes: given.scopes }),
  };
}

/** Refreshes with the present refresh token, or with the one before if the store does not know it. */
async function askForNew(services: Services, row: ChannelRow): Promise<GivenTokens> {
  const platform = storePlatformOf(services.config);
  const sealed = [row.refresh_sealed, row.refresh_previous_sealed].filter((one) => one !== null);
  let refusal = new StoreRefused(0);
  for (const one of sealed) {
    try {
      const token = services.secrets.open(one, tokenContext(row.channel_id));
      return await refreshTokens(platform, row.shop_domain, token);
    } catch (error) {
      if (!(error instanceof StoreRefused)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

export const readChannel = (
  { withSellerLong }: Services,
  { seller_id, channel_id }: ChannelKey,
): Promise<ChannelRow | undefined> =>
  withSellerLong(seller_id, 'read', (db) => channels.find({ db, seller_id }, { channel_id }));

/** Writes columns if the right to replace the tokens has not passed on. @returns false: it has */
const writeTokens = (
  { withSellerLong }: Services,
  { seller_id }: ChannelKey,
  leased: ChannelRow,
  columns: Partial<ChannelRow>,
): Promise<boolean> =>
  withSellerLong(seller_id, 'single', (db) => writeLeased({ db, seller_id }, leased, columns));

/** Gives up the right to replace the tokens. */
export const releaseTokens = (services: Services, key: ChannelKey, leased: ChannelRow): Promise<boolean> =>
  writeTokens(services, key, leased, { refreshing_until: null });

/** The stored access token, if it will do. @throws NoToken if the channel has none for the purpose */
type Usable = (row: ChannelRow | undefined) => Token | undefined;

/**
 * Refreshes the tokens of a channel, for the worker that has the right to.
 *
 * @returns undefined if the tokens were replaced or erased meanwhile, so that the new ones belong to nothing
 * @throws NoToken, StoreUnreachable
 */
async function refresh(
  services: Services,
  key: ChannelKey,
  leased: ChannelRow,
  usable: Usable,
): Promise<Token | undefined> {
  const { access_sealed: sealed, refresh_expires_at: until } = leased;
  try {
    const stored = usable(leased);
    if (stored !== undefined) {
      await releaseTokens(services, key, leased);
      return stored;
    }
    if (leased.refresh_sealed === null) throw new NoToken('token_rejected', sealed);
    const given = await askForNew(services, leased);
    const columns = tokenColumns(services, key.channel_id, given, leased);
    const written = await writeTokens(services, key, leased, columns);
    return written ? { access: given.access, sealed: columns.access_sealed } : undefined;
  } catch (error) {
    await releaseTokens(services, key, leased);
    if (!(error instanceof StoreRefused)) throw error;
    const expired = until !== null && Date.parse(until) <= services.now();
    throw new NoToken(expired ? 'refresh_expired' : 'token_rejected', sealed);
  }
}

/** Takes the right to replace the tokens of a channel, or waits a moment for who has it. */
export async function takeTokens(
  { withSellerLong }: Services,
  { seller_id, channel_id }: ChannelKey,
): Promise<ChannelRow | undefined> {
  const leased = await withSellerLong(seller_id, 'single', (db) =>
    leaseTokens({ db, seller_id }, channel_id, systemNow(), systemNow() + LEASE_MS),
  );
  if (leased === undefined) await rest(POLL_MS);
  return leased;
}

/**
 * An access token that is valid for some more minutes. Only one worker refreshes; the others wait for it.
 *
 * @param spent a token that the store has refused, so another one is needed
 * @throws NoToken, StoreUnreachable
 */
export async function accessToken(
  services: Services,
  key: ChannelKey,
  spent?: string,
  purpose: Purpose = 'use',
): Promise<Token> {
  const { secrets, now } = services;
  const usable: Usable = (row) => {
    const sealed = row?.access_sealed;
    if (row === undefined || sealed == null || !(purpose === 'use' ? isOpen : isLeaving)(row))
      throw new NoToken('ended');
    const ends = row.access_expires_at === null ? undefined : Date.parse(row.access_expires_at);
    const access = secrets.open(sealed, tokenContext(row.channel_id));
    const willDo = access !== spent && (ends === undefined || ends - now() > EARLY_MS);
    return willDo ? { access, sealed } : undefined;
  };
  for (;;) {
    const stored = usable(await readChannel(services, key));
    if (stored !== undefined) return stored;
    const leased = await takeTokens(services, key);
    const fresh = leased && (await refresh(services, key, leased, usable));
    if (fresh !== undefined) return fresh;
  }
}
