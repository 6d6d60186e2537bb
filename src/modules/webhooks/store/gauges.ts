/** Metrics of deliveries. */
import { isoOf } from '../../../kernel/instant.ts';
import type { GaugeDef } from '../../../kernel/route.ts';
import { float, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import { receives } from './endpoints.ts';

const VALUE = { label: text, value: float };

/** Counts open deliveries by what they wait for. Those of endpoints that receive no events are `stopped`. */
const countDeliveries = (at: string) => statement(VALUE)`
  select s.label, count(d.state)::float8 as value
    from unnest(array['due', 'retrying', 'parked', 'stopped']) as s (label)
    left join (
         select case when not ${receives('w')} then 'stopped'
                     when d.next_attempt_at is null then 'parked'
                     when d.next_attempt_at <= ${at} then 'due'
                     else 'retrying' end as state
           from webhook_delivery d
           join webhook_endpoint w using (seller_id, endpoint_id)
          where d.status = 'pending') d on d.state = s.label
   group by s.label`;

const longestDue = (at: string) => statement(VALUE)`
  select 'due' as label,
         coalesce(extract(epoch from ${at}::timestamptz - min(d.next_attempt_at)), 0)::float8 as value
    from webhook_delivery d
    join webhook_endpoint w using (seller_id, endpoint_id)
   where d.status = 'pending'
     and d.next_attempt_at <= ${at}
     and ${receives('w')}`;

const countEndpoints = () => statement(VALUE)`
  select s.label, count(w.state)::float8 as value
    from unnest(array['active', 'failing', 'paused', 'disabled']) as s (label)
    left join (
         select case when status = 'active' and failing_since is not null then 'failing' else status end as state
           from webhook_endpoint) w on w.state = s.label
   group by s.label`;

export const gauges: readonly GaugeDef[] = [
  {
    name: 'spp_webhook_deliveries',
    help: 'Open deliveries: due, waiting for their next attempt, parked behind an earlier event, of endpoints that are not called',
    label: 'state',
    read: (now) => countDeliveries(isoOf(now)),
  },
  {
    name: 'spp_webhook_delay_seconds',
    help: 'How long the delivery that has been due longest has been due',
    label: 'state',
    read: (now) => longestDue(isoOf(now)),
  },
  {
    name: 'spp_webhook_endpoints',
    help: 'Endpoints by status; failing: the last attempts have all failed',
    label: 'state',
    read: () => countEndpoints(),
  },
];
