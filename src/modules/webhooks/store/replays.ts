/** Replays: events of a range of time, delivered again. Each statement names the seller. */
import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  boolean,
  instant,
  integer,
  nullable,
  text,
  textOf,
  texts,
} from '../../../platform/db/columns.ts';
import { type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import { typePatterns } from '../../../platform/outbox/read-events.ts';

export const replays = defineTable('webhook_replay', ['replay_id'], {
  replay_id: text,
  endpoint_id: text,
  from_at: instant,
  to_at: instant,
  types: nullable(texts),
  only_failed: boolean,
  /** The replay covers events up to this number. */
  through: bigint,
  /** Events up to this number are in the queue. `queued` counts them. */
  queued_through: bigint,
  queued: integer,
  /** `queued`: all events of the replay are in the queue. */
  status: textOf<'running' | 'queued' | 'failed'>(),
  total: integer,
  created_at: instant,
});
export type ReplayRow = RowIn<typeof replays>;

type Range = Omit<ReplayRow, 'total' | 'status' | 'queued_through' | 'queued'>;

/** SQL condition on the event `o`. A replay of failed deliveries begins with these few, which have an index. */
function isWanted(
  sellerId: string,
  { endpoint_id, through, from_at, to_at, types, only_failed }: Range,
): Part {
  const patterns = types === null ? null : typePatterns(types);
  const failed = part`
       and o.sequence in (
           select d.sequence
             from webhook_delivery d
            where d.seller_id = ${sellerId}
              and d.endpoint_id = ${endpoint_id}
              and d.status in ('failed', 'cancelled'))`;
  return part`
           o.seller_id = ${sellerId}
       and o.sequence > 0
       and o.sequence <= ${through}
       and o.created_at >= ${from_at}
       and o.created_at < ${to_at}
       and (${patterns}::text[] is null or o.type like any(${patterns}::text[]))
       ${only_failed ? failed : part``}`;
}

/** The number of events of a new replay, including those whose delivery is queued already. */
export async function countWanted({ db, seller_id }: SellerDb, replay: Range): Promise<number> {
  const row = await db.one(statement({ total: integer })`
    select count(*)::int as total
      from v_platform_event o
     where ${isWanted(seller_id, replay)}`);
  return row?.total ?? 0;
}

/**
 * Unsent deliveries of a replay since it began: all, the open ones, and the cancelled ones. A replay opens each of its
 * deliveries, so all others have been sent since, perhaps by an attempt that ran when the replay began.
 */
export interface Unsent {
  readonly all: number;
  readonly open: number;
  readonly cancelled: number;
}

/**
 * Counts the unsent deliveries of a replay. A delivery that a later replay has opened again belongs to both. Each
 * status has its own index. Deliveries of events after `queued_through` do not count, because `queued` does not
 * include them.
 */
export async function countUnsent({ db, seller_id }: SellerDb, replay: ReplayRow): Promise<Unsent> {
  const unsent = (status: 'pending' | 'cancelled'): Part => part`
    select d.status
      from webhook_delivery d
     where d.seller_id = ${seller_id}
       and d.endpoint_id = ${replay.endpoint_id}
       and d.status = ${status}
       and (d.replay_id = ${replay.replay_id} or ${replay.replay_id} = any(d.earlier_replays))
       and d.sequence <= ${replay.queued_through}
       and (d.last_attempt_at is null or d.last_attempt_at < ${replay.created_at})`;
  const found = await db.one(statement({ all: integer, open: integer, cancelled: integer })`
    select count(*)::int as all,
           count(*) filter (where status = 'pending')::int as open,
           count(*) filter (where status = 'cancelled')::int as cancelled
      from (${unsent('pending')} union all ${unsent('cancelled')}) u`);
  return found ?? { all: 0, open: 0, cancelled: 0 };
}

/** Most replays that a delivery remembers. */
const EARLIER_MAX = 20;

/**
 * Queues the next events of a replay. A delivery that is queued already keeps its place and its schedule. An unsent one
 * keeps a list of its replays.
 *
 * @param ids identifiers for new deliveries; as many as one step may make
 * @returns whether all events are in the queue
 */
export async function queueReplay(
  { db, seller_id }: SellerDb,
  replay: ReplayRow,
  ids: readonly string[],
  at: string,
): Promise<boolean> {
  const { endpoint_id, replay_id, queued_through } = replay;
  const row = await db.one(statement({ status: text })`
    with wanted as (
      select *, row_number() over (order by sequence) as n
        from (select o.event_id, o.sequence, o.type, o.object_id
                from v_platform_event o
               where ${isWanted(seller_id, replay)}
                 and o.sequence > ${queued_through}
               order by o.sequence
               limit ${ids.length}::int) w),
    queued as (
      insert into webhook_delivery as d (seller_id, delivery_id, endpoint_id, event_id, sequence, type,
                                         object_id, status, trigger, next_attempt_at, replay_id, created_at)
      select ${seller_id}, i.id, ${endpoint_id}, w.event_id, w.sequence, w.type,
             w.object_id, 'pending', 'replay', ${at}, ${replay_id}, ${at}
        from wanted w
        join unnest(${textArray(ids)}::text[]) with ordinality i (id, n) using (n)
          on conflict (seller_id, endpoint_id, event_id) do update
         set status = 'pending',
             reason = null,
             trigger = case when d.status = 'pending' then d.trigger else 'replay' end,
             step = case when d.status = 'pending' then d.step else 0 end,
             next_attempt_at = case when d.status = 'pending' then d.next_attempt_at
                                    else excluded.next_attempt_at end,
             earlier_replays = case when d.replay_id is not null and d.status in ('pending', 'cancelled')
               then (array[d.replay_id::text] || d.earlier_replays)[1:${EARLIER_MAX}::int] end,
             replay_id = excluded.replay_id,
             completed_at = null)
    update webhook_replay
       set queued_through = coalesce((select max(sequence) from wanted), through),
           queued = queued + (select count(*) from wanted),
           status = case when (select count(*) from wanted) < ${ids.length}::int then 'queued' else status end
     where seller_id = ${seller_id}
       and replay_id = ${replay_id}
    returning status`);
  return row?.status !== 'running';
}

export const failReplay = (at: SellerDb, replayId: string): Promise<number> =>
  replays.change(at, part`status = 'failed'`, part`replay_id = ${replayId}`);
