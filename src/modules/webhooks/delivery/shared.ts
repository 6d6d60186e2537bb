import type { Clock, Logger } from '../../../kernel/context.ts';
import type { Secrets } from '../../../platform/crypto/secrets.ts';
import type { Caller } from '../../../platform/net/call.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { ResultWriter } from './result-writer.ts';
import type { Timing } from './timing.ts';
import type { Turns } from './turns.ts';

/** What the endpoints of one process share. */
export interface Shared {
  /** The name of the process in leases. */
  readonly owner: string;
  readonly store: DeliveryStore;
  readonly writer: ResultWriter;
  /** Statements of endpoints run in turns: requests need connections as well. */
  readonly turns: Turns;
  readonly caller: Caller;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly log: Logger;
  readonly now: Clock;
  readonly timing: Timing;
  readonly random: () => number;
  /** Seconds before each attempt. */
  readonly schedule: readonly number[];
  /** `catching_up`: a manual clock moves, and everything that is due is tried. `cut`: running attempts end unheard. */
  phase: 'running' | 'catching_up' | 'stopping' | 'cut';
  /** Running attempts, and attempts that are over. */
  attempting: number;
  attempted: number;
  /** Deliveries in memory, at the last look. */
  waiting: number;
}
