/**
 * The tokens of a channel: they are sealed where they are stored, and one worker at a time refreshes them.
 * Source: docs/design/channels.md#tokens.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { systemNow } from '../../../platform/db/clock.ts';
import type { Services } from '../../../platform/services.ts';
import { type GivenTokens, refreshTokens } from '../adapters/ask-tokens.ts';
import { StoreRefused } from '../adapters/store-errors.ts';
import { tokenContext } from '../domain/token-context.ts';
import { storePlatformOf } from '../settings.ts';
import { type ChannelKey, type ChannelRow, channels, leaseRefresh, touch } from '../store/channels.ts';

/** An access token that ends sooner is refreshed before it is used. */
const EARLY_MS = 5 * 60_000;
/** Longer than a refresh. After it another worker may refresh instead of a dead one. */
const LEASE_MS = 30_000;
const POLL_MS = 200;
/** The lifetime of an access token if the answer does not state it. */
const ACCESS_SECONDS = 3_600;

/** The channel has no tokens: it ended, or the store refuses to refresh them. */
export class NoToken extends Error {
  override readonly name = 'NoToken';
  readonly reason: 'ended' | 'refresh_expired' | 'token_rejected';
  constructor(reason: NoToken['reason']) {
    super(`the channel has no access token: ${reason}`);
    this.reason = reason;
  }
}

/** The columns of given tokens. A field that the store left out keeps its value (`before`). */
export function tokenColumns(
  { secrets, now }: Pick<Services, 'secrets' | 'now'>,
  channelId: string,
  given: GivenTokens,
  before?: ChannelRow,
): Partial<ChannelRow> {
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

/** Refreshes the tokens of a channel, for the worker that has the right to. @throws NoToken, StoreUnreachable */
async function refresh(services: Services, key: ChannelKey, row: ChannelRow): Promise<void> {
  const write = (columns: Partial<ChannelRow>): Promise<void> =>
    services.withSellerLong(key.seller_id, 'write', (db) =>
      touch({ db, seller_id: key.seller_id }, key.channel_id, columns),
    );
  if (row.refresh_sealed === null) throw new NoToken('token_rejected');
  try {
    await write(tokenColumns(services, key.channel_id, await askForNew(services, row), row));
  } catch (error) {
    await write({ refreshing_until: null });
    if (!(error instanceof StoreRefused)) throw error;
    const expired = row.refresh_expires_at !== null && Date.parse(row.refresh_expires_at) <= services.now();
    throw new NoToken(expired ? 'refresh_expired' : 'token_rejected');
  }
}

/**
 * An access token that is valid for some more minutes. Only one worker refreshes; the others wait for it.
 *
 * @param spent a token that the store has refused, so another one is needed
 * @throws NoToken, StoreUnreachable
 */
export async function accessToken(services: Services, key: ChannelKey, spent?: string): Promise<string> {
  const { seller_id, channel_id } = key;
  const { secrets, now, withSellerLong } = services;
  /** The stored access token, if it will do. */
  const usable = (row: ChannelRow | undefined): string | undefined => {
    if (row?.access_sealed == null) throw new NoToken('ended');
    const ends = row.access_expires_at === null ? undefined : Date.parse(row.access_expires_at);
    const access = secrets.open(row.access_sealed, tokenContext(channel_id));
    return access !== spent && (ends === undefined || ends - now() > EARLY_MS) ? access : undefined;
  };
  for (;;) {
    const row = await withSellerLong(seller_id, 'read', (db) =>
      channels.find({ db, seller_id }, { channel_id }),
    );
    const access = usable(row);
    if (access !== undefined) return access;
    const leased = await withSellerLong(seller_id, 'single', (db) =>
      leaseRefresh({ db, seller_id }, channel_id, systemNow(), systemNow() + LEASE_MS),
    );
    if (leased === undefined) await rest(POLL_MS);
    else if (usable(leased) === undefined) await refresh(services, key, leased);
    else await releaseLease(services, key);
  }
}

const releaseLease = ({ withSellerLong }: Services, { seller_id, channel_id }: ChannelKey): Promise<void> =>
  withSellerLong(seller_id, 'single', (db) =>
    touch({ db, seller_id }, channel_id, { refreshing_until: null }),
  );
