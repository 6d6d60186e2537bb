import type { Severity } from '../../../kernel/events.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  instant,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

const notifications = defineTable('notification', ['notification_id'], {
  notification_id: text,
  sequence: bigint,
  type: text,
  severity: textOf<Severity>(),
  title: text,
  object_id: text,
  href: nullable(text),
  event_id: text,
  times: integer,
  occurred_at: instant,
  acknowledged_at: nullable(instant),
  acknowledged_by: nullable(text),
  expires_at: instant,
});
export type NotificationRow = RowIn<typeof notifications>;

export interface NotificationFilter {
  readonly unread?: boolean | undefined;
  readonly severity?: Severity | undefined;
  readonly type?: string | undefined;
}

const matching = ({ unread, severity, type }: NotificationFilter): Part =>
  allOf(
    unread !== undefined && part`(acknowledged_at is null) = ${unread}`,
    severity !== undefined && part`severity = ${severity}`,
    type !== undefined && part`type = ${type}`,
  );

/** The beginning of a page: after a number, the oldest first; or before a number, the newest first. */
export type ListPlace = { readonly after: bigint } | { readonly before: bigint | null };

/** Reads one row more than the limit. */
export function listNotifications(
  at: SellerDb,
  filter: NotificationFilter,
  place: ListPlace,
  limit: number,
): Promise<NotificationRow[]> {
  const from = 'after' in place ? place.after : place.before;
  return notifications.page(at, {
    where: matching(filter),
    order: ['sequence'],
    descending: 'before' in place,
    after: from === null ? undefined : [String(from)],
    limit,
  });
}

export async function countUnread(at: SellerDb): Promise<number> {
  return notifications.count(at, part`acknowledged_at is null`);
}

interface Acknowledging {
  readonly at: string;
  readonly memberId: string;
}

/**
 * The most rows that one transaction locks. The sequencer, which numbers the events of all sellers, may wait for it.
 */
const BATCH_MAX = 1_000;

const place = { type: text, object_id: text };
/** The end of a batch, in the order of the index of open notifications. */
export type OpenPlace = RowOf<typeof place>;
export const BEFORE_THE_FIRST: OpenPlace = { type: '', object_id: '' };

/** How many notifications were acknowledged, and the end of the batch. */
interface Batch {
  readonly count: number;
  readonly last: OpenPlace | undefined;
}

/**
 * Acknowledges notifications by their ids. They are locked in the order of their index, as by the sequencer, so the two
 * cannot deadlock.
 *
 * @returns `count` are those that were open
 */
export async function acknowledge(
  { db, seller_id }: SellerDb,
  ids: readonly string[],
  by: Acknowledging,
): Promise<Batch> {
  const count = await db.run(command`
    with open as materialized (
      select notification_id
        from notification
       where seller_id = ${seller_id}
         and acknowledged_at is null
         and notification_id = any(${textArray(ids)}::text[])
       order by type, object_id
         for update
    )
    update notification
       set acknowledged_at = ${by.at},
           acknowledged_by = ${by.memberId}
     where seller_id = ${seller_id}
       and notification_id = any(array(select notification_id::text from open))`);
  return { count, last: undefined };
}

/**
 * Acknowledges some of the notifications up to a number.
 *
 * @returns `last` is undefined after the last batch
 */
export async function acknowledgeSome(
  { db, seller_id }: SellerDb,
  upTo: number,
  after: OpenPlace,
  by: Acknowledging,
): Promise<Batch> {
  // With an array PostgreSQL looks up each row by its key, whatever its statistics say.
  const rows = await db.all(statement(place)`
    with batch as materialized (
      select notification_id, type, object_id
        from notification
       where seller_id = ${seller_id}
         and acknowledged_at is null
         and sequence <= ${upTo}
         and (type, object_id) > (${after.type}, ${after.object_id})
       order by type, object_id
       limit ${BATCH_MAX}
         for update
    ),
    done as (
      update notification
         set acknowledged_at = ${by.at},
             acknowledged_by = ${by.memberId}
       where seller_id = ${seller_id}
         and notification_id = any(array(select notification_id::text from batch))
    )
    select type, object_id
      from batch
     order by type, object_id`);
  return { count: rows.length, last: rows.length < BATCH_MAX ? undefined : rows.at(-1) };
}

/** The types that the seller has muted. */
export async function mutedTypes({ db, seller_id }: SellerDb): Promise<ReadonlySet<string>> {
  const rows = await db.all(statement({ type: text })`
    select type
      from notification_preference
     where seller_id = ${seller_id}`);
  return new Set(rows.map(({ type }) => type));
}

/** Mutes exactly these types. */
export async function muteOnly(
  { db, seller_id }: SellerDb,
  types: readonly string[],
  at: string,
): Promise<void> {
  const muted = textArray(types);
  await db.run(command`
    delete from notification_preference
     where seller_id = ${seller_id}
       and type <> all(${muted}::text[])`);
  await db.run(command`
    insert into notification_preference (seller_id, type, updated_at)
    select ${seller_id}, t, ${at}
      from unnest(${muted}::text[]) t
        on conflict do nothing`);
}
