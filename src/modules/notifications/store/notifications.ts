import type { Db } from '../../../kernel/context.ts';
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
import { allOf, command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';

const columns = {
  notification_id: text,
  sequence: bigint,
  type: text,
  severity: textOf<Severity>(),
  title: text,
  object_id: text,
  event_id: text,
  times: integer,
  occurred_at: instant,
  acknowledged_at: nullable(instant),
  expires_at: instant,
};
export type NotificationRow = RowOf<typeof columns>;

export interface NotificationFilter {
  readonly unread?: boolean | undefined;
  readonly severity?: Severity | undefined;
  readonly type?: string | undefined;
}

const LIST = raw(Object.keys(columns).join(', '));

const matching = ({ unread, severity, type }: NotificationFilter): Part =>
  allOf(
    unread !== undefined && part`(acknowledged_at is null) = ${unread}`,
    severity !== undefined && part`severity = ${severity}`,
    type !== undefined && part`type = ${type}`,
  );

/** The newest first, before a number. */
export function listNewest(
  db: Db,
  filter: NotificationFilter,
  before: bigint | null,
  limit: number,
): Promise<NotificationRow[]> {
  return db.all(statement(columns)`
    select ${LIST}
      from notification
     where ${allOf(before !== null && part`sequence < ${before}`, matching(filter))}
     order by sequence desc
     limit ${limit}`);
}

/** The oldest first, after a number. */
export function listAfter(
  db: Db,
  filter: NotificationFilter,
  after: bigint,
  limit: number,
): Promise<NotificationRow[]> {
  return db.all(statement(columns)`
    select ${LIST}
      from notification
     where sequence > ${after}
       and ${matching(filter)}
     order by sequence
     limit ${limit}`);
}

export async function countUnread(db: Db): Promise<number> {
  const row = await db.one(statement({ unread: integer })`
    select count(*)::int as unread
      from notification
     where acknowledged_at is null`);
  return row?.unread ?? 0;
}

export interface Acknowledging {
  readonly at: string;
  readonly memberId: string;
}

/**
 * Acknowledges notifications by their ids, locked in the order of their index, as the sequencer locks them: so there
 * is no deadlock.
 *
 * @returns how many were open until now
 */
export function acknowledge(db: Db, ids: readonly string[], by: Acknowledging): Promise<number> {
  return db.run(command`
    with open as materialized (
      select notification_id
        from notification
       where acknowledged_at is null
         and notification_id = any(${textArray(ids)}::text[])
       order by type, object_id
         for update
    )
    update notification
       set acknowledged_at = ${by.at},
           acknowledged_by = ${by.memberId}
     where notification_id = any(array(select notification_id::text from open))`);
}

/** Rows that one transaction locks: the sequencer numbers the events of all sellers and may have to wait for it. */
const BATCH_MAX = 1_000;

const place = { type: text, object_id: text };
/** Where a batch ended, in the order of the index of open notifications. */
export type OpenPlace = RowOf<typeof place>;
export const BEFORE_THE_FIRST: OpenPlace = { type: '', object_id: '' };

/**
 * Acknowledges some of the notifications up to a number.
 *
 * @returns how many, and where to go on; undefined: nothing is left
 */
export async function acknowledgeSome(
  db: Db,
  upTo: number,
  after: OpenPlace,
  by: Acknowledging,
): Promise<{ readonly count: number; readonly last: OpenPlace } | undefined> {
  // The array makes PostgreSQL look each row up by its key, whatever the statistics say.
  const rows = await db.all(statement(place)`
    with batch as materialized (
      select notification_id, type, object_id
        from notification
       where acknowledged_at is null
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
       where notification_id = any(array(select notification_id::text from batch))
    )
    select type, object_id
      from batch
     order by type, object_id`);
  const last = rows.at(-1);
  return last && { count: rows.length, last };
}

/** Types for which the seller wants no notification. */
export async function mutedTypes(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.all(statement({ type: text })`select type from notification_preference`);
  return new Set(rows.map(({ type }) => type));
}

/** Replaces them. */
export async function muteOnly(
  db: Db,
  sellerId: string,
  types: readonly string[],
  at: string,
): Promise<void> {
  const muted = textArray(types);
  await db.run(command`
    delete from notification_preference
     where type <> all(${muted}::text[])`);
  await db.run(command`
    insert into notification_preference (seller_id, type, updated_at)
    select ${sellerId}, t, ${at}
      from unnest(${muted}::text[]) t
        on conflict do nothing`);
}
