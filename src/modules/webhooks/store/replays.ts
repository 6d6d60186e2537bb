/** Replays: events of a range of time, delivered again. Each statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import { typePatterns } from '../../../platform/outbox/read-events.ts';

export interface ReplayRow {
  readonly seller_id: string;
  readonly replay_id: string;
  readonly endpoint_id: string;
  readonly from_at: string;
  readonly to_at: string;
  readonly types: readonly string[] | null;
  readonly only_failed: boolean;
  /** Events up to this number. */
  readonly through: bigint;
  /** Events up to this number are in the queue. */
  readonly queued_through: bigint;
  /** How many those are. */
  readonly queued: number;
  /** `queued`: all of them are in the queue. */
  readonly status: 'running' | 'queued' | 'failed';
  readonly total: number;
  readonly created_at: string;
}

const COLUMNS =
  'seller_id, replay_id, endpoint_id, from_at, to_at, types, only_failed, through, queued_through, queued, status, total, created_at';

const RANGE =
  'o.seller_id = $1::text and o.sequence > 0 and o.sequence <= $3 and o.created_at >= $4 and o.created_at < $5 ' +
  'and ($6::text[] is null or o.type like any($6))';
/** Begun from the few that have failed, by an index of theirs, however long the history is. */
const FAILED =
  'o.sequence in (select d.sequence from webhook_delivery d where d.seller_id = $1::text and d.endpoint_id = $2::text ' +
  "and d.status in ('failed', 'cancelled'))";
/** The events of a replay. $1 seller, $2 endpoint, $3 through, $4 from, $5 to, $6 patterns. */
const wanted = ({ only_failed }: Pick<ReplayRow, 'only_failed'>): string =>
  `${RANGE} and ${only_failed ? FAILED : '$2::text is not null'}`;

type WantedRange = Omit<ReplayRow, 'total' | 'status' | 'queued_through' | 'queued'>;

/** Events of a replay that is to be; those that have a delivery in the queue anyway count as well. */
export async function countWanted(db: Db, replay: WantedRange): Promise<number> {
  const row = await db.one<{ total: number }>(
    sql(`select count(*)::int as total from v_platform_event o where ${wanted(replay)}`, rangeOf(replay)),
  );
  return row?.total ?? 0;
}

const rangeOf = (replay: WantedRange): unknown[] => [
  replay.seller_id,
  replay.endpoint_id,
  replay.through,
  replay.from_at,
  replay.to_at,
  replay.types === null ? null : typePatterns(replay.types),
];

export async function insertReplay(db: Db, row: ReplayRow): Promise<void> {
  await db.run(
    sql(
      `insert into webhook_replay (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        row.seller_id,
        row.replay_id,
        row.endpoint_id,
        row.from_at,
        row.to_at,
        row.types,
        row.only_failed,
        row.through,
        row.queued_through,
        row.queued,
        row.status,
        row.total,
        row.created_at,
      ],
    ),
  );
}

export function findReplay(db: Db, sellerId: string, replayId: string): Promise<ReplayRow | undefined> {
  return db.one<ReplayRow>(
    sql(`select ${COLUMNS} from webhook_replay where seller_id = $1 and replay_id = $2`, [
      sellerId,
      replayId,
    ]),
  );
}

/**
 * Deliveries of a replay that have not been sent since it began: all, those still to be sent, and those given up. It
 * opens every one of them: what is over otherwise has been sent since, also by an attempt that was under way by then.
 */
export interface Unsent {
  readonly all: number;
  readonly open: number;
  readonly cancelled: number;
}

/**
 * Those that another replay has come upon since are that one's as well. Each status has an index of its own. Only up to
 * the number that the replay was at when it was read: what was queued in between is not among what it has queued.
 */
const unsent = (status: 'pending' | 'cancelled'): string =>
  `select d.status from webhook_delivery d where d.seller_id = $1 and d.endpoint_id = $2 and d.status = '${status}' ` +
  'and (d.replay_id = $3 or $3 = any(d.earlier_replays)) and d.sequence <= $4 and (d.last_attempt_at is null or d.last_attempt_at < $5)';
const UNSENT =
  "select count(*)::int as all, count(*) filter (where status = 'pending')::int as open, " +
  "count(*) filter (where status = 'cancelled')::int as cancelled " +
  `from (${unsent('pending')} union all ${unsent('cancelled')}) u`;

export async function countUnsent(db: Db, row: ReplayRow): Promise<Unsent> {
  const found = await db.one<Unsent>(
    sql(UNSENT, [row.seller_id, row.endpoint_id, row.replay_id, row.queued_through, row.created_at]),
  );
  return found ?? { all: 0, open: 0, cancelled: 0 };
}

/** Replays that a delivery is remembered to belong to: each begun anew writes it anew, and it must not grow without end. */
const EARLIER_MAX = 20;

/** What is in the queue already keeps its place and its schedule there, and what is not sent the replays that it is of. */
const queueOf = (replay: ReplayRow): string =>
  'with wanted as (select *, row_number() over (order by sequence) as n from (select o.event_id, o.sequence, o.type, o.object_id ' +
  `from v_platform_event o where ${wanted(replay)} and o.sequence > $7 order by o.sequence limit $8::int) w), ` +
  'queued as (insert into webhook_delivery as d (seller_id, delivery_id, endpoint_id, event_id, sequence, type, object_id, status, trigger, ' +
  'next_attempt_at, replay_id, created_at) ' +
  "select $1::text, i.id, $2::text, w.event_id, w.sequence, w.type, w.object_id, 'pending', 'replay', $10, $11, $10 " +
  'from wanted w join unnest($9::text[]) with ordinality i (id, n) using (n) ' +
  "on conflict (seller_id, endpoint_id, event_id) do update set status = 'pending', reason = null, " +
  "trigger = case when d.status = 'pending' then d.trigger else 'replay' end, step = case when d.status = 'pending' then d.step else 0 end, " +
  "next_attempt_at = case when d.status = 'pending' then d.next_attempt_at else excluded.next_attempt_at end, " +
  "earlier_replays = case when d.replay_id is not null and d.status in ('pending', 'cancelled') " +
  `then (array[d.replay_id::text] || d.earlier_replays)[1:${EARLIER_MAX}] end, ` +
  'replay_id = excluded.replay_id, completed_at = null), ' +
  'mark as (update webhook_replay set queued_through = coalesce((select max(sequence) from wanted), through), ' +
  'queued = queued + (select count(*) from wanted), ' +
  "status = case when (select count(*) from wanted) < $8::int then 'queued' else status end " +
  'where seller_id = $1::text and replay_id = $11 returning status) select status from mark';

/**
 * Puts the next events of a replay into the queue.
 *
 * @param ids identifiers of deliveries that there may not have been; as many as there may be
 * @returns whether all are in the queue
 */
export async function queueReplay(
  db: Db,
  replay: ReplayRow,
  ids: readonly string[],
  now: number,
): Promise<boolean> {
  const row = await db.one<{ status: string }>(
    sql(queueOf(replay), [
      ...rangeOf(replay),
      replay.queued_through,
      ids.length,
      textArray(ids),
      new Date(now).toISOString(),
      replay.replay_id,
    ]),
  );
  return row?.status !== 'running';
}

export async function failReplay(db: Db, sellerId: string, replayId: string): Promise<void> {
  const text = "update webhook_replay set status = 'failed' where seller_id = $1 and replay_id = $2";
  await db.run(sql(text, [sellerId, replayId]));
}
