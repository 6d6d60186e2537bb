/**
 * Idempotency keys. The answer is stored in the transaction of the effect, so either both exist or neither. If several
 * concurrent requests have the same key, one runs and the others are refused immediately.
 * Source: docs/design/wire.md#idempotency-keys.
 */
import { createHash } from 'node:crypto';
import type { Db } from '../../kernel/context.ts';
import { type ApiError, coreErrors, fail, invalid } from '../../kernel/errors.ts';
import type { Secrets } from '../crypto/secrets.ts';
import { boolean, bytes, integer, json, nullable, text } from '../db/columns.ts';
import { command, statement } from '../db/statement.ts';
import type { SellerDb } from '../db/table.ts';

/** A key is kept for 30 days (docs/design/wire.md#idempotency-keys). After that it may be used again. */
const IDEMPOTENCY_KEPT_MS = 30 * 24 * 3_600_000;
const RETRY_AFTER_SECONDS = '2';

const STORED = {
  fingerprint: bytes,
  status: nullable(integer),
  headers: nullable(json<Record<string, string>>()),
  body: nullable(text),
  reference: nullable(text),
  over: boolean,
};

export interface IdempotencyKey {
  readonly routeId: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface StoredKey extends Partial<StoredAnswer> {
  readonly reference: string | null;
}

/**
 * The key of a request: 1 to 255 visible ASCII characters. A key in quotes is the same as without quotes.
 *
 * @throws ApiError 422 at `header.idempotency-key`
 */
export function readKey(header: string | string[] | undefined, required: boolean): string | undefined {
  const raw = Array.isArray(header) ? header.join(',') : header;
  const quoted = raw !== undefined && raw.length >= 2 && raw.startsWith('"') && raw.endsWith('"');
  const key = quoted ? raw.slice(1, -1) : raw;
  if (key === undefined) {
    if (!required) return undefined;
    throw invalid([
      {
        loc: ['header', 'idempotency-key'],
        msg: 'This route needs an Idempotency-Key header, for example a UUID.',
        type: 'missing',
      },
    ]);
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid([
      {
        loc: ['header', 'idempotency-key'],
        msg: 'The key must have 1 to 255 visible ASCII characters.',
        type: 'string_pattern_mismatch',
      },
    ]);
  }
  return key;
}

/** Fingerprint of path, query and body, so that one key never stands for two requests. */
export function fingerprint(parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(String(part.length)).update(':').update(part);
  return hash.digest();
}

/** Locks the key until the transaction ends, without waiting. @returns false if another request has locked it */
export async function lockKey(
  db: Db,
  sellerId: string,
  key: Pick<IdempotencyKey, 'routeId' | 'key'>,
): Promise<boolean> {
  const name = `idempotency:${sellerId}:${key.routeId}:${key.key}`;
  const lock = await db.one(statement({ free: boolean })`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as free`);
  return lock?.free ?? false;
}

/** The error for a duplicate while the first request runs. */
export const keyInProgress = (): ApiError =>
  fail(coreErrors.idempotency_in_progress, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });

/**
 * Locks the key inside the transaction of the effect, and reads what is stored under it.
 *
 * @param now the service's time. A record older than 30 days does not count, even if it is not deleted yet.
 * @returns the record of an earlier request with this key, if there is one
 * @throws ApiError 409 `idempotency_in_progress` or `idempotency_key_reused`
 */
export async function takeKey(
  db: Db,
  sellerId: string,
  key: IdempotencyKey,
  now: number,
): Promise<StoredKey | undefined> {
  if (!(await lockKey(db, sellerId, key))) throw keyInProgress();
  const record = await db.one(statement(STORED)`
    select fingerprint, status, headers, body, reference, expires_at <= ${new Date(now).toISOString()} as over
      from idempotency_key
     where seller_id = ${sellerId}
       and route_id = ${key.routeId}
       and key = ${key.key}`);
  if (record === undefined) return undefined;
  if (record.over) {
    await freeKey({ db, seller_id: sellerId }, key);
    return undefined;
  }
  if (!record.fingerprint.equals(key.fingerprint)) {
    throw fail(coreErrors.idempotency_key_reused, {
      facts: record.reference === null ? {} : { first: record.reference },
    });
  }
  if (record.status === null) return { reference: record.reference };
  return {
    reference: record.reference,
    status: record.status,
    headers: record.headers ?? {},
    body: record.body ?? '',
  };
}

/** Stores the answer under the key; without an answer, the object that the request made (`reference`). */
export async function storeKey(
  db: Db,
  sellerId: string,
  key: IdempotencyKey,
  now: number,
  answer: StoredAnswer | undefined,
  reference: string | null = null,
): Promise<void> {
  const { status = null, headers, body = null } = answer ?? {};
  db.later(command`
    insert into idempotency_key
           (seller_id, route_id, key, fingerprint, status, headers, body, reference, created_at, expires_at)
    values (${sellerId}, ${key.routeId}, ${key.key}, ${key.fingerprint}, ${status},
            ${headers === undefined ? null : JSON.stringify(headers)}, ${body}, ${reference},
            ${new Date(now).toISOString()}, ${new Date(now + IDEMPOTENCY_KEPT_MS).toISOString()})
        on conflict (seller_id, route_id, key) do update
       set status = excluded.status, headers = excluded.headers, body = excluded.body,
           reference = excluded.reference`);
}

/** Stores and replays answers, in plain text or encrypted if they have a secret. */
export function answerStorage(secrets: Secrets, secret: boolean, key: IdempotencyKey | undefined) {
  const context = `idempotency:${key?.routeId}:${key?.key}`;
  return {
    store: (body: string): string => (secret ? secrets.seal(body, context) : body),
    replayed: ({ status, headers, body }: StoredAnswer) => ({
      status,
      headers: { ...headers, 'idempotent-replayed': 'true' },
      payload: secret ? secrets.open(body, context) : body,
    }),
  };
}

/** Deletes a key whose request failed in a way that allows a retry. */
export async function freeKey(
  { db, seller_id }: SellerDb,
  key: Pick<IdempotencyKey, 'routeId' | 'key'>,
): Promise<void> {
  await db.run(command`
    delete from idempotency_key
     where seller_id = ${seller_id}
       and route_id = ${key.routeId}
       and key = ${key.key}`);
}

/** The key that is stored for `reference`, for work that continues after its request. */
export async function findKey(
  { db, seller_id }: SellerDb,
  key: string,
  reference: string,
): Promise<IdempotencyKey | undefined> {
  const row = await db.one(statement({ route_id: text, fingerprint: bytes })`
    select route_id, fingerprint
      from idempotency_key
     where seller_id = ${seller_id}
       and key = ${key}
       and reference = ${reference}`);
  return row && { routeId: row.route_id, key, fingerprint: row.fingerprint };
}
