/** Metrics of tickets. */
import type { GaugeDef } from '../../../kernel/route.ts';
import { float, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

export const ticketGauges: readonly GaugeDef[] = [
  {
    name: 'spp_sla_breached',
    help: 'Clocks of tickets whose deadline has passed and that still run, by the side that owes the next step',
    label: 'side',
    read: () => statement({ label: text, value: float })`
      select obligated as label, count(*)::float8 as value
        from sla_clock
       where outcome = 'breached'
         and stopped_at is null
       group by obligated`,
  },
];
