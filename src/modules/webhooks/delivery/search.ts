/**
 * Finds endpoints that have work and no holder. Most endpoints rest, so a look begins where there is little to read:
 * at sellers with new events, and at open deliveries. It reads all endpoints every few seconds.
 */
import type { AcquiredRow, Lease } from '../store/leases.ts';
import type { LookAt } from './delivery-store.ts';
import type { Shared } from './shared.ts';

/**
 * A killed worker's endpoints rest for no longer, but for a look at all (docs/design/wire.md#webhook-deliveries
 * allows 60 s).
 */
export const LEASE_MS = 30_000;
/** Endpoints taken at a time, at first and at most: several processes come to share them. */
const TAKE_MIN = 16;
const TAKE_MAX = 256;
/** Looking for what is due takes a tenth of the time, however many endpoints wait, and happens at least so often. */
const DUE_REST = 10;
const DUE_REST_MAX_MS = 2_000;
/** All endpoints are read so often: twenty thousand take some hundredths of a second. */
const ALL_EVERY_MS = 5_000;
/** The clocks of processes differ, and transactions take their time. */
const CHANGED_BEFORE_MS = 60_000;

export interface SearchOptions {
  readonly shared: Shared;
  readonly take: (row: AcquiredRow, lease: Lease) => void;
}

export class Search {
  private readonly options: SearchOptions;
  /** Since when something may be new that the last look at all endpoints has not seen. */
  private since = { round: 0n, changedAt: 0 };
  private allAt = 0;
  private dueAt = 0;

  constructor(options: SearchOptions) {
    this.options = options;
  }

  async look(): Promise<void> {
    const { phase, timing } = this.options.shared;
    const everything = phase === 'catching_up';
    if (everything || timing.now() >= this.allAt) await this.lookAtAll();
    else await this.acquire({ at: 'news', since: this.since });
    if (!everything && timing.now() < this.dueAt) return;
    const from = timing.now();
    await this.acquire({ at: 'due' });
    const took = timing.now() - from;
    this.dueAt = timing.now() + Math.min(DUE_REST_MAX_MS, took * DUE_REST);
  }

  private async lookAtAll(): Promise<void> {
    const { store, now, timing } = this.options.shared;
    const changedAt = now() - CHANGED_BEFORE_MS;
    const round = await store.lastRound();
    await this.acquire({ at: 'all' });
    this.since = { round, changedAt };
    this.allAt = timing.now() + ALL_EVERY_MS;
  }

  private async acquire(where: LookAt): Promise<void> {
    const { shared, take } = this.options;
    const { store, owner, timing } = shared;
    let max = TAKE_MIN;
    for (let full = true; full && shared.phase !== 'stopping'; ) {
      const leaseNow = timing.now();
      const lease = { owner, leaseNow, leaseUntil: leaseNow + LEASE_MS };
      const rows = await store.acquire(lease, max, where);
      for (const row of rows) take(row, lease);
      full = rows.length === max;
      max = Math.min(TAKE_MAX, max * 2);
    }
  }
}
