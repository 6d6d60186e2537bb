/** How an endpoint is doing, from its newest attempts, those of test events apart, and from what is open. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type EndpointRow, endpointColumnsOf } from './endpoint-row.ts';

/** Attempts that the figures are of: enough for a 95th percentile, few enough to be read at once. */
const ATTEMPTS_MAX = 1_000;
/** What is open is counted up to here. */
export const BACKLOG_MAX = 10_000;

export interface HealthRow extends EndpointRow {
  readonly attempts: number;
  readonly succeeded: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  /** Open deliveries, and events that are none yet. */
  readonly backlog: number;
}

const HEALTH =
  `select ${endpointColumnsOf('w')}, a.*, least(p.pending + f.fresh, ${BACKLOG_MAX})::int as backlog from webhook_endpoint w ` +
  'cross join lateral (select count(*)::int as attempts, count(*) filter (where r.error is null)::int as succeeded, ' +
  'round(percentile_cont(0.5) within group (order by r.duration_ms))::int as p50_ms, ' +
  'round(percentile_cont(0.95) within group (order by r.duration_ms))::int as p95_ms, ' +
  'max(r.at) filter (where r.error is null) as last_success_at, max(r.at) filter (where r.error is not null) as last_failure_at ' +
  'from (select t.duration_ms, t.error, t.at from webhook_attempt t where t.seller_id = w.seller_id and t.endpoint_id = w.endpoint_id ' +
  `and t.at >= $2 and not t.test order by t.at desc limit ${ATTEMPTS_MAX}) r) a ` +
  'cross join lateral (select count(*) as pending from (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id ' +
  `and d.status = 'pending' limit ${BACKLOG_MAX}) open) p ` +
  'cross join lateral (select count(*) as fresh from (select 1 from v_platform_event o where o.seller_id = w.seller_id and o.sequence > 0 ' +
  "and o.sequence > w.fanned_through and o.type like any (select replace(replace(t, '_', '\\_'), '*', '%') from unnest(w.event_types) t) " +
  `limit ${BACKLOG_MAX}) late) f where w.seller_id = $1 and w.status <> 'deleted' order by w.endpoint_id desc`;

/** Every endpoint of a seller with its health since an instant. */
export function readHealth(db: Db, sellerId: string, since: number): Promise<HealthRow[]> {
  return db.all<HealthRow>(sql(HEALTH, [sellerId, new Date(since).toISOString()]));
}
