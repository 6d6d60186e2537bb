/**
 * Delivers the events of one endpoint while this process holds its lease. The walk of a delivery, from top to bottom:
 * a look at the database finds work (`look`); the worker learns which objects are blocked (`learn`); it reads due
 * deliveries (`readDue`) or makes new ones of numbered events (`make`); they wait in the queue (`enqueue`) until a
 * place is free (`send`); each is sent (`attempt`); what came back goes to the writer (`conclude`), which says when it
 * is committed (`written`). `machine.ts` says in which state which of these happens. Source: docs/design/wire.md#webhook-deliveries.
 */
import type { Decision } from '../domain/decide.ts';
import type { OwnedEndpoint } from '../store/endpoints.ts';
import type { AcquiredRow, HeldRow } from '../store/leases.ts';
import type { QueuedRow } from '../store/queue.ts';
import { type Attempt, attempt, expired } from './attempt.ts';
import type { Write } from './delivery-store.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { type EndpointEvent, type EndpointState, transition } from './machine.ts';
import { type OpenEndpoint, openEndpoint } from './open-endpoint.ts';
import type { WriteSource } from './result-writer.ts';
import type { Shared } from './shared.ts';

/** A worker looks so often whether parked deliveries wait behind nothing. */
const CHECK_MS = 2_000;
/** Running attempts of the process; beyond it, an endpoint without any still gets its first. */
const ATTEMPTS_MAX = 4_000;
/** Deliveries in memory; beyond it, endpoints get only what they can send at once. */
const WAITING_MAX = 50_000;
const MAKE_MAX = 500;
/** Deliveries to have in hand: so many for each place, within these bounds. */
const WINDOW_PER_PLACE = 20;
const WINDOW_MIN = 100;
const WINDOW_MAX = 1_000;
/** What is left in the database: nothing; events without deliveries; or deliveries that are due, and then perhaps events. */
const UNREAD = ['nothing', 'events', 'due'] as const;
type Unread = (typeof UNREAD)[number];

/** A statement that runs for this endpoint; at most one, besides those that complete deliveries. */
interface Task {
  /** Deliveries that it makes, at most. */
  making: number;
}

export class EndpointWorker implements WriteSource {
  readonly queue = new EndpointQueue();
  state: EndpointState = 'lost';
  /** System time at which the state was entered, and at which the lease ends. */
  since = 0;
  leasedUntil = 0;
  private readonly shared: Shared;
  private endpoint: OpenEndpoint;
  private unread: Unread = 'events';
  private task: Task | undefined;
  /** Grows when the seller changes what is to be sent: what a statement brings of an older generation is stale. */
  private generation = 0;
  /** Events up to this number have deliveries that were made or read here. */
  private through = 0n;
  private readonly health = new EndpointHealth();
  /** The `status_changed_at` at which the endpoint has answered 410; it is not called until that has changed. */
  private goneAt: string | undefined;
  /** System time of the last search for orphans. */
  private checkedAt = 0;
  /** Results and other writes that are not committed yet. */
  private unwritten = 0;
  /** Deliveries whose events were written without their objects, until these are there. */
  private readonly completing = new WeakMap<QueuedRow, Promise<void>>();

  /** @throws Error for a secret that no present key opens */
  constructor(row: OwnedEndpoint, shared: Shared) {
    this.shared = shared;
    this.endpoint = openEndpoint(row, shared.secrets);
  }

  /** Something happens without another look: a statement, an attempt, or a delivery that has a place soon. */
  get isMoving(): boolean {
    const waits = this.queue.waiting > 0 && this.leaseHolds;
    return this.task !== undefined || this.queue.attempting > 0 || waits;
  }

  get row(): OwnedEndpoint {
    return this.endpoint.row;
  }

  private get ordered(): boolean {
    return this.row.ordering === 'per_object';
  }

  private get leaseHolds(): boolean {
    return this.leasedUntil >= this.shared.timing.now();
  }

  /** Events may be sent; tests always may. */
  private get isOpen(): boolean {
    return this.row.status === 'active' && this.goneAt !== this.row.status_changed_at;
  }

  private get places(): number {
    return this.health.places(this.row.max_concurrency);
  }

  /** Deliveries to have in hand: many where many are due, because each page is read past those in hand. */
  private get window(): number {
    if (this.shared.waiting >= WAITING_MAX) return this.places;
    if (this.unread === 'due') return WINDOW_MAX;
    return Math.min(WINDOW_MAX, Math.max(WINDOW_MIN, this.row.max_concurrency * WINDOW_PER_PLACE));
  }

  fire(event: EndpointEvent): void {
    const found = transition(this.state, event);
    if (found === undefined) return;
    if (found.to !== this.state) this.since = this.shared.timing.now();
    this.state = found.to;
    for (const effect of found.effects) this[effect]();
  }

  /**
   * Begins to work after the lease was taken.
   *
   * @throws Error for a secret that no present key opens
   */
  take(row: AcquiredRow, leasedUntil: number): void {
    this.endpoint = openEndpoint(row, this.shared.secrets);
    this.leasedUntil = leasedUntil;
    this.health.reset(row);
    this.through = row.fanned_through;
    this.unread = 'events';
    this.checkedAt = this.shared.timing.now();
    this.fire('lease_taken');
    // Without open deliveries no object is blocked.
    this.fire(row.open || !this.queue.isEmpty ? 'looked' : 'learned');
  }

  /**
   * Takes over what a look at the database has found.
   *
   * @throws Error for a secret that no present key opens
   */
  look(row: HeldRow): void {
    this.change(row);
    const making = this.task?.making ?? 0;
    if (row.due > this.queue.size + making) this.need('due');
    else if (row.fresh) this.need('events');
    if (row.parked && this.state !== 'settling') this.freeOrphans();
    this.fire('looked');
    if (this.unread !== 'nothing') this.fire('work_found');
  }

  private change(row: OwnedEndpoint): void {
    const { version, status, status_changed_at, ordering } = this.row;
    if (row.version === version && row.status === status) return;
    this.endpoint = openEndpoint(row, this.shared.secrets);
    // A pause and a resume between two looks leave the same status.
    const moved = row.status !== status || row.status_changed_at !== status_changed_at;
    if (moved) this.health.reset(row);
    if (moved || row.ordering !== ordering) this.fire('changed');
  }

  private need(level: Unread): void {
    if (UNREAD.indexOf(level) > UNREAD.indexOf(this.unread)) this.unread = level;
  }

  /** Makes deliveries due that wait behind nothing: a seller may have skipped the event that they wait for. */
  private freeOrphans(): void {
    const { timing, turns, store } = this.shared;
    if (timing.now() - this.checkedAt <= CHECK_MS) return;
    this.checkedAt = timing.now();
    const { generation } = this;
    const free = async (): Promise<void> => {
      const { blocked } = this.queue;
      await store.freeOrphans(this.row);
      if (!this.ordered || blocked.size === 0) return;
      const over = await store.eventsOver(this.row, blocked);
      if (generation !== this.generation) return;
      for (const [object_id, sequence] of over)
        if (this.queue.eventIsOver(object_id, sequence)) this.write({ kind: 'free', object_id });
    };
    void turns.run(free).catch((error: unknown) => this.warn(error));
  }

  private warn(error: unknown): void {
    const { endpoint_id } = this.row;
    this.shared.log.warn({ err: (error as Error).message, endpoint_id }, 'deliveries could not be read');
  }

  /**
   * Runs one statement after another for this endpoint.
   *
   * @param run asks the database; the function it returns takes over the answer, unless that is stale
   */
  private work(run: (task: Task) => Promise<() => EndpointEvent>): void {
    if (this.task !== undefined) return;
    const { generation } = this;
    const task: Task = { making: 0 };
    this.task = task;
    const stale = (): boolean => generation !== this.generation;
    void this.shared.turns
      .run(async () => (stale() ? undefined : run(task)))
      .catch((error: unknown) => {
        this.warn(error);
        this.need('due');
        return (): EndpointEvent => 'read_stopped';
      })
      .then((takeOver) => {
        this.task = undefined;
        this.fire(takeOver === undefined || stale() ? 'stale' : takeOver());
      });
  }

  private drop(): void {
    this.generation += 1;
    this.queue.drop();
  }

  private learn(): void {
    // The database does not know yet what is over, or begins to wait.
    if (this.unwritten > 0) return;
    this.work(async () => {
      const blocked = await this.shared.store.learnBlocked(this.row);
      return () => {
        this.queue.block(blocked);
        // What is due is read before anything new is made.
        this.unread = 'due';
        return 'learned';
      };
    });
  }

  private read(): void {
    this.work((task) => {
      const room = this.window - this.queue.waiting;
      if (room <= 0) return Promise.resolve(() => 'read_stopped');
      return this.unread === 'due' ? this.readDue(room) : this.make(room, task);
    });
  }

  private async readDue(max: number): Promise<() => EndpointEvent> {
    const { seller_id, endpoint_id } = this.row;
    // What becomes due while the statement runs says so again.
    this.unread = 'events';
    this.queue.beginRead();
    const wanted = { seller_id, endpoint_id, except: this.queue.ids, all: this.isOpen, max };
    const rows = await this.shared.store.readDue(wanted);
    return () => {
      this.enqueue(rows, true);
      if (rows.length === max) this.need('due');
      else this.queue.endRead();
      return 'read';
    };
  }

  private async make(room: number, task: Task): Promise<() => EndpointEvent> {
    const { owner, store, now, timing } = this.shared;
    this.unread = 'nothing';
    const count = this.isOpen
      ? Math.min(MAKE_MAX, room, await this.health.newEventsMax(this.shared, this.row))
      : 0;
    if (count === 0) return () => 'read_stopped';
    task.making = count;
    const firstDelay = (this.shared.schedule[0] ?? 0) * 1_000;
    // Without jitter: the first attempts keep the order of the events.
    const step = { ...this.row, owner, firstAttemptAt: now() + firstDelay };
    const made = await store.makeDeliveries(step, count);
    return () => {
      const rows = made.filter((one) => one.delivery_id !== null);
      if (rows.length > 0) this.health.triedAt = timing.now();
      const [head] = made;
      if (head?.more === true) this.need('events');
      // The answer of a step before this one was lost: its deliveries are older, and due.
      const isNext = head === undefined || head.after === this.through;
      this.through = head?.through ?? this.through;
      if (!isNext) this.need('due');
      else if (firstDelay <= 0) this.enqueue(rows, false);
      return 'read';
    };
  }

  private enqueue(rows: readonly QueuedRow[], wasDue: boolean): void {
    const { now } = this.shared;
    const bare: QueuedRow[] = [];
    const writes: Write[] = [];
    for (const row of rows) {
      const { delivery_id, object_id, sequence } = row;
      if (row.expired) {
        writes.push({ kind: 'expired', result: expired(row, now()) });
        if (this.queue.eventIsOver(object_id, sequence)) writes.push({ kind: 'free', object_id });
        continue;
      }
      const added = this.queue.add(row, this.ordered, wasDue);
      if (added === 'parked') writes.push({ kind: 'park', delivery_id });
      else if (added === 'taken' && row.data === null && !row.test) bare.push(row);
    }
    this.write(...writes);
    if (bare.length > 0) this.complete(bare);
  }

  private complete(bare: readonly QueuedRow[]): void {
    const { store, turns } = this.shared;
    const done = turns.run(() => store.complete(bare));
    // An attempt that waits for it sees the failure.
    done.catch((error: unknown) => this.warn(error));
    for (const row of bare) this.completing.set(row, done);
  }

  private send(): void {
    const { shared, queue } = this;
    if (!this.leaseHolds) return;
    while (queue.attempting < this.places && (shared.attempting < ATTEMPTS_MAX || queue.attempting === 0)) {
      const row = queue.take();
      if (row === undefined) return;
      shared.attempting += 1;
      void this.attempt(row);
    }
  }

  private async attempt(row: QueuedRow): Promise<void> {
    const { shared } = this;
    const completing = this.completing.get(row);
    if (completing !== undefined && !(await this.mayStillSend(completing))) {
      shared.attempting -= 1;
      // First everything that waits: nothing later of the object may go before this one is read again.
      this.fire('changed');
      this.queue.abandon(row);
      return;
    }
    const attempted = await attempt(shared, this.endpoint, row);
    shared.attempting -= 1;
    if (shared.phase !== 'cut') this.conclude(row, attempted);
  }

  /** Waits until a delivery is complete. */
  private async mayStillSend(completing: Promise<void>): Promise<boolean> {
    const { generation } = this;
    const complete = await completing.then(
      () => true,
      () => false,
    );
    return complete && generation === this.generation && this.leaseHolds;
  }

  private conclude(row: QueuedRow, { result, decision }: Attempt): void {
    this.shared.attempted += 1;
    const outcome = decision.status === 'pending' ? 'retry' : 'done';
    const { parked, freed } = this.queue.finish(row, outcome, this.ordered);
    const writes: Write[] = [{ kind: 'attempt', result }];
    writes.push(...this.marksOf(decision.endpoint));
    for (const { delivery_id } of parked) writes.push({ kind: 'park', delivery_id });
    if (freed) writes.push({ kind: 'free', object_id: row.object_id });
    this.write(...writes);
    this.fire('attempt_over');
  }

  /** What an attempt says about the endpoint, where that is new. */
  private marksOf(said: Decision['endpoint']): readonly Write[] {
    if (said === 'gone') {
      this.goneAt = this.row.status_changed_at;
      this.fire('changed');
      return [{ kind: 'disable' }];
    }
    const mark = this.health.note(said, this.shared.now());
    return mark === undefined ? [] : [mark];
  }

  private write(...writes: readonly Write[]): void {
    this.unwritten += writes.length;
    this.shared.writer.add(this, ...writes);
  }

  written(writes: readonly Write[]): void {
    this.unwritten -= writes.length;
    let freed = false;
    for (const write of writes) {
      if (write.kind === 'attempt' || write.kind === 'expired') this.queue.release(write.result.delivery_id);
      if (write.kind !== 'free') continue;
      this.queue.objectIsFreed(write.object_id);
      freed = true;
    }
    if (freed) {
      this.need('due');
      this.fire('work_found');
    }
    this.fire('written');
  }

  private refill(): void {
    if (this.unread === 'nothing') this.rest();
    else if (this.queue.waiting < this.window / 2) this.fire('ran_low');
  }

  private rest(): void {
    const empty = this.queue.isEmpty && this.queue.freedObjects.length === 0;
    if (this.unread === 'nothing' && empty) this.fire('ran_empty');
  }

  private handOver(): void {
    for (const object_id of this.queue.freedObjects) this.write({ kind: 'free', object_id });
  }
}
