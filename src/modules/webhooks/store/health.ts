/** The health of endpoints, computed from their newest attempts (without tests) and their open deliveries. */
import { instant, integer, nullable } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { endpoints } from './endpoints.ts';

/** The attempts that count: enough for a 95th percentile, few enough to read at once. */
const ATTEMPTS_MAX = 1_000;
/** Open deliveries, and events without a delivery, are counted up to this number. */
export const BACKLOG_MAX = 10_000;

const HEALTH = {
  ...endpoints.columns,
  attempts: integer,
  succeeded: integer,
  p50_ms: nullable(integer),
  p95_ms: nullable(integer),
  last_success_at: nullable(instant),
  last_failure_at: nullable(instant),
  /** The number of open deliveries, and of events without a delivery. */
  backlog: integer,
};

/** Every endpoint of a seller with its health since an instant. */
export const readHealth = ({ db, seller_id }: SellerDb, since: string) =>
  db.all(statement(HEALTH)`
    select ${endpoints.listOf('w')}, a.*, least(p.pending + f.fresh, ${BACKLOG_MAX})::int as backlog
      from webhook_endpoint w
     cross join lateral (
           select count(*)::int as attempts,
                  count(*) filter (where r.error is null)::int as succeeded,
                  round(percentile_cont(0.5) within group (order by r.duration_ms))::int as p50_ms,
                  round(percentile_cont(0.95) within group (order by r.duration_ms))::int as p95_ms,
                  max(r.at) filter (where r.error is null) as last_success_at,
                  max(r.at) filter (where r.error is not null) as last_failure_at
             from (select t.duration_ms, t.error, t.at
                     from webhook_attempt t
                    where t.seller_id = w.seller_id
                      and t.endpoint_id = w.endpoint_id
                      and t.at >= ${since}
                      and not t.test
                    order by t.at desc
                    limit ${ATTEMPTS_MAX}) r) a
     cross join lateral (
           select count(*) as pending
             from (select
                     from webhook_delivery d
                    where d.endpoint_id = w.endpoint_id
                      and d.status = 'pending'
                    limit ${BACKLOG_MAX}) open) p
     cross join lateral (
           select count(*) as fresh
             from (select
                     from v_platform_event o
                    where o.seller_id = w.seller_id
                      and o.sequence > 0
                      and o.sequence > w.fanned_through
                      and o.type like any (
                          select replace(replace(t, '_', '\\_'), '*', '%') from unnest(w.event_types) t)
                    limit ${BACKLOG_MAX}) late) f
     where w.seller_id = ${seller_id}
       and w.status <> 'deleted'
     order by w.endpoint_id desc`);
export type HealthRow = Awaited<ReturnType<typeof readHealth>>[number];
