/** Metrics of orders. */
import type { GaugeDef } from '../../../kernel/route.ts';
import { float, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

/** Each count is that of a partial index, so that it does not read the closed orders. */
export const gauges: readonly GaugeDef[] = [
  {
    name: 'spp_orders_open',
    help: 'Orders that wait for their seller: to accept, to dispatch, or with something that needs attention',
    label: 'state',
    read: () => statement({ label: text, value: float })`
      select 'to_accept' as label, count(*)::float8 as value
        from sales_order
       where awaiting > 0
       union all
      select 'to_dispatch', count(*)::float8
        from sales_order
       where accepted_open > 0
       union all
      select 'attention', count(*)::float8
        from sales_order
       where attention <> '{}'`,
  },
];
