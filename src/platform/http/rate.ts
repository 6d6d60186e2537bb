/**
 * Rate limits over many replicas: each process leases blocks of a window's tokens from the database and spends them
 * from memory (docs/adr/0017-rate-windows-are-leased-in-blocks.md). Windows use the machine's clock, because a manual
 * clock must not stop them.
 */
import type { Logger } from '../../kernel/context.ts';
import {
  type RateClassName,
  type RateLimit,
  type RateLimits,
  rateLimitOf,
} from '../../kernel/rate-limits.ts';
import { integer } from '../db/columns.ts';
import type { WithSystem } from '../db/scope.ts';
import { statement } from '../db/statement.ts';

/** The number of blocks of a window. There are few round trips, and a replica leaves at most one block unused. */
const BLOCKS_PER_WINDOW = 10;
/** The most windows in memory. Beyond it the oldest windows are dropped. */
const WINDOWS_MAX = 100_000;

export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly name: RateClassName;
}

export interface RateLimiter {
  /** Takes one token of a key's bucket; undefined if rate limits are off. */
  take(key: string, name: RateClassName): Promise<RateVerdict | undefined> | RateVerdict | undefined;
  /** The state of a bucket without taking a token, for answers that cost none. */
  peek(key: string, name: RateClassName): RateVerdict | undefined;
}

interface Window {
  readonly start: number;
  /** Tokens that this process has leased and not spent. */
  local: number;
  /** Tokens of the window that no process had leased at the last read. */
  unleased: number;
  leasing: Promise<void> | undefined;
}

const leaseBlock = (key: string, start: number, block: number, expiresAt: string) => statement({
  leased: integer,
})`
  insert into rate_window (key, window_start, leased, expires_at)
  values (${key}, ${start}, ${block}, ${expiresAt})
      on conflict (key, window_start) do update set leased = rate_window.leased + excluded.leased
  returning leased`;

/** The window that an instant falls into. */
const windowStart = (now: number, seconds: number): number =>
  Math.floor(now / (seconds * 1000)) * seconds * 1000;

function verdictOf(
  window: Window,
  name: RateClassName,
  { quota, seconds }: RateLimit,
  now: number,
  allowed: boolean,
): RateVerdict {
  const resetSeconds = Math.max(1, Math.ceil((window.start + seconds * 1000 - now) / 1000));
  return {
    allowed,
    limit: quota,
    windowSeconds: seconds,
    remaining: Math.max(0, window.local + window.unleased),
    resetSeconds,
    name,
  };
}

export function createRateLimiter(options: {
  limits: RateLimits;
  withSystem: WithSystem;
  log: Logger;
  systemNow: () => number;
}): RateLimiter {
  const { limits, withSystem, log, systemNow } = options;
  const windows = new Map<string, Window>();

  async function lease(window: Window, key: string, quota: number, seconds: number): Promise<void> {
    const block = Math.max(1, Math.ceil(quota / BLOCKS_PER_WINDOW));
    const start = Math.floor(window.start / 1000);
    try {
      const expires = new Date((start + seconds * 2) * 1000).toISOString();
      const row = await withSystem(
        'rate-limit',
        'read',
        (db) => db.one(leaseBlock(key, start, block, expires)),
        { unlogged: true },
      );
      const leasedBefore = (row?.leased ?? block) - block;
      window.local += Math.min(block, Math.max(0, quota - leasedBefore));
      window.unleased = Math.max(0, quota - leasedBefore - block);
    } catch (error) {
      // A failure of the rate limits must not stop the service from answering.
      log.warn(
        { err: (error as Error).message },
        'rate window could not be leased; counting in this process only',
      );
      window.local += Math.min(block, window.unleased);
      window.unleased -= Math.min(block, window.unleased);
    }
  }

  /** The current window of a bucket; a new one has no leased tokens. */
  function windowOf(id: string, { quota, seconds }: RateLimit): Window {
    const start = windowStart(systemNow(), seconds);
    const known = windows.get(id);
    return known?.start === start ? known : { start, local: 0, unleased: quota, leasing: undefined };
  }

  function take(key: string, name: RateClassName): ReturnType<RateLimiter['take']> {
    if (!limits.enabled) return undefined;
    const limit = rateLimitOf(limits, name);
    const id = `${name}:${key}`;
    const window = windowOf(id, limit);
    if (windows.get(id) !== window) {
      windows.delete(id);
      windows.set(id, window);
      if (windows.size > WINDOWS_MAX) windows.delete(windows.keys().next().value ?? '');
    }
    if (window.local > 0 || window.unleased <= 0) {
      const allowed = window.local > 0;
      if (allowed) window.local -= 1;
      return verdictOf(window, name, limit, systemNow(), allowed);
    }
    window.leasing ??= lease(window, id, limit.quota, limit.seconds).finally(() => {
      window.leasing = undefined;
    });
    return window.leasing.then(() => take(key, name));
  }

  function peek(key: string, name: RateClassName): RateVerdict | undefined {
    if (!limits.enabled) return undefined;
    const limit = rateLimitOf(limits, name);
    return verdictOf(windowOf(`${name}:${key}`, limit), name, limit, systemNow(), true);
  }
  return { take, peek };
}

/** The two header fields of draft-ietf-httpapi-ratelimit-headers. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  return {
    'ratelimit-policy': `"${verdict.name}";q=${verdict.limit};w=${verdict.windowSeconds}`,
    ratelimit: `"${verdict.name}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
  };
}
