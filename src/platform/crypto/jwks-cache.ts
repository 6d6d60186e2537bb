/**
 * The marketplace's public keys. They are fetched for the first token, cached for ten minutes of the system's time, and
 * fetched again for an unknown key id at most once in 30 seconds. Source: docs/design/wire.md#marketplace-sessions.
 *
 * The remote key set of jose has two flaws, so this cache uses only jose's key selection. It does not pause after a
 * failed fetch, so in an outage every request would fetch. And its pause begins with every fetch, so a key that is
 * rotated directly after a fetch would not be found.
 */
import { createLocalJWKSet, errors, type JWK, type JWTHeaderParameters, type LocalJWKSet } from 'jose';
import type { Clock, Logger } from '../../kernel/context.ts';
import { ask } from '../net/ask.ts';

export const JWKS_MAX_AGE_MS = 600_000;
export const UNKNOWN_KEY_PAUSE_MS = 30_000;
/**
 * The whole answer may take 6 s (docs/design/wire.md#marketplace-sessions), so one second is left for other work.
 */
const FETCH_TIMEOUT_MS = 5_000;
/** Pause after a failed fetch, so that a burst of requests does not become a burst of fetches. */
const FAILURE_PAUSE_MS = 1_000;
/** A hundred RSA keys fit into 64 KiB. */
const JWKS_BYTES_MAX = 256 * 1024;

/** The key set cannot be fetched and the cache is too old. */
export class JwksUnavailable extends Error {
  override readonly name = 'JwksUnavailable';
}

export interface JwksCache {
  /**
   * The key that a protected header names.
   *
   * @throws JwksUnavailable within 6 s
   * @throws JOSEError when the key set holds no such key
   */
  keyFor(header: JWTHeaderParameters): ReturnType<LocalJWKSet>;
}

interface JwksCacheOptions {
  readonly url: string;
  /** The machine's clock: a manual clock must not age the cache. */
  readonly systemNow: Clock;
  readonly log: Logger;
  readonly timeoutMs?: number;
}

/** Keys without `kid` are left out, because a token always names its key. */
const isNamedKey = (key: unknown): key is JWK =>
  typeof key === 'object' && key !== null && 'kid' in key && typeof key.kid === 'string' && key.kid !== '';

async function fetchKeySet(url: string, timeoutMs: number): Promise<LocalJWKSet> {
  const { status, text } = await ask(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    timeoutMs,
    bytesMax: JWKS_BYTES_MAX,
  });
  if (status !== 200) throw new Error(`the answer has status ${status}`);
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || !('keys' in parsed) || !Array.isArray(parsed.keys)) {
    throw new Error('the answer is not a key set');
  }
  return createLocalJWKSet({ keys: parsed.keys.filter(isNamedKey) });
}

/** A cache of one key set; fetches nothing before the first token. */
export function createJwksCache({
  url,
  systemNow,
  log,
  timeoutMs = FETCH_TIMEOUT_MS,
}: JwksCacheOptions): JwksCache {
  let current: { readonly keys: LocalJWKSet; readonly at: number } | undefined;
  let pending: Promise<LocalJWKSet> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let fetchedForUnknownAt = Number.NEGATIVE_INFINITY;

  const load = (): Promise<LocalJWKSet> => {
    pending ??= fetchKeySet(url, timeoutMs)
      .then(
        (keys) => {
          current = { keys, at: systemNow() };
          return keys;
        },
        (cause: unknown) => {
          failedAt = systemNow();
          log.warn({ err: cause, url }, 'fetching the key set of the marketplace failed');
          throw new JwksUnavailable('the key set cannot be read', { cause });
        },
      )
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };

  /** Fetches for a key id that the cached set lacks, unless the last such fetch was less than 30 s ago. */
  const loadForUnknown = (unknown: unknown): Promise<LocalJWKSet> => {
    if (pending !== undefined) return pending;
    if (systemNow() - fetchedForUnknownAt >= UNKNOWN_KEY_PAUSE_MS) {
      fetchedForUnknownAt = systemNow();
      return load();
    }
    // After a failed fetch it is unknown whether the marketplace has this key, so the answer is 503 and not 401.
    throw failedAt >= fetchedForUnknownAt ? new JwksUnavailable('the key set cannot be read') : unknown;
  };

  return {
    async keyFor(header) {
      const cached =
        current !== undefined && systemNow() - current.at < JWKS_MAX_AGE_MS ? current.keys : undefined;
      if (cached === undefined) {
        if (pending === undefined && systemNow() - failedAt < FAILURE_PAUSE_MS) {
          throw new JwksUnavailable('the key set could not be read a moment ago');
        }
        return (await load())(header);
      }
      try {
        return await cached(header);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return (await loadForUnknown(error))(header);
      }
    },
  };
}
