import type { Db } from '../../../kernel/context.ts';
import type { Severity } from '../../../kernel/events.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface NotificationRow {
  readonly notification_id: string;
  readonly sequence: bigint;
  readonly type: string;
  readonly severity: Severity;
  readonly title: string;
  readonly object_id: string;
  readonly event_id: string;
  readonly times: number;
  readonly occurred_at: string;
  readonly acknowledged_at: string | null;
  readonly expires_at: string;
}

export interface NotificationFilter {
  readonly unread?: boolean | undefined;
  readonly severity?: Severity | undefined;
  readonly type?: string | undefined;
}

const COLUMNS =
  'notification_id, sequence, type, severity, title, object_id, event_id, times, occurred_at, acknowledged_at, expires_at';
const FILTER =
  '($2::boolean is null or (acknowledged_at is null) = $2) and ($3::text is null or severity = $3) ' +
  'and ($4::text is null or type = $4)';
const NEWEST = `select ${COLUMNS} from notification where ($1::bigint is null or sequence < $1) and ${FILTER} order by sequence desc limit $5`;
const AFTER = `select ${COLUMNS} from notification where sequence > $1 and ${FILTER} order by sequence limit $5`;

const valuesOf = ({ unread, severity, type }: NotificationFilter): unknown[] => [
  unread ?? null,
  severity ?? null,
  type ?? null,
];

/** The newest first, before a number. */
export async function listNewest(
  db: Db,
  filter: NotificationFilter,
  before: bigint | null,
  limit: number,
): Promise<NotificationRow[]> {
  return db.all<NotificationRow>(sql(NEWEST, [before, ...valuesOf(filter), limit]));
}

/** The oldest first, after a number. */
export async function listAfter(
  db: Db,
  filter: NotificationFilter,
  after: bigint,
  limit: number,
): Promise<NotificationRow[]> {
  return db.all<NotificationRow>(sql(AFTER, [after, ...valuesOf(filter), limit]));
}

export async function countUnread(db: Db): Promise<number> {
  const row = await db.one<{ unread: number }>(
    sql('select count(*)::int as unread from notification where acknowledged_at is null'),
  );
  return row?.unread ?? 0;
}

export interface Acknowledging {
  readonly at: string;
  readonly memberId: string;
}

/** In the order of their index, as the numbering holds them: neither waits for the other in a circle. */
const ACKNOWLEDGE =
  'with open as materialized (select notification_id from notification ' +
  'where acknowledged_at is null and notification_id = any($3::text[]) order by type, object_id for update) ' +
  'update notification set acknowledged_at = $1, acknowledged_by = $2 ' +
  'where notification_id = any(array(select notification_id::text from open))';

/** @returns how many were open until now */
export async function acknowledge(db: Db, ids: readonly string[], by: Acknowledging): Promise<number> {
  return db.run(sql(ACKNOWLEDGE, [by.at, by.memberId, textArray(ids)]));
}

/** Rows that are held at once: the events of all sellers are numbered by one who may have to wait for them. */
const BITE = 1_000;

/** Where a bite ended; the open ones stand in this order in their index. */
export interface OpenPlace {
  readonly type: string;
  readonly object_id: string;
}
export const BEFORE_THE_FIRST: OpenPlace = { type: '', object_id: '' };

const ACKNOWLEDGE_SOME =
  'with bite as materialized (select notification_id, type, object_id from notification ' +
  'where acknowledged_at is null and sequence <= $3 and (type, object_id) > ($4, $5) order by type, object_id limit $6 for update), ' +
  // By an array: each is looked up by its key, whatever the statistics say of how many there are.
  'done as (update notification set acknowledged_at = $1, acknowledged_by = $2 ' +
  'where notification_id = any(array(select notification_id::text from bite))) ' +
  'select type, object_id from bite order by type, object_id';

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
  const rows = await db.all<OpenPlace>(
    sql(ACKNOWLEDGE_SOME, [by.at, by.memberId, upTo, after.type, after.object_id, BITE]),
  );
  const last = rows.at(-1);
  return last && { count: rows.length, last };
}

/** Types for which the seller wants no notification. */
export async function mutedTypes(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ type: string }>(sql('select type from notification_preference'));
  return new Set(rows.map(({ type }) => type));
}

/** Replaces them. */
export async function muteOnly(
  db: Db,
  sellerId: string,
  types: readonly string[],
  at: string,
): Promise<void> {
  await db.run(sql('delete from notification_preference where type <> all($1::text[])', [textArray(types)]));
  await db.run(
    sql(
      'insert into notification_preference (seller_id, type, updated_at) select $1, t, $3 from unnest($2::text[]) t on conflict do nothing',
      [sellerId, textArray(types), at],
    ),
  );
}
