import { systemNow } from '../../../platform/db/clock.ts';
import type { Services } from '../../../platform/services.ts';
import { countPending } from '../store/queue.ts';
import type { HeldEndpoint } from './held-endpoint.ts';

/** After so many failures in a row new events wait while so many are open, but for one a minute, to see. */
const BREAK_AFTER = 20;
const OPEN_MAX = 1_000;
const PROBE_MS = 60_000;

/** How many new events may be tried: of an endpoint where everything fails, one a minute once many are open. */
export async function allowedNow({ withSystem }: Services, one: HeldEndpoint): Promise<number> {
  if (one.failures < BREAK_AFTER) return Number.POSITIVE_INFINITY;
  const statement = countPending(one.config.endpoint_id, OPEN_MAX);
  const open = (await withSystem('webhooks', 'read', (db) => db.one(statement)))?.pending ?? 0;
  if (open < OPEN_MAX) return OPEN_MAX - open;
  if (systemNow() - one.probedAt < PROBE_MS) return 0;
  one.probedAt = systemNow();
  return 1;
}
