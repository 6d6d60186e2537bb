/**
 * Delivers events: holds endpoints that have something to do, turns their numbered events into deliveries as far
 * as they can be sent soon, sends them, and writes what came back. Endpoints do not wait for one another: each has
 * its own queue and its own places, and what fails keeps one place. Source: contract section 7; README.md says why.
 */
import { hostname } from 'node:os';
import { setTimeout as rest } from 'node:timers/promises';
import { systemNow } from '../../../platform/db/clock.ts';
import type { Caller } from '../../../platform/net/call.ts';
import { keepObjects } from '../../../platform/outbox/fill-events.ts';
import type { Services } from '../../../platform/services.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import {
  acquireEndpoints,
  anyFresh,
  firstAttemptDue,
  type HeldRow,
  lookAtHeld,
  releaseLeases,
  renewLeases,
} from '../store/leases.ts';
import {
  countPending,
  fanOut,
  heldObjects,
  loadDue,
  type QueuedRow,
  unparkAll,
  unparkOrphans,
} from '../store/queue.ts';
import type { Lane } from '../store/results.ts';
import { attempt, expired } from './attempt.ts';
import { endpointEffect } from './endpoint-effects.ts';
import { HeldEndpoint } from './held-endpoint.ts';
import { ResultWriter } from './result-writer.ts';

/** A killed worker's endpoints lie still for no longer (contract section 7 asks for 60 s). */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** An endpoint without anything to do is given back after this time, so that another worker may have it. */
const IDLE_MS = 1_000;
/** Endpoints taken at a time: several workers come to share them. */
const ACQUIRE_MAX = 16;
/** Attempts under way in this process; beyond it, an endpoint without any still gets its first. */
const FLYING_MAX = 4_000;
/** Deliveries in memory; beyond it, endpoints get only what they can send at once. */
const QUEUED_MAX = 50_000;
const FAN_OUT_MAX = 500;
const DUE_COUNT_MAX = 2_000;
/** After so many failures in a row new events wait while so many are open, but for one a minute, to see. */
const BREAK_AFTER = 20;
const OPEN_MAX = 1_000;
const PROBE_MS = 60_000;

export interface DelivererOptions {
  readonly services: Services;
  readonly caller: Caller;
  readonly random?: () => number;
}

const isIdle = ({ fresh, due, filling, queue }: HeldEndpoint): boolean =>
  !fresh && !due && !filling && queue.idle;

export class Deliverer {
  private readonly services: Services;
  private readonly caller: Caller;
  private readonly random: () => number;
  private readonly owner: string;
  private readonly held = new Map<string, HeldEndpoint>();
  private readonly writer: ResultWriter;
  private readonly schedule: readonly number[];
  private ticking: Promise<unknown> = Promise.resolve();
  private renewedAt = 0;
  private flying = 0;
  private settled = 0;
  private stopping = false;
  private cut = false;
  /** While a manual clock is moved everything that is due is tried. */
  private unbroken = false;

  constructor({ services, caller, random = Math.random }: DelivererOptions) {
    this.services = services;
    this.caller = caller;
    this.random = random;
    this.owner = `${hostname()}:${process.pid}:${services.ids.next('job')}`;
    this.schedule = services.config.WEBHOOK_RETRY_SCHEDULE;
    this.writer = new ResultWriter({
      withSystem: services.withSystem,
      now: services.now,
      log: services.log,
      onWritten: (results, freed) => {
        for (const { endpoint_id, delivery_id } of results)
          this.held.get(endpoint_id)?.queue.forget(delivery_id);
        for (const lane of freed) this.freed(lane);
      },
    });
  }

  /** Looks once for something to do; true when there was. One look at a time. */
  tick(): Promise<boolean> {
    const next = this.ticking.then(() => this.look());
    this.ticking = next.catch(() => undefined);
    return next;
  }

  /** Does everything that is due by now, and waits for what it brings. Returns the number of attempts. */
  async runDue(): Promise<number> {
    const before = this.settled;
    this.unbroken = true;
    try {
      while (await this.tick()) await this.quiet();
    } finally {
      this.unbroken = false;
      // Whose process only moves the clock keeps nothing from the workers.
      const given = this.ticking.then(() => this.release([...this.held.values()].filter(isIdle)));
      this.ticking = given.catch(() => undefined);
      await given;
    }
    return this.settled - before;
  }

  /** The next instant at which an attempt is due; now, where events are no deliveries yet. */
  async nextDueAt(): Promise<number | undefined> {
    const { withSystem, now } = this.services;
    if ((await withSystem('webhooks', 'read', (db) => db.one(anyFresh)))?.fresh === true) return now();
    const first = (await withSystem('webhooks', 'read', (db) => db.one(firstAttemptDue)))?.at;
    return first == null ? undefined : Date.parse(first);
  }

  /** Takes nothing new, waits for what is under way, and gives the endpoints back. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    await this.ticking;
    for (const { queue } of this.held.values()) queue.clear();
    const until = performance.now() + graceMs;
    while (this.flying > 0 && performance.now() < until) await rest(10);
    // What is cut off here has not failed: whoever takes the endpoint over sends it again, with the same id.
    this.cut = true;
    await this.caller.close();
    await this.writer.drain();
    await this.release([...this.held.values()]);
  }

  private async quiet(): Promise<void> {
    const moving = ({ filling, queue }: HeldEndpoint): boolean =>
      filling || queue.flying > 0 || queue.queued > 0;
    while ([...this.held.values()].some(moving)) await rest(2);
    await this.writer.drain();
  }

  private async look(): Promise<boolean> {
    if (this.stopping) return false;
    await this.refresh();
    await this.acquire();
    const busy = [...this.held.values()].filter((one) => !isIdle(one));
    for (const one of busy) one.busyAt = systemNow();
    // Not waited for: as long as one endpoint has something to send, its reading does not end.
    for (const one of busy) void this.fill(one);
    const idle = [...this.held.values()].filter((one) => systemNow() - one.busyAt > IDLE_MS);
    await this.release(idle);
    return busy.length > 0;
  }

  /** Learns what has changed about the endpoints in hand, and which are lost. */
  private async refresh(): Promise<void> {
    if (this.held.size === 0) return;
    const { withSystem, now } = this.services;
    const ids = [...this.held.keys()];
    if (systemNow() - this.renewedAt > RENEW_MS) {
      const until = systemNow() + LEASE_MS;
      await withSystem('webhooks', 'read', (db) => db.run(renewLeases(this.owner, until, ids)));
      this.renewedAt = systemNow();
    }
    const look = lookAtHeld(this.owner, now(), ids, DUE_COUNT_MAX);
    const rows = await withSystem('webhooks', 'read', (db) => db.all(look));
    const mine = new Map(rows.map((row) => [row.endpoint_id, row]));
    for (const [id, one] of this.held) {
      const row = mine.get(id);
      if (row === undefined) this.lose(one);
      else await this.renew(one, row);
    }
  }

  private async renew(one: HeldEndpoint, row: HeldRow): Promise<void> {
    try {
      if (one.update(row)) one.queue.hold(await this.waitingIn(row));
      one.fresh ||= row.fresh;
      one.due ||= row.due > one.queue.size;
    } catch (error) {
      this.broken(row.endpoint_id, error);
      this.lose(one);
    }
  }

  /** A secret that cannot be opened is for the operator to mend; the lease ends by itself. */
  private broken(endpoint_id: string, error: unknown): void {
    const { log } = this.services;
    log.error({ err: (error as Error).message, endpoint_id }, 'the endpoint cannot be delivered to');
  }

  private lose(one: HeldEndpoint): void {
    one.lost = true;
    one.queue.clear();
    if (one.queue.idle) this.held.delete(one.config.endpoint_id);
  }

  private async acquire(): Promise<void> {
    const { withSystem, now } = this.services;
    for (let taken = ACQUIRE_MAX; taken === ACQUIRE_MAX && !this.stopping; ) {
      const leaseNow = systemNow();
      const lease = { owner: this.owner, now: now(), leaseNow, leaseUntil: leaseNow + LEASE_MS };
      const rows = await withSystem('webhooks', 'read', (db) => db.all(acquireEndpoints(lease, ACQUIRE_MAX)));
      if (this.held.size === 0) this.renewedAt = leaseNow;
      await Promise.all(rows.map((row) => this.take(row)));
      taken = rows.length;
    }
  }

  private async take(row: EndpointRow): Promise<void> {
    const { endpoint_id } = row;
    try {
      const held = await this.waitingIn(row);
      this.held.set(endpoint_id, new HeldEndpoint(row, held, this.services.secrets, systemNow()));
    } catch (error) {
      this.broken(endpoint_id, error);
    }
  }

  /** The objects that wait behind a failed event; what waits behind nothing any more is made due. */
  private async waitingIn({ endpoint_id, ordering }: EndpointRow): Promise<ReadonlyMap<string, bigint>> {
    const { withSystem, now } = this.services;
    const free = ordering === 'per_object' ? unparkOrphans : unparkAll;
    await withSystem('webhooks', 'read', (db) => db.run(free(endpoint_id, now())));
    if (ordering !== 'per_object') return new Map();
    const objects = await withSystem('webhooks', 'read', (db) => db.all(heldObjects(endpoint_id)));
    return new Map(objects.map(({ object_id, sequence }) => [object_id, sequence]));
  }

  private async release(endpoints: readonly HeldEndpoint[]): Promise<void> {
    const ids = endpoints.map(({ config }) => config.endpoint_id);
    if (ids.length === 0) return;
    for (const id of ids) this.held.delete(id);
    const { withSystem } = this.services;
    await withSystem('webhooks', 'read', (db) => db.run(releaseLeases(this.owner, ids)));
  }

  /** Reads deliveries that are due, makes new ones of events, and sends what can be sent. */
  private async fill(one: HeldEndpoint): Promise<void> {
    if (one.filling || one.lost || this.stopping) return;
    one.filling = true;
    try {
      while ((one.due || one.fresh) && this.room(one) > 0 && !this.stopping && !one.lost) {
        if (one.due) await this.load(one);
        else if (!(await this.make(one))) break;
        this.launch(one);
      }
    } catch (error) {
      one.due = true;
      this.services.log.warn({ err: (error as Error).message }, 'deliveries could not be read');
    } finally {
      one.filling = false;
    }
    this.launch(one);
  }

  private room(one: HeldEndpoint): number {
    let queued = 0;
    for (const { queue } of this.held.values()) queued += queue.queued;
    const window = queued < QUEUED_MAX ? one.window : one.places;
    return window - one.queue.queued;
  }

  private async load(one: HeldEndpoint): Promise<void> {
    const { withSystem, now } = this.services;
    const { seller_id: sellerId, endpoint_id: endpointId, status } = one.config;
    const max = this.room(one);
    const except = one.queue.ids;
    const statement = loadDue({ sellerId, endpointId, now: now(), except, all: status === 'active', max });
    one.due = false;
    one.queue.reading();
    const rows = await withSystem('webhooks', 'read', (db) => db.all(statement));
    this.enqueue(one, await this.filled(sellerId, rows), true);
    if (rows.length === max) one.due = true;
    else for (const objectId of one.queue.read()) this.writer.unpark({ endpointId, objectId });
  }

  /** Those that waited behind a failed event are due: they are read before anything new is made. */
  private freed({ endpointId, objectId }: Lane): void {
    const one = this.held.get(endpointId);
    if (one === undefined) return;
    one.queue.freed(objectId);
    one.due = true;
    void this.fill(one);
  }

  /** Makes deliveries of numbered events; false when none may be made now. */
  private async make(one: HeldEndpoint): Promise<boolean> {
    const { withSystem, now, ids } = this.services;
    const { seller_id: sellerId, endpoint_id: endpointId, event_types: types } = one.config;
    const count = Math.min(FAN_OUT_MAX, this.room(one), await this.allowed(one));
    one.fresh = false;
    if (one.config.status !== 'active' || count === 0) return false;
    const made = Array.from({ length: count }, () => ids.next('delivery'));
    // Without jitter: the first attempts keep the order of the events.
    const firstAttemptAt = now() + (this.schedule[0] ?? 0) * 1_000;
    const { owner } = this;
    const except = one.config.passed_over;
    const step = { sellerId, endpointId, owner, types, except, ids: made, now: now(), firstAttemptAt };
    const rows = await withSystem('webhooks', 'read', (db) => db.all(fanOut(step)));
    one.fresh = rows[0]?.more === true;
    if (firstAttemptAt <= now())
      this.enqueue(
        one,
        await this.filled(sellerId, rows.filter((row) => row.delivery_id !== null) as QueuedRow[]),
        false,
      );
    return true;
  }

  /** Events of bulk writes come without their object: it is read now, and kept for the attempts to come. */
  private async filled(sellerId: string, rows: readonly QueuedRow[]): Promise<readonly QueuedRow[]> {
    const empty = rows.filter(({ data, test, expired }) => data === null && !test && !expired);
    if (empty.length === 0) return rows;
    const { withSystem, readObjects } = this.services;
    const texts = await withSystem('webhooks', 'write', async (db) => {
      const found = await readObjects(db, empty);
      const made = empty.map((row) => ({
        row,
        sequence: row.sequence,
        data: JSON.stringify({ object: found.get(row)?.object ?? null }),
        version: found.get(row)?.version ?? row.object_version,
      }));
      await keepObjects(db, sellerId, made);
      return new Map(made.map(({ row, data, version }) => [row, { data, object_version: version }] as const));
    });
    return rows.map((row) => ({ ...row, ...texts.get(row) }));
  }

  /** How many new events may be tried: of an endpoint where everything fails, one a minute once many are open. */
  private async allowed(one: HeldEndpoint): Promise<number> {
    if (one.failures < BREAK_AFTER || this.unbroken) return FAN_OUT_MAX;
    const { withSystem } = this.services;
    const statement = countPending(one.config.endpoint_id, OPEN_MAX);
    const open = (await withSystem('webhooks', 'read', (db) => db.one(statement)))?.pending ?? 0;
    if (open < OPEN_MAX) return OPEN_MAX - open;
    if (systemNow() - one.probedAt < PROBE_MS) return 0;
    one.probedAt = systemNow();
    return 1;
  }

  private enqueue(one: HeldEndpoint, rows: readonly QueuedRow[], read: boolean): void {
    if (one.lost) return;
    const gone = rows.filter((row) => row.expired);
    for (const row of gone) this.writer.close(expired(row, this.services.now()));
    const waiting = rows.filter((row) => !row.expired && !one.queue.add(row, one.ordered, read));
    this.writer.park(waiting);
  }

  /** Sends as long as there are places. */
  private launch(one: HeldEndpoint): void {
    const { queue } = one;
    while (queue.flying < one.places && (this.flying < FLYING_MAX || queue.flying === 0)) {
      const row = queue.take();
      if (row === undefined) break;
      this.flying += 1;
      void this.send(one, row);
    }
    const low = queue.queued < one.window / 2;
    if (low && (one.due || one.fresh) && !one.filling) void this.fill(one);
  }

  private async send(one: HeldEndpoint, row: QueuedRow): Promise<void> {
    const { now } = this.services;
    const deps = { caller: this.caller, now, schedule: this.schedule, random: this.random };
    const { result, decision } = await attempt(deps, one, row);
    this.flying -= 1;
    if (this.cut) return;
    this.settled += 1;
    if (decision.endpoint === 'failing') one.failures += 1;
    else if (decision.endpoint === 'healthy') one.failures = 0;
    this.writer.add(result);
    const effect = endpointEffect(this.services, one, decision.endpoint);
    if (effect !== undefined) this.writer.effect(effect);
    const { parked, freed } = one.queue.settle(row, decision.status === 'pending' ? 'retry' : 'done');
    this.writer.park(parked);
    if (freed) this.writer.unpark({ endpointId: row.endpoint_id, objectId: row.object_id });
    this.launch(one);
  }
}
