/** Who did what to an order, and what it changed. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PastCancel } from '../domain/cancel.ts';

export interface Actor {
  readonly kind: 'member' | 'marketplace' | 'buyer' | 'system';
  readonly id: string | null;
}

export interface Change {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface NewEntry {
  readonly order_id: string;
  readonly version: number;
  readonly action: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly facts: unknown;
  readonly changes: readonly Change[];
  readonly occurred_at: string;
}

const INSERT =
  'insert into order_event (seller_id, order_id, version, action, actor_kind, actor_id, reason, detail, request_id, ' +
  'idempotency_key, facts, changes, occurred_at, recorded_at) ' +
  'select $1, u.order_id, u.version, u.action, $3, $4, u.reason, u.detail, $5, $6, u.facts, u.changes, u.occurred_at, $7 ' +
  'from json_to_recordset($2::json) as u(order_id text, version int, action text, reason text, detail text, facts json, ' +
  'changes json, occurred_at timestamptz)';

export interface Author {
  readonly actor: Actor;
  readonly request_id: string | null;
  readonly idempotency_key: string | null;
}

/** Adds entries in their order. */
export async function insertEntries(
  db: Db,
  sellerId: string,
  { actor, request_id, idempotency_key }: Author,
  at: string,
  entries: readonly NewEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const values = [JSON.stringify(entries), actor.kind, actor.id, request_id, idempotency_key, at];
  await db.run(sql(INSERT, [sellerId, ...values]));
}

const REJECTED =
  "select u.order_line_id, sum(u.quantity)::int as units from order_event e, json_to_recordset(e.facts->'lines') " +
  'as u(order_line_id text, quantity int) where e.seller_id = $1 and e.order_id = $2 ' +
  "and e.action = 'rejected' and e.actor_kind = 'member' group by 1";

/** Units of an order that the seller has rejected, by line. */
export async function readRejected(
  db: Db,
  sellerId: string,
  orderId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ readonly order_line_id: string; readonly units: number }>(
    sql(REJECTED, [sellerId, orderId]),
  );
  return new Map(rows.map(({ order_line_id, units }) => [order_line_id, units]));
}

const CANCELS =
  "select u.order_line_id, u.quantity, e.occurred_at as at, e.facts->>'all' is not null as all from order_event e, " +
  "json_to_recordset(e.facts->'lines') as u(order_line_id text, quantity int) where e.seller_id = $1 and e.order_id = $2 " +
  "and e.action = 'cancelled' and e.actor_kind in ('marketplace', 'buyer')";

/** Units of an order that the marketplace has cancelled. */
export async function readCancels(db: Db, sellerId: string, orderId: string): Promise<PastCancel[]> {
  const rows = await db.all<PastCancel>(sql(CANCELS, [sellerId, orderId]));
  return rows.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
}

export interface HistoryEntry {
  readonly entry: bigint;
  readonly version: number;
  readonly action: string;
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly request_id: string | null;
  readonly idempotency_key: string | null;
  readonly facts: unknown;
  readonly changes: readonly Change[];
  readonly occurred_at: string;
  readonly recorded_at: string;
}

const LIST =
  'select entry, version, action, actor_kind, actor_id, reason, detail, request_id, idempotency_key, facts, changes, ' +
  'occurred_at, recorded_at from order_event where order_id = $1 and ($2::bigint is null or entry < $2) order by entry desc limit $3';

/** One page and one entry beyond it, the last first. */
export async function listEntries(
  db: Db,
  orderId: string,
  before: string | undefined,
  limit: number,
): Promise<HistoryEntry[]> {
  return db.all<HistoryEntry>(sql(LIST, [orderId, before ?? null, limit + 1]));
}
