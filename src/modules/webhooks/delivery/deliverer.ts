/**
 * Delivers events. It polls the database: it takes leases of endpoints that have work, renews them while there is work,
 * and gives them back. Each endpoint has its own worker (`endpoint-worker.ts`), so it does not wait for other endpoints.
 */

import { hostname } from 'node:os';
import { atMost } from '../../../kernel/at-most.ts';
import type { Configuration } from '../../../kernel/context.ts';
import type { Caller } from '../../../platform/net/call.ts';
import type { Services } from '../../../platform/services.ts';
import { passThrough, type Tracer } from '../../../platform/trace/tracer.ts';
import { webhookSettings } from '../settings.ts';
import type { EndpointKey } from '../store/endpoints.ts';
import type { AcquiredRow, Lease } from '../store/leases.ts';
import type { DelivererContext } from './deliverer-context.ts';
import { createDeliveryStore, type DeliveryStore } from './delivery-store.ts';
import { EndpointSearch, LEASE_MS } from './endpoint-search.ts';
import { EndpointWorker } from './endpoint-worker.ts';
import { ResultWriter } from './result-writer.ts';
import { systemTiming, type Timing } from './timing.ts';

/** After this time without work, the lease of an endpoint is given back, so that another process may take it. */
const IDLE_MS = 1_000;
const RENEW_MS = 10_000;
/** The most statements of endpoints that run at the same time. */
const STATEMENTS_MAX = 4;
/** When the process stops, it tries this often to give its leases back. After that, they expire. */
const RELEASES_MAX = 20;
const RELEASE_MS = 25;
const PAUSE_MS = 2;
const STOP_PAUSE_MS = 10;

interface DelivererOptions {
  readonly services: Pick<Services, 'ids' | 'log' | 'now'> & {
    readonly config: Configuration;
    readonly secrets: Pick<Services['secrets'], 'open'>;
    readonly tracer?: Tracer;
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
  private readonly context: DelivererContext;
  private readonly search: EndpointSearch;
  /** By endpoint. A worker without a lease stays until its last results are written. */
  private readonly workers = new Map<string, EndpointWorker>();
  private polling: Promise<unknown> = Promise.resolve();

  constructor({ services, store, caller, random = Math.random, timing = systemTiming }: DelivererOptions) {
    const { config, ids, log, now, secrets, tracer = passThrough } = services;
    const owner = `${hostname()}:${process.pid}:${ids.next('job_')}`;
    this.owner = owner;
    this.context = {
      ...{ owner, store, caller, tracer, secrets, log, now, timing, random },
      writer: new ResultWriter({ owner, store, log, timing }),
      limitStatements: atMost(STATEMENTS_MAX),
      schedule: webhookSettings.of(config).WEBHOOK_RETRY_SCHEDULE,
      phase: 'running',
      ...{ attempting: 0, attempted: 0, waiting: 0 },
    };
    const take = (row: AcquiredRow, lease: Lease): void => this.take(row, lease);
    this.search = new EndpointSearch({ context: this.context, take });
  }

  /** The deliverer of a running service. */
  static of(services: Services, caller: Caller): Deliverer {
    return new Deliverer({ services, store: createDeliveryStore(services), caller });
  }

  /** Polls the database once, after earlier polls have ended. @returns whether there is work */
  poll(): Promise<boolean> {
    return this.inTurn(() => this.pollOnce());
  }

  /** Makes all attempts that are due now, and waits until their results are written. @returns the number of attempts */
  async runDue(): Promise<number> {
    const { context } = this;
    const before = context.attempted;
    if (context.phase === 'running') context.phase = 'catching_up';
    try {
      while (await this.poll()) await this.waitUntilIdle();
    } finally {
      if (context.phase === 'catching_up') context.phase = 'running';
      // A process that only moves the clock must not hold endpoints that workers want.
      await this.inTurn(() => this.giveBack(this.idleSince(Number.POSITIVE_INFINITY)));
    }
    return context.attempted - before;
  }

  /** The next instant at which an attempt is due. If events have no deliveries yet, it is now. */
  nextDueAt(): Promise<number | undefined> {
    return this.context.store.nextDueAt();
  }

  /** Takes nothing new, waits for running attempts, and gives the endpoints back. */
  async stop(graceMs: number): Promise<void> {
    const { context } = this;
    const { timing } = context;
    context.phase = 'stopping';
    await this.polling;
    for (const worker of this.held) worker.fire('process_stops');
    const until = timing.elapsed() + graceMs;
    while (context.attempting > 0 && timing.elapsed() < until) await timing.wait(STOP_PAUSE_MS);
    // An attempt that is still running has not failed. The next holder of the lease repeats it with the same id.
    context.phase = 'cut';
    await context.caller.close();
    await context.writer.drain();
    // A statement that still runs may have locked some endpoints.
    for (let tries = 0; tries < RELEASES_MAX && this.held.length > 0; tries += 1) {
      if (tries > 0) await timing.wait(RELEASE_MS);
      await this.giveBack(this.held).catch((error: unknown) => {
        context.log.warn({ err: (error as Error).message }, 'leases could not be given back');
      });
    }
  }

  private get held(): EndpointWorker[] {
    return [...this.workers.values()].filter(({ state }) => state !== 'lost');
  }

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.polling.then(run);
    this.polling = next.catch(() => undefined);
    return next;
  }

  private async waitUntilIdle(): Promise<void> {
    const { timing, writer } = this.context;
    while (this.held.some(({ isBusy }) => isBusy)) await timing.wait(PAUSE_MS);
    await writer.drain();
  }

  private async pollOnce(): Promise<boolean> {
    const { context } = this;
    if (context.phase === 'stopping' || context.phase === 'cut') return false;
    await this.renew();
    await this.updateHeld();
    await this.search.run();
    const { held: workers } = this;
    context.waiting = workers.reduce((sum, { queue }) => sum + queue.waiting, 0);
    await this.giveBack(this.idleSince(context.timing.now() - IDLE_MS));
    return workers.some(({ state }) => state !== 'idle');
  }

  private async renew(): Promise<void> {
    const { owner, store, timing } = this.context;
    const until = timing.now() + LEASE_MS;
    const due = this.held.filter(({ leasedUntil }) => leasedUntil < until - RENEW_MS);
    if (due.length === 0) return;
    const renewed = new Set(await store.renew(owner, until, keysOf(due)));
    for (const worker of due) if (renewed.has(worker.row.endpoint_id)) worker.leasedUntil = until;
  }

  /** Reads what sellers have changed, which endpoints have work, and which leases are lost. */
  private async updateHeld(): Promise<void> {
    for (const [id, { state, queue }] of this.workers)
      if (state === 'lost' && queue.isEmpty) this.workers.delete(id);
    const { held } = this;
    if (held.length === 0) return;
    const { owner, store } = this.context;
    const rows = await store.readHeld(owner, keysOf(held));
    const found = new Map(rows.map((row) => [row.endpoint_id, row]));
    for (const worker of held) {
      const row = found.get(worker.row.endpoint_id);
      if (row === undefined) worker.fire('lease_lost');
      else this.catchUnopened(row, () => worker.update(row));
    }
  }

  private take(row: AcquiredRow, { leaseUntil }: Lease): void {
    this.catchUnopened(row, () => {
      const worker = this.workers.get(row.endpoint_id) ?? new EndpointWorker(row, this.context);
      this.workers.set(row.endpoint_id, worker);
      worker.start(row, leaseUntil);
    });
  }

  /** Logs an endpoint whose secret no key opens, and lets its lease expire. The operator must restore the key. */
  private catchUnopened({ endpoint_id }: EndpointKey, run: () => void): void {
    try {
      run();
    } catch (error) {
      const err = (error as Error).message;
      this.context.log.error({ err, endpoint_id }, 'no event can be sent to the endpoint');
      this.workers.get(endpoint_id)?.fire('lease_lost');
    }
  }

  private idleSince(instant: number): EndpointWorker[] {
    return this.held.filter(({ state, since }) => state === 'idle' && since < instant);
  }

  private async giveBack(workers: readonly EndpointWorker[]): Promise<void> {
    if (workers.length === 0) return;
    const { owner, store } = this.context;
    for (const id of await store.giveBack(owner, keysOf(workers))) this.workers.get(id)?.fire('lease_lost');
  }
}
