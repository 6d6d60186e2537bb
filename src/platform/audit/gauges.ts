import type { GaugeDef } from '../../kernel/route.ts';
import { float, text } from '../db/columns.ts';
import { statement } from '../db/statement.ts';

/** Metrics of the activity log. */
export const gauges: readonly GaugeDef[] = [
  {
    name: 'spp_activity_log_delay_seconds',
    help: 'Age of the oldest entry of the activity log that is not sealed',
    label: 'state',
    read: (now) => statement({ label: text, value: float })`
      select 'unsealed' as label,
             coalesce(extract(epoch from ${new Date(now).toISOString()}::timestamptz - min(at)), 0)::float8 as value
        from audit_entry
       where seq is null`,
  },
];
