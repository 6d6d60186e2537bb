/** Records of the request path that have had their time. docs/operations.md lists what is kept how long. */
import type { AnyJob } from '../../kernel/route.ts';
import { systemNow } from '../../platform/db/clock.ts';
import { deleteExpired, type ExpiringTable } from '../../platform/db/retention.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Retention {
  readonly table: ExpiringTable;
  /** How long a row stays after its instant: its expiry, for events their creation. */
  readonly graceMs: number;
  readonly everyMs: (services: Services) => number;
  /** The clock that the rows follow. */
  readonly now: (services: Services) => number;
}

const serviceNow = ({ now }: Services): number => now();
const daily = (): number => DAY_MS;

const RETENTIONS: readonly Retention[] = [
  { table: 'idempotency_key', graceMs: 0, everyMs: daily, now: serviceNow },
  // A day beyond the last token: what a token says about its session can still be explained.
  { table: 'auth_session', graceMs: DAY_MS, everyMs: daily, now: serviceNow },
  { table: 'notification', graceMs: 0, everyMs: daily, now: serviceNow },
  // What a label cost can be looked up for a while; the label itself keeps its price.
  { table: 'shipping_quote', graceMs: 90 * DAY_MS, everyMs: daily, now: serviceNow },
  // As long as the pull form goes back (docs/design/wire.md#events).
  { table: 'outbox', graceMs: 30 * DAY_MS, everyMs: daily, now: serviceNow },
  {
    table: 'rate_window',
    graceMs: 0,
    // Many rows an hour, but a manual clock that is moved by years should not stop at every hour.
    everyMs: ({ config }) => (config.CLOCK === 'manual' ? DAY_MS : HOUR_MS),
    now: systemNow,
  },
];

export const retentionJobs: readonly AnyJob[] = RETENTIONS.map(({ table, graceMs, everyMs, now }) =>
  defineJob({
    kind: `platform.forget_${table}`,
    recurring: true,
    handler: async (services, _job, signal) => {
      const deleted = await deleteExpired(services.withSystem, table, now(services) - graceMs, signal);
      services.log.info({ table, deleted }, 'expired rows deleted');
      return { againAt: services.now() + everyMs(services) };
    },
  }),
);
