/**
 * Finds endpoints that have work and no holder. Most endpoints are idle, so most searches read only the sellers with
 * new events, and the open deliveries. Every few seconds a search reads all endpoints.
 */
import type { AcquiredRow, Lease } from '../store/leases.ts';
import type { DelivererContext } from './deliverer-context.ts';
import type { AcquireFrom } from './delivery-store.ts';

/**
 * The endpoints of a killed worker wait this long, and then for the next search of all endpoints
 * (docs/design/wire.md#webhook-deliveries allows 60 s).
 */
export const LEASE_MS = 30_000;
/** The first statement takes few leases and the next ones take more, so that several processes share the endpoints. */
const TAKE_MIN = 16;
const TAKE_MAX = 256;
/** The pause after a search for due deliveries is ten times as long as the search, but at most two seconds. */
const DUE_PAUSE_FACTOR = 10;
const DUE_PAUSE_MAX_MS = 2_000;
/** How often all endpoints are read: twenty thousand take some hundredths of a second. */
const ALL_EVERY_MS = 5_000;
/** A change may be committed this long after its instant, because clocks differ and transactions take time. */
const CHANGED_BEFORE_MS = 60_000;

interface SearchOptions {
  readonly context: DelivererContext;
  readonly take: (row: AcquiredRow, lease: Lease) => void;
}

export class EndpointSearch {
  private readonly options: SearchOptions;
  /** The last search of all endpoints has seen everything that is older. */
  private since = { round: 0n, changedAt: 0 };
  /** System time of the next search of all endpoints, and of the next search for due deliveries. */
  private nextAllAt = 0;
  private nextDueAt = 0;

  constructor(options: SearchOptions) {
    this.options = options;
  }

  async run(): Promise<void> {
    const { phase, timing } = this.options.context;
    const everything = phase === 'catching_up';
    if (everything || timing.now() >= this.nextAllAt) await this.searchAll();
    else await this.acquire({ from: 'new_events', since: this.since });
    if (!everything && timing.now() < this.nextDueAt) return;
    const start = timing.now();
    await this.acquire({ from: 'due_deliveries' });
    const took = timing.now() - start;
    this.nextDueAt = timing.now() + Math.min(DUE_PAUSE_MAX_MS, took * DUE_PAUSE_FACTOR);
  }

  private async searchAll(): Promise<void> {
    const { store, now, timing } = this.options.context;
    const changedAt = now() - CHANGED_BEFORE_MS;
    const round = await store.lastRound();
    await this.acquire({ from: 'all_endpoints' });
    this.since = { round, changedAt };
    this.nextAllAt = timing.now() + ALL_EVERY_MS;
  }

  private async acquire(where: AcquireFrom): Promise<void> {
    const { context, take } = this.options;
    const { store, owner, timing } = context;
    let max = TAKE_MIN;
    for (let full = true; full && context.phase !== 'stopping'; ) {
      const leaseNow = timing.now();
      const lease = { owner, leaseNow, leaseUntil: leaseNow + LEASE_MS };
      const rows = await store.acquire(lease, max, where);
      for (const row of rows) take(row, lease);
      full = rows.length === max;
      max = Math.min(TAKE_MAX, max * 2);
    }
  }
}
