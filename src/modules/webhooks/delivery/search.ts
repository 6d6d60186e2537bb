/**
 * Finds endpoints that have something to do and are nobody's. Most of them rest, so each look begins where there is
 * little to look at: at sellers with new events, and at open deliveries. All endpoints are looked at now and then.
 */
import type { Statement } from '../../../kernel/context.ts';
import { systemNow } from '../../../platform/db/clock.ts';
import type { Services } from '../../../platform/services.ts';
import {
  type AcquiredRow,
  acquireDue,
  acquireNews,
  acquireRest,
  type Lease,
  lastRound,
} from '../store/leases.ts';

/**
 * A killed worker's endpoints lie still for no longer, but for a look at all
 * (docs/design/wire.md#webhook-deliveries allows 60 s).
 */
export const LEASE_MS = 30_000;
/** Endpoints taken at a time, at first and at most: several workers come to share them. */
const TAKE_MIN = 16;
const TAKE_MAX = 256;
/** Looking for what is due is a tenth of the time, however many endpoints wait for something, at least so often. */
const DUE_REST = 10;
const DUE_REST_MAX_MS = 2_000;
/** All endpoints are looked at so often: twenty thousand take some hundredths of a second. */
const ALL_EVERY_MS = 5_000;
/** The clocks of processes differ, and transactions take their time. */
const CHANGED_BEFORE_MS = 60_000;

export interface SearchOptions {
  readonly services: Pick<Services, 'withSystem' | 'now'>;
  /** The name of this worker in leases. */
  readonly owner: string;
  readonly take: (row: AcquiredRow, lease: Lease) => Promise<void>;
}

export class Search {
  private readonly options: SearchOptions;
  /** Since when something may be new that the last look at all endpoints has not seen. */
  private since = { round: 0n, changedAt: 0 };
  private allAt = 0;
  private dueAt = 0;
  private stopped = false;

  constructor(options: SearchOptions) {
    this.options = options;
  }

  /** Nothing is taken any more. */
  stop(): void {
    this.stopped = true;
  }

  /** @param everything now, whatever has been looked at lately */
  async look(everything: boolean): Promise<void> {
    const { now } = this.options.services;
    if (everything || systemNow() >= this.allAt) await this.lookAtAll();
    else await this.acquire((lease, max) => acquireNews(lease, max, this.since));
    if (!everything && systemNow() < this.dueAt) return;
    const from = systemNow();
    await this.acquire((lease, max) => acquireDue(lease, max, now()));
    const took = systemNow() - from;
    this.dueAt = systemNow() + Math.min(DUE_REST_MAX_MS, took * DUE_REST);
  }

  private async lookAtAll(): Promise<void> {
    const { withSystem, now } = this.options.services;
    const changedAt = now() - CHANGED_BEFORE_MS;
    const round = (await withSystem('webhooks', 'read', (db) => db.one(lastRound)))?.round ?? 0n;
    await this.acquire(acquireRest);
    this.since = { round, changedAt };
    this.allAt = systemNow() + ALL_EVERY_MS;
  }

  private async acquire(statement: (lease: Lease, max: number) => Statement<AcquiredRow>): Promise<void> {
    const { services, owner, take } = this.options;
    let max = TAKE_MIN;
    for (let full = true; full && !this.stopped; ) {
      const leaseNow = systemNow();
      const lease = { owner, leaseNow, leaseUntil: leaseNow + LEASE_MS };
      const wanted = statement(lease, max);
      const rows = await services.withSystem('webhooks', 'read', (db) => db.all(wanted));
      for (const row of rows) await take(row, lease);
      full = rows.length === max;
      max = Math.min(TAKE_MAX, max * 2);
    }
  }
}
