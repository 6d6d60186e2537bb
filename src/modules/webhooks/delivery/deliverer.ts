/**
 * Delivers events: takes leases of endpoints that have work, keeps them while there is some, and gives them back. Each
 * endpoint has a worker of its own (`endpoint-worker.ts`), so that none waits for another; here is what they share.
 */
import { hostname } from 'node:os';
import type { Caller } from '../../../platform/net/call.ts';
import type { Services } from '../../../platform/services.ts';
import type { EndpointKey } from '../store/endpoints.ts';
import type { AcquiredRow, Lease } from '../store/leases.ts';
import { createDeliveryStore, type DeliveryStore } from './delivery-store.ts';
import { EndpointWorker } from './endpoint-worker.ts';
import { ResultWriter } from './result-writer.ts';
import { LEASE_MS, Search } from './search.ts';
import type { Shared } from './shared.ts';
import { systemTiming, type Timing } from './timing.ts';
import { Turns } from './turns.ts';

/** An endpoint without work is given back after this time, so that another process may have it. */
const IDLE_MS = 1_000;
const RENEW_MS = 10_000;
/** Statements of endpoints that run at the same time. */
const TURNS_MAX = 4;
/** Giving back is tried so often, and so far apart, before leases are left to end by themselves. */
const RELEASES_MAX = 20;
const RELEASE_MS = 25;
const PAUSE_MS = 2;
const STOP_PAUSE_MS = 10;

export interface DelivererOptions {
  readonly services: Pick<Services, 'ids' | 'log' | 'now'> & {
    readonly config: Pick<Services['config'], 'WEBHOOK_RETRY_SCHEDULE'>;
    readonly secrets: Pick<Services['secrets'], 'open'>;
  };
  readonly store: DeliveryStore;
  readonly caller: Caller;
  readonly random?: () => number;
  readonly timing?: Timing;
}

const keysOf = (workers: readonly EndpointWorker[]): EndpointKey[] => workers.map(({ row }) => row);

export class Deliverer {
  /** The name of this process in leases. */
  readonly owner: string;
  private readonly shared: Shared;
  private readonly search: Search;
  /** By endpoint. A worker without a lease stays until its last results are written. */
  private readonly workers = new Map<string, EndpointWorker>();
  private ticking: Promise<unknown> = Promise.resolve();

  constructor({ services, store, caller, random = Math.random, timing = systemTiming }: DelivererOptions) {
    const { config, ids, log, now, secrets } = services;
    const owner = `${hostname()}:${process.pid}:${ids.next('job_')}`;
    this.owner = owner;
    this.shared = {
      ...{ owner, store, caller, secrets, log, now, timing, random },
      writer: new ResultWriter({ owner, store, log, timing }),
      turns: new Turns(TURNS_MAX),
      schedule: config.WEBHOOK_RETRY_SCHEDULE,
      phase: 'running',
      ...{ attempting: 0, attempted: 0, waiting: 0 },
    };
    const take = (row: AcquiredRow, lease: Lease): void => this.take(row, lease);
    this.search = new Search({ shared: this.shared, take });
  }

  /** The deliverer of a running service. */
  static of(services: Services, caller: Caller): Deliverer {
    return new Deliverer({ services, store: createDeliveryStore(services), caller });
  }

  /** Looks once for work; true when there was some. One look at a time. */
  tick(): Promise<boolean> {
    return this.inTurn(() => this.look());
  }

  /** Does everything that is due by now, and waits for the results. Returns the number of attempts. */
  async runDue(): Promise<number> {
    const { shared } = this;
    const before = shared.attempted;
    if (shared.phase === 'running') shared.phase = 'catching_up';
    try {
      while (await this.tick()) await this.quiet();
    } finally {
      if (shared.phase === 'catching_up') shared.phase = 'running';
      // A process that only moves the clock must not keep endpoints from the workers.
      await this.inTurn(() => this.giveBack(this.idleSince(Number.POSITIVE_INFINITY)));
    }
    return shared.attempted - before;
  }

  /** The next instant at which an attempt is due; now, where events have no deliveries yet. */
  nextDueAt(): Promise<number | undefined> {
    return this.shared.store.nextDueAt();
  }

  /** Takes nothing new, waits for running attempts, and gives the endpoints back. */
  async stop(graceMs: number): Promise<void> {
    const { shared } = this;
    const { timing } = shared;
    shared.phase = 'stopping';
    await this.ticking;
    for (const worker of this.held) worker.fire('process_stops');
    const until = timing.elapsed() + graceMs;
    while (shared.attempting > 0 && timing.elapsed() < until) await timing.wait(STOP_PAUSE_MS);
    // What is cut off here has not failed: the next holder of the lease sends it again, with the same id.
    shared.phase = 'cut';
    await shared.caller.close();
    await shared.writer.drain();
    // A running statement may have locked some.
    for (let tries = 0; tries < RELEASES_MAX && this.held.length > 0; tries += 1) {
      if (tries > 0) await timing.wait(RELEASE_MS);
      await this.giveBack(this.held).catch((error: unknown) => {
        shared.log.warn({ err: (error as Error).message }, 'leases could not be given back');
      });
    }
  }

  private get held(): EndpointWorker[] {
    return [...this.workers.values()].filter(({ state }) => state !== 'lost');
  }

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.ticking.then(run);
    this.ticking = next.catch(() => undefined);
    return next;
  }

  private async quiet(): Promise<void> {
    const { timing, writer } = this.shared;
    while (this.held.some(({ isMoving }) => isMoving)) await timing.wait(PAUSE_MS);
    await writer.drain();
  }

  private async look(): Promise<boolean> {
    const { shared } = this;
    if (shared.phase === 'stopping' || shared.phase === 'cut') return false;
    await this.renew();
    await this.lookAtHeld();
    await this.search.look();
    const { held: workers } = this;
    shared.waiting = workers.reduce((sum, { queue }) => sum + queue.waiting, 0);
    await this.giveBack(this.idleSince(shared.timing.now() - IDLE_MS));
    return workers.some(({ state }) => state !== 'idle');
  }

  private async renew(): Promise<void> {
    const { owner, store, timing } = this.shared;
    const until = timing.now() + LEASE_MS;
    const due = this.held.filter(({ leasedUntil }) => leasedUntil < until - RENEW_MS);
    if (due.length === 0) return;
    const renewed = new Set(await store.renew(owner, until, keysOf(due)));
    for (const worker of due) if (renewed.has(worker.row.endpoint_id)) worker.leasedUntil = until;
  }

  /** Learns what sellers have changed, what there is to do, and which leases are lost. */
  private async lookAtHeld(): Promise<void> {
    for (const [id, { state, queue }] of this.workers)
      if (state === 'lost' && queue.isEmpty) this.workers.delete(id);
    const { held } = this;
    if (held.length === 0) return;
    const { owner, store } = this.shared;
    const rows = await store.look(owner, keysOf(held));
    const found = new Map(rows.map((row) => [row.endpoint_id, row]));
    for (const worker of held) {
      const row = found.get(worker.row.endpoint_id);
      if (row === undefined) worker.fire('lease_lost');
      else this.guard(row, () => worker.look(row));
    }
  }

  private take(row: AcquiredRow, { leaseUntil }: Lease): void {
    this.guard(row, () => {
      const worker = this.workers.get(row.endpoint_id) ?? new EndpointWorker(row, this.shared);
      this.workers.set(row.endpoint_id, worker);
      worker.take(row, leaseUntil);
    });
  }

  /** A secret that no key opens is for the operator to mend; the lease ends by itself. */
  private guard({ endpoint_id }: EndpointKey, run: () => void): void {
    try {
      run();
    } catch (error) {
      const err = (error as Error).message;
      this.shared.log.error({ err, endpoint_id }, 'the endpoint cannot be delivered to');
      this.workers.get(endpoint_id)?.fire('lease_lost');
    }
  }

  private idleSince(instant: number): EndpointWorker[] {
    return this.held.filter(({ state, since }) => state === 'idle' && since < instant);
  }

  private async giveBack(workers: readonly EndpointWorker[]): Promise<void> {
    if (workers.length === 0) return;
    const { owner, store } = this.shared;
    for (const id of await store.giveBack(owner, keysOf(workers))) this.workers.get(id)?.fire('lease_lost');
  }
}
