import type { atMost } from '../../../kernel/at-most.ts';
import type { Clock, Logger } from '../../../kernel/context.ts';
import type { Secrets } from '../../../platform/crypto/secrets.ts';
import type { Caller } from '../../../platform/net/call.ts';
import type { Tracer } from '../../../platform/trace/tracer.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { ResultWriter } from './result-writer.ts';
import type { Timing } from './timing.ts';

/** What the endpoint workers of one process share. */
export interface DelivererContext {
  /** The name of the process in leases. */
  readonly owner: string;
  readonly store: DeliveryStore;
  readonly writer: ResultWriter;
  /** Limits the statements that run at the same time, because requests need connections as well. */
  readonly limitStatements: ReturnType<typeof atMost>;
  readonly caller: Caller;
  readonly tracer: Tracer;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly log: Logger;
  readonly now: Clock;
  readonly timing: Timing;
  readonly random: () => number;
  /** Seconds before each attempt. */
  readonly schedule: readonly number[];
  /** `catching_up`: a manual clock has moved, so all due deliveries are tried. `cut`: results are dropped. */
  phase: 'running' | 'catching_up' | 'stopping' | 'cut';
  /** The number of running attempts. */
  attempting: number;
  /** The number of attempts that have ended. */
  attempted: number;
  /** The number of deliveries in memory at the last poll. */
  waiting: number;
}
