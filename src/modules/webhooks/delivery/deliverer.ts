/**
 * Delivers events: holds endpoints that have something to do, turns their numbered events into deliveries as far
 * as they can be sent soon, sends them, and writes what came back. Endpoints do not wait for one another: each has
 * its own queue and its own places, and what fails keeps one place.
 * Source: docs/design/wire.md#webhook-deliveries; README.md says why.
 */
import { hostname } from 'node:os';
import { setTimeout as rest } from 'node:timers/promises';
import { systemNow } from '../../../platform/db/clock.ts';
import type { Caller } from '../../../platform/net/call.ts';
import type { Services } from '../../../platform/services.ts';
import {
  type AcquiredRow,
  anyFresh,
  firstAttemptDue,
  type HeldRow,
  type Lease,
  lookAtHeld,
} from '../store/leases.ts';
import { loadDue, type QueuedRow } from '../store/queue.ts';
import type { Lane } from '../store/results.ts';
import { allowedNow } from './allowed.ts';
import { attempt, expired } from './attempt.ts';
import { endpointEffect } from './endpoint-effects.ts';
import { fillQueued } from './fill-queued.ts';
import { HeldEndpoint } from './held-endpoint.ts';
import { giveBack, renewLeasesOf } from './holding.ts';
import { type Made, makeDeliveries } from './make-deliveries.ts';
import { ResultWriter } from './result-writer.ts';
import { Search } from './search.ts';
import { Turns } from './turns.ts';
import { settle, waitingInVain } from './waiting.ts';

/** An endpoint without anything to do is given back after this time, so that another worker may have it. */
const IDLE_MS = 1_000;
/** Endpoints whose deliveries are read at the same time: requests need connections as well. */
const FILLS_MAX = 4;
/** What waits in vain is looked for so often. */
const CHECK_MS = 2_000;
/** Attempts under way in this process; beyond it, an endpoint without any still gets its first. */
const FLYING_MAX = 4_000;
/** Deliveries in memory; beyond it, endpoints get only what they can send at once. */
const QUEUED_MAX = 50_000;
const FAN_OUT_MAX = 500;
const DUE_COUNT_MAX = 2_000;
/** Giving back is tried so often, and so far apart, before leases are left to end by themselves. */
const RELEASES_MAX = 20;
const RELEASE_MS = 25;

export interface DelivererOptions {
  readonly services: Services;
  readonly caller: Caller;
  readonly random?: () => number;
}

const isIdle = ({ fresh, due, filling, queue }: HeldEndpoint): boolean =>
  !fresh && !due && !filling && queue.idle && queue.unread.length === 0;

export class Deliverer {
  private readonly services: Services;
  private readonly caller: Caller;
  private readonly random: () => number;
  private readonly owner: string;
  private readonly held = new Map<string, HeldEndpoint>();
  private readonly writer: ResultWriter;
  private readonly schedule: readonly number[];
  private ticking: Promise<unknown> = Promise.resolve();
  private readonly turns = new Turns(FILLS_MAX);
  private readonly search: Search;
  private flying = 0;
  private settled = 0;
  private stopping = false;
  private cut = false;
  /** As many deliveries are in memory as may be. */
  private crowded = false;
  /** While a manual clock is moved everything that is due is tried. */
  private unbroken = false;

  constructor({ services, caller, random = Math.random }: DelivererOptions) {
    this.services = services;
    this.caller = caller;
    this.random = random;
    this.owner = `${hostname()}:${process.pid}:${services.ids.next('job_')}`;
    this.schedule = services.config.WEBHOOK_RETRY_SCHEDULE;
    const { owner } = this;
    this.search = new Search({ services, owner, take: (row, lease) => this.take(row, lease) });
    this.writer = new ResultWriter({
      owner,
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
    this.search.stop();
    await this.ticking;
    for (const { queue, config } of this.held.values()) {
      // Nobody here reads them any more; whoever comes next finds them due.
      for (const objectId of queue.unread) this.writer.unpark(config, objectId);
      queue.clear();
    }
    const until = performance.now() + graceMs;
    while (this.flying > 0 && performance.now() < until) await rest(10);
    // What is cut off here has not failed: whoever takes the endpoint over sends it again, with the same id.
    this.cut = true;
    await this.caller.close();
    await this.writer.drain();
    // Some may be in the hands of a statement that is under way.
    for (let tries = 0; tries < RELEASES_MAX && this.held.size > 0; tries += 1) {
      if (tries > 0) await rest(RELEASE_MS);
      await this.release([...this.held.values()]);
    }
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
    await this.search.look(this.unbroken);
    const queued = [...this.held.values()].reduce((sum, { queue, coming }) => sum + queue.queued + coming, 0);
    this.crowded = queued >= QUEUED_MAX;
    const busy = [...this.held.values()].filter((one) => !isIdle(one));
    for (const one of busy) {
      one.busyAt = systemNow();
      this.launch(one);
      if (one.due || one.fresh) this.fill(one);
    }
    const idle = [...this.held.values()].filter((one) => systemNow() - one.busyAt > IDLE_MS);
    await this.release(idle);
    return busy.length > 0;
  }

  /** Learns what has changed about the endpoints in hand, and which are lost. */
  private async refresh(): Promise<void> {
    if (this.held.size === 0) return;
    const { withSystem, now } = this.services;
    await renewLeasesOf(this.services, this.owner, this.held.values());
    const held = [...this.held.values()].map(({ config }) => config);
    const look = lookAtHeld(this.owner, now(), held, DUE_COUNT_MAX);
    const rows = await withSystem('webhooks', 'read', (db) => db.all(look));
    const mine = new Map(rows.map((row) => [row.endpoint_id, row]));
    for (const [id, one] of this.held) {
      const row = mine.get(id);
      if (row === undefined || one.lost) this.lose(one);
      else await this.renew(one, row);
    }
  }

  private async renew(one: HeldEndpoint, row: HeldRow): Promise<void> {
    try {
      one.update(row);
    } catch (error) {
      this.broken(row.endpoint_id, error);
      this.lose(one);
      return;
    }
    if (one.unsure) await settle(this.services, one);
    else if (row.parked && systemNow() - one.checkedAt > CHECK_MS) await this.check(one);
    one.fresh ||= row.fresh;
    one.due ||= row.due > one.queue.size + one.coming;
  }

  /** A secret that cannot be opened is for the operator to mend; the lease ends by itself. */
  private broken(endpoint_id: string, error: unknown): void {
    const { log } = this.services;
    log.error({ err: (error as Error).message, endpoint_id }, 'the endpoint cannot be delivered to');
  }

  private async check(one: HeldEndpoint): Promise<void> {
    one.checkedAt = systemNow();
    for (const objectId of await waitingInVain(this.services, one)) this.writer.unpark(one.config, objectId);
  }

  private lose(one: HeldEndpoint): void {
    one.lost = true;
    one.queue.clear();
    if (one.queue.idle) this.held.delete(one.config.endpoint_id);
  }

  private async take(row: AcquiredRow, lease: Lease): Promise<void> {
    const { endpoint_id } = row;
    try {
      const one = new HeldEndpoint(row, this.services.secrets, lease);
      this.held.set(endpoint_id, one);
      if (one.unsure) await settle(this.services, one);
      this.launch(one);
    } catch (error) {
      this.broken(endpoint_id, error);
    }
  }

  private async release(endpoints: readonly HeldEndpoint[]): Promise<void> {
    if (endpoints.length === 0) return;
    for (const id of await giveBack(this.services, this.owner, endpoints)) this.held.delete(id);
  }

  /** In its turn, reads deliveries that are due or makes new ones of events, and sends what can be sent. */
  private fill(one: HeldEndpoint): void {
    if (one.filling) return;
    one.filling = true;
    this.turns.add(async () => {
      let read = true;
      try {
        if (one.lost || this.stopping || this.room(one) <= 0) read = false;
        else if (one.due) await this.load(one);
        else read = await this.make(one);
      } catch (error) {
        // The next look tries again.
        [read, one.due] = [false, true];
        this.services.log.warn({ err: (error as Error).message }, 'deliveries could not be read');
      }
      one.filling = false;
      this.launch(one, read);
    });
  }

  private room(one: HeldEndpoint): number {
    const window = this.crowded ? one.places : one.window;
    return window - one.queue.queued;
  }

  private async load(one: HeldEndpoint): Promise<void> {
    const { withSystem, now } = this.services;
    const { seller_id: sellerId, endpoint_id: endpointId } = one.config;
    const max = this.room(one);
    // What was made ahead is due, and read here with everything else. Behind this line nothing is waited for until the
    // statement goes out: what comes free meanwhile would be taken for read, and is due later than its instant.
    const ahead = await one.ahead;
    if (ahead !== undefined) {
      one.coming -= ahead.rows.length;
      one.follows(ahead);
    }
    one.ahead = undefined;
    const { reading } = one;
    const except = one.queue.ids;
    const statement = loadDue({ sellerId, endpointId, now: now(), except, all: one.open, max });
    one.due = false;
    one.queue.reading();
    const rows = await withSystem('webhooks', 'read', (db) => db.all(statement), { lookUp: true });
    this.enqueue(one, await fillQueued(this.services, rows), { reading, read: true });
    one.behind = rows.length === max;
    if (one.behind) one.due = true;
    else one.queue.read();
  }

  /** Those that waited behind a failed event are due: they are read before anything new is made. */
  private freed({ endpoint_id, objectId }: Lane): void {
    const one = this.held.get(endpoint_id);
    if (one === undefined) return;
    one.queue.freed(objectId);
    one.due = true;
    this.fill(one);
  }

  /** Makes deliveries of numbered events; false when none may be made now. */
  private async make(one: HeldEndpoint): Promise<boolean> {
    const allowed = this.unbroken ? FAN_OUT_MAX : await allowedNow(this.services, one);
    const count = Math.min(FAN_OUT_MAX, this.room(one), allowed);
    one.fresh = one.ahead !== undefined;
    if (!one.open || count === 0) return false;
    const { reading } = one;
    const made = (await one.ahead) ?? (await this.fanOut(one, count));
    one.ahead = undefined;
    one.fresh = made.more;
    // While the objects of these are read.
    if (made.more && one.failures === 0 && !this.crowded)
      one.ahead = this.fanOut(one, FAN_OUT_MAX).catch(() => undefined);
    try {
      if (!one.follows(made)) one.due = true;
      else if (this.firstDelay <= 0)
        this.enqueue(one, await fillQueued(this.services, made.rows), { reading, read: false });
    } finally {
      one.coming -= made.rows.length;
    }
    return true;
  }

  private fanOut(one: HeldEndpoint, count: number): Promise<Made> {
    return makeDeliveries(this.services, one, { owner: this.owner, count, firstDelay: this.firstDelay });
  }

  /** Milliseconds from an event to its first attempt. */
  private get firstDelay(): number {
    return (this.schedule[0] ?? 0) * 1_000;
  }

  private enqueue(
    one: HeldEndpoint,
    rows: readonly QueuedRow[],
    { reading, read }: { readonly reading: number; readonly read: boolean },
  ): void {
    if (one.lost || this.stopping) return;
    // Paused while they were read, or passed over by their seller: they stay as they are, and what is left of them is
    // read again before anything newer.
    const wanted = one.open && one.reading === reading ? rows : rows.filter(({ test }) => test);
    if (wanted.length < rows.length) one.due = true;
    for (const row of wanted.filter(({ expired: over }) => over)) {
      this.writer.close(expired(row, this.services.now()));
      if (one.queue.over(row.object_id, row.sequence)) this.writer.unpark(row, row.object_id);
    }
    const waiting = wanted.filter(
      (row) => !row.expired && one.queue.add(row, one.ordered, read) === 'parked',
    );
    this.writer.park(waiting);
  }

  /** Sends as long as there are places and the lease holds; then reads on, where that may help. */
  private launch(one: HeldEndpoint, more = true): void {
    const { queue } = one;
    if (this.stopping || one.leasedUntil < systemNow()) return;
    while (queue.flying < one.places && (this.flying < FLYING_MAX || queue.flying === 0)) {
      const row = queue.take();
      if (row === undefined) break;
      this.flying += 1;
      void this.send(one, row);
    }
    const low = queue.queued < one.window / 2;
    if (more && low && (one.due || one.fresh)) this.fill(one);
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
    if (effect !== undefined) this.writer.effect(row, effect);
    const outcome = decision.status === 'pending' ? 'retry' : 'done';
    const { parked, freed } = one.queue.settle(row, outcome, one.ordered);
    this.writer.park(parked);
    if (freed) this.writer.unpark(row, row.object_id);
    this.launch(one);
  }
}
