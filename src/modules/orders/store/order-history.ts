/** The history of orders: who did what, and what changed. */
import type { Acting, Actor } from '../../../kernel/context.ts';
import {
  bigint,
  boolean,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { PastCancel } from '../domain/cancel.ts';

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

export interface Author {
  readonly actor: Actor;
  readonly request_id: string | null;
  readonly idempotency_key: string | null;
}

export const authorOf = ({ by, correlation }: Acting): Author => ({ actor: by, ...correlation });

/** Actor and request of an author, for the context of work that continues later. */
export const byAuthor = ({ actor, ...correlation }: Author) => ({ by: actor, correlation });

/** Adds entries, keeping their order. */
export async function insertEntries(ctx: Acting, at: string, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { by, correlation } = ctx;
  ctx.db.later(command`
    insert into order_event
           (seller_id, order_id, version, action, actor_kind, actor_id, reason, detail, request_id,
            idempotency_key, facts, changes, occurred_at, recorded_at)
    select ${ctx.seller_id}, u.order_id, u.version, u.action, ${by.kind}, ${by.id}, u.reason, u.detail,
           ${correlation.request_id}, ${correlation.idempotency_key}, u.facts, u.changes, u.occurred_at,
           ${at}
      from json_to_recordset(${JSON.stringify(entries)}::json)
        as u (order_id text, version int, action text, reason text, detail text, facts json, changes json,
              occurred_at timestamptz)`);
}

/** Units of an order that the seller has rejected, by line. */
export async function readRejected(
  { db, seller_id }: SellerDb,
  orderId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all(statement({ order_line_id: text, units: integer })`
    select u.order_line_id, sum(u.quantity)::int as units
      from order_event e, json_to_recordset(e.facts->'lines') as u (order_line_id text, quantity int)
     where e.seller_id = ${seller_id}
       and e.order_id = ${orderId}
       and e.action = 'rejected'
       and e.actor_kind = 'member'
     group by 1`);
  return new Map(rows.map(({ order_line_id, units }) => [order_line_id, units]));
}

const pastCancel = {
  order_line_id: text,
  quantity: integer,
  at: instant,
  all: boolean,
  request_id: nullable(text),
};
/** Units of an order that the marketplace has cancelled. */
export function readCancels({ db, seller_id }: SellerDb, orderId: string): Promise<PastCancel[]> {
  return db.all(statement(pastCancel)`
    select u.order_line_id, u.quantity, e.occurred_at as at, e.facts->>'all' is not null as all,
           e.facts->>'request_id' as request_id
      from order_event e, json_to_recordset(e.facts->'lines') as u (order_line_id text, quantity int)
     where e.seller_id = ${seller_id}
       and e.order_id = ${orderId}
       and e.action = 'cancelled'
       and e.actor_kind in ('marketplace', 'buyer')`);
}

const ENTRY = {
  entry: bigint,
  version: integer,
  action: text,
  actor_kind: textOf<Exclude<Actor['kind'], 'channel'>>(),
  actor_id: nullable(text),
  reason: nullable(text),
  detail: nullable(text),
  request_id: nullable(text),
  idempotency_key: nullable(text),
  facts: json<unknown>(),
  changes: json<readonly Change[]>(),
  occurred_at: instant,
  recorded_at: instant,
};
type HistoryEntry = RowOf<typeof ENTRY>;

/** One page and one entry more, newest first. */
export function listEntries(
  { db, seller_id }: SellerDb,
  orderId: string,
  before: string | undefined,
  limit: number,
): Promise<HistoryEntry[]> {
  return db.all(statement(ENTRY)`
    select entry, version, action, actor_kind, actor_id, reason, detail, request_id, idempotency_key, facts,
           changes, occurred_at, recorded_at
      from order_event
     where seller_id = ${seller_id}
       and order_id = ${orderId}
       and ${allOf(before !== undefined && part`entry < ${before}::bigint`)}
     order by entry desc
     limit ${limit + 1}`);
}
