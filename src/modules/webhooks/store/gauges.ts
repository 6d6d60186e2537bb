/** How deliveries are doing, for the operator. */
import type { GaugeDef } from '../../../kernel/route.ts';
import { sql } from '../../../platform/db/sql.ts';
import { calledOf } from './endpoint-row.ts';

const CALLED = calledOf('w');

/** Of endpoints that are called, what is due, what waits for its next attempt, and what for an earlier event. */
const DELIVERIES =
  "select s.label, count(d.state)::float8 as value from unnest(array['due', 'retrying', 'parked', 'stopped']) as s (label) left join (" +
  `select case when not ${CALLED} then 'stopped' when d.next_attempt_at is null then 'parked' ` +
  "when d.next_attempt_at <= $1 then 'due' else 'retrying' end as state from webhook_delivery d " +
  "join webhook_endpoint w using (seller_id, endpoint_id) where d.status = 'pending') d on d.state = s.label group by s.label";
const LATEST =
  "select 'due' as label, coalesce(extract(epoch from $1::timestamptz - min(d.next_attempt_at)), 0)::float8 as value " +
  'from webhook_delivery d join webhook_endpoint w using (seller_id, endpoint_id) ' +
  `where d.status = 'pending' and d.next_attempt_at <= $1 and ${CALLED}`;
const ENDPOINTS =
  "select s.label, count(w.state)::float8 as value from unnest(array['active', 'failing', 'paused', 'disabled']) as s (label) left join (" +
  "select case when status = 'active' and failing_since is not null then 'failing' else status end as state from webhook_endpoint) w " +
  'on w.state = s.label group by s.label';

const iso = (ms: number): string => new Date(ms).toISOString();

export const gauges: readonly GaugeDef[] = [
  {
    name: 'spp_webhook_deliveries',
    help: 'Open deliveries: due, waiting for their next attempt, parked behind an earlier event, of endpoints that are not called',
    label: 'state',
    read: (now) => sql(DELIVERIES, [iso(now)]),
  },
  {
    name: 'spp_webhook_delay_seconds',
    help: 'How long the delivery that has been due longest has been due',
    label: 'state',
    read: (now) => sql(LATEST, [iso(now)]),
  },
  {
    name: 'spp_webhook_endpoints',
    help: 'Endpoints by status; failing: every attempt has failed of late',
    label: 'state',
    read: () => sql(ENDPOINTS),
  },
];
