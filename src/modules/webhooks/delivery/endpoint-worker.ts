/**
 * Delivers the events of one endpoint while this process holds its lease. The steps of a delivery, in this order:
 * 1. `update`: a poll of the database has found work.
 * 2. `loadBlocked`: the worker loads which objects are blocked.
 * 3. `readDue`, `make`: it reads due deliveries or makes new ones of numbered events.
 * 4. `enqueue`: the deliveries wait in the queue for a free place.
 * 5. `send`, `attempt`: each delivery that gets a place is sent.
 * 6. `conclude`: the result goes to the writer, which reports the commit (`written`).
 * `machine.ts` says in which state each step happens. Source: docs/design/wire.md#webhook-deliveries.
 */
import type { Decision } from '../domain/decide.ts';
import type { OwnedEndpoint } from '../store/endpoints.ts';
import type { AcquiredRow, HeldRow } from '../store/leases.ts';
import type { QueuedRow } from '../store/queue.ts';
import { type Attempt, attempt, expired } from './attempt.ts';
import type { DelivererContext } from './deliverer-context.ts';
import type { Write } from './delivery-store.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { type EndpointEvent, type EndpointState, transition } from './machine.ts';
import { type OpenEndpoint, openEndpoint } from './open-endpoint.ts';
import type { WriteSource } from './result-writer.ts';

/** The time between two searches for orphans. */
const CHECK_MS = 2_000;
/** The most running attempts of the process. Beyond it, an endpoint without a running attempt may start one. */
const ATTEMPTS_MAX = 4_000;
/** The most deliveries in memory. Beyond it, an endpoint reads only what it can send immediately. */
const WAITING_MAX = 50_000;
const MAKE_MAX = 500;
/** The deliveries that a worker has in hand: this number for each place, within these limits. */
const WINDOW_PER_PLACE = 20;
const WINDOW_MIN = 100;
const WINDOW_MAX = 1_000;
/** What is unread in the database: nothing, events without deliveries, or due deliveries and maybe such events. */
const UNREAD = ['nothing', 'events', 'due'] as const;
type Unread = (typeof UNREAD)[number];

/** The statement that runs for this endpoint. One runs at a time, not counting those that complete deliveries. */
interface Task {
  /** The most deliveries that it makes. */
  making: number;
}

export class EndpointWorker implements WriteSource {
  readonly queue = new EndpointQueue();
  state: EndpointState = 'lost';
  /** System time at which the worker entered its state. */
  since = 0;
  /** System time at which the lease ends. */
  leasedUntil = 0;
  private readonly context: DelivererContext;
  private endpoint: OpenEndpoint;
  private unread: Unread = 'events';
  private task: Task | undefined;
  /** Grows when the seller changes what must be sent. The answer to a statement of an earlier generation is stale. */
  private generation = 0;
  /** Events up to this number have deliveries, and this worker has read or made them. */
  private through = 0n;
  private readonly health = new EndpointHealth();
  /** The `status_changed_at` at which the endpoint has answered 410. It is not called until that value changes. */
  private goneAt: string | undefined;
  /** System time of the last search for orphans. */
  private checkedAt = 0;
  /** The number of writes that are not committed yet. */
  private unwritten = 0;
  /** Deliveries whose events lack their objects, and the statements that add these. */
  private readonly completing = new WeakMap<QueuedRow, Promise<void>>();

  /** @throws Error if no key opens the secret of the endpoint */
  constructor(row: OwnedEndpoint, context: DelivererContext) {
    this.context = context;
    this.endpoint = openEndpoint(row, context.secrets);
  }

  /** Whether the worker makes progress without a poll: a statement or an attempt runs, or a delivery waits for a place. */
  get isBusy(): boolean {
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
    return this.leasedUntil >= this.context.timing.now();
  }

  /** Whether events may be sent to the endpoint. Test events may always be sent. */
  private get takesEvents(): boolean {
    return this.row.status === 'active' && this.goneAt !== this.row.status_changed_at;
  }

  private get places(): number {
    return this.health.places(this.row.max_concurrency);
  }

  /** How many deliveries to have in hand: many if many are due, because each read skips those in hand. */
  private get window(): number {
    if (this.context.waiting >= WAITING_MAX) return this.places;
    if (this.unread === 'due') return WINDOW_MAX;
    return Math.min(WINDOW_MAX, Math.max(WINDOW_MIN, this.row.max_concurrency * WINDOW_PER_PLACE));
  }

  fire(event: EndpointEvent): void {
    const found = transition(this.state, event);
    if (found === undefined) return;
    if (found.to !== this.state) this.since = this.context.timing.now();
    this.state = found.to;
    for (const effect of found.effects) this[effect]();
  }

  /**
   * Starts to work after the process has taken the lease.
   *
   * @throws Error if no key opens the secret of the endpoint
   */
  start(row: AcquiredRow, leasedUntil: number): void {
    this.endpoint = openEndpoint(row, this.context.secrets);
    this.leasedUntil = leasedUntil;
    this.health.reset(row);
    this.through = row.fanned_through;
    this.unread = 'events';
    this.checkedAt = this.context.timing.now();
    this.fire('lease_taken');
    // An endpoint without open deliveries has no blocked objects to load.
    this.fire(row.open || !this.queue.isEmpty ? 'lease_confirmed' : 'blocked_loaded');
  }

  /**
   * Takes over what a poll has read about the endpoint.
   *
   * @throws Error if no key opens the secret of the endpoint
   */
  update(row: HeldRow): void {
    this.change(row);
    const making = this.task?.making ?? 0;
    if (row.due > this.queue.size + making) this.addUnread('due');
    else if (row.fresh) this.addUnread('events');
    if (row.parked && this.state !== 'preparing') this.freeOrphans();
    this.fire('lease_confirmed');
    if (this.unread !== 'nothing') this.fire('work_found');
  }

  private change(row: OwnedEndpoint): void {
    const { version, status, status_changed_at, ordering } = this.row;
    if (row.version === version && row.status === status) return;
    this.endpoint = openEndpoint(row, this.context.secrets);
    // After a pause and a resume between two polls, the status is the same.
    const statusChanged = row.status !== status || row.status_changed_at !== status_changed_at;
    if (statusChanged) this.health.reset(row);
    if (statusChanged || row.ordering !== ordering) this.fire('changed');
  }

  private addUnread(level: Unread): void {
    if (UNREAD.indexOf(level) > UNREAD.indexOf(this.unread)) this.unread = level;
  }

  /** Makes orphans due. A seller may have skipped the event that they waited for. */
  private freeOrphans(): void {
    const { timing, limitStatements, store } = this.context;
    if (timing.now() - this.checkedAt <= CHECK_MS) return;
    this.checkedAt = timing.now();
    const { generation } = this;
    const free = async (): Promise<void> => {
      const { blocked } = this.queue;
      await store.freeOrphans(this.row);
      if (!this.ordered || blocked.size === 0) return;
      const ended = await store.endedEvents(this.row, blocked);
      if (generation !== this.generation) return;
      for (const [object_id, sequence] of ended)
        if (this.queue.eventHasEnded(object_id, sequence)) this.write({ kind: 'free', object_id });
    };
    void limitStatements(free).catch((error: unknown) => this.warn(error));
  }

  private warn(error: unknown): void {
    const { endpoint_id } = this.row;
    this.context.log.warn({ err: (error as Error).message, endpoint_id }, 'deliveries could not be read');
  }

  /**
   * Runs a statement for this endpoint, unless one is running.
   *
   * @param run executes the statement. The function that it returns is called with the answer, unless that is stale.
   */
  private runStatement(run: (task: Task) => Promise<() => EndpointEvent>): void {
    if (this.task !== undefined) return;
    const { generation } = this;
    const task: Task = { making: 0 };
    this.task = task;
    const stale = (): boolean => generation !== this.generation;
    void this.context
      .limitStatements(async () => (stale() ? undefined : run(task)))
      .catch((error: unknown) => {
        this.warn(error);
        this.addUnread('due');
        return (): EndpointEvent => 'read_stopped';
      })
      .then((useAnswer) => {
        this.task = undefined;
        this.fire(useAnswer === undefined || stale() ? 'stale' : useAnswer());
      });
  }

  private drop(): void {
    this.generation += 1;
    this.queue.drop();
  }

  private loadBlocked(): void {
    // Results that are not written yet may change which objects are blocked.
    if (this.unwritten > 0) return;
    this.runStatement(async () => {
      const blocked = await this.context.store.loadBlocked(this.row);
      return () => {
        this.queue.block(blocked);
        // Due deliveries are read before new ones are made.
        this.unread = 'due';
        return 'blocked_loaded';
      };
    });
  }

  private read(): void {
    this.runStatement((task) => {
      const room = this.window - this.queue.waiting;
      if (room <= 0) return Promise.resolve(() => 'read_stopped');
      return this.unread === 'due' ? this.readDue(room) : this.make(room, task);
    });
  }

  private async readDue(max: number): Promise<() => EndpointEvent> {
    const { seller_id, endpoint_id } = this.row;
    // If another delivery becomes due while the statement runs, `unread` is set to `due` again.
    this.unread = 'events';
    this.queue.beginRead();
    const wanted = { seller_id, endpoint_id, except: this.queue.ids, all: this.takesEvents, max };
    const rows = await this.context.store.readDue(wanted);
    return () => {
      this.enqueue(rows, true);
      if (rows.length === max) this.addUnread('due');
      else this.queue.endRead();
      return 'read';
    };
  }

  private async make(room: number, task: Task): Promise<() => EndpointEvent> {
    const { owner, store, now, timing } = this.context;
    this.unread = 'nothing';
    const count = this.takesEvents
      ? Math.min(MAKE_MAX, room, await this.health.newEventsMax(this.context, this.row))
      : 0;
    if (count === 0) return () => 'read_stopped';
    task.making = count;
    const firstDelay = (this.context.schedule[0] ?? 0) * 1_000;
    // The first delay has no jitter, so the first attempts keep the order of the events.
    const step = { ...this.row, owner, firstAttemptAt: now() + firstDelay };
    const made = await store.makeDeliveries(step, count);
    return () => {
      const rows = made.filter((one) => one.delivery_id !== null);
      if (rows.length > 0) this.health.triedAt = timing.now();
      const [head] = made;
      if (head?.more === true) this.addUnread('events');
      // If the answer to an earlier statement was lost, the older deliveries that it made must be read first.
      const isNext = head === undefined || head.after === this.through;
      this.through = head?.through ?? this.through;
      if (!isNext) this.addUnread('due');
      else if (firstDelay <= 0) this.enqueue(rows, false);
      return 'read';
    };
  }

  private enqueue(rows: readonly QueuedRow[], wasDue: boolean): void {
    const { now } = this.context;
    const incomplete: QueuedRow[] = [];
    const writes: Write[] = [];
    for (const row of rows) {
      const { delivery_id, object_id, sequence } = row;
      if (row.expired) {
        writes.push({ kind: 'expired', result: expired(row, now()) });
        if (this.queue.eventHasEnded(object_id, sequence)) writes.push({ kind: 'free', object_id });
        continue;
      }
      const added = this.queue.add(row, this.ordered, wasDue);
      if (added === 'parked') writes.push({ kind: 'park', delivery_id });
      else if (added === 'taken' && row.data === null && !row.test) incomplete.push(row);
    }
    this.write(...writes);
    if (incomplete.length > 0) this.complete(incomplete);
  }

  /** Loads the objects of events that were written without them. */
  private complete(rows: readonly QueuedRow[]): void {
    const { store, limitStatements } = this.context;
    const done = limitStatements(() => store.complete(rows));
    // The attempts that wait for `done` handle the failure; this only logs it.
    done.catch((error: unknown) => this.warn(error));
    for (const row of rows) this.completing.set(row, done);
  }

  private send(): void {
    const { context, queue } = this;
    if (!this.leaseHolds) return;
    while (queue.attempting < this.places && (context.attempting < ATTEMPTS_MAX || queue.attempting === 0)) {
      const row = queue.take();
      if (row === undefined) return;
      context.attempting += 1;
      void this.attempt(row);
    }
  }

  private async attempt(row: QueuedRow): Promise<void> {
    const { context } = this;
    const completing = this.completing.get(row);
    if (completing !== undefined && !(await this.mayStillSend(completing))) {
      context.attempting -= 1;
      // First drop the waiting deliveries: no later one of the object may be sent before this one is read again.
      this.fire('changed');
      this.queue.abandon(row);
      return;
    }
    const attempted = await attempt(context, this.endpoint, row);
    context.attempting -= 1;
    if (context.phase !== 'cut') this.conclude(row, attempted);
  }

  /** Waits until a delivery is complete. @returns whether it is complete and may be sent */
  private async mayStillSend(completing: Promise<void>): Promise<boolean> {
    const { generation } = this;
    const complete = await completing.then(
      () => true,
      () => false,
    );
    return complete && generation === this.generation && this.leaseHolds;
  }

  private conclude(row: QueuedRow, { result, decision }: Attempt): void {
    this.context.attempted += 1;
    const outcome = decision.status === 'pending' ? 'retry' : 'done';
    const { parked, freed } = this.queue.finish(row, outcome, this.ordered);
    const writes: Write[] = [{ kind: 'attempt', result }];
    writes.push(...this.noteHealth(decision.endpoint));
    for (const { delivery_id } of parked) writes.push({ kind: 'park', delivery_id });
    if (freed) writes.push({ kind: 'free', object_id: row.object_id });
    this.write(...writes);
    this.fire('attempt_ended');
  }

  /** @returns the write that marks the endpoint as failing, healthy or gone, if that is new */
  private noteHealth(verdict: Decision['endpoint']): readonly Write[] {
    if (verdict === 'gone') {
      this.goneAt = this.row.status_changed_at;
      this.fire('changed');
      return [{ kind: 'disable' }];
    }
    const mark = this.health.note(verdict, this.context.now());
    return mark === undefined ? [] : [mark];
  }

  private write(...writes: readonly Write[]): void {
    this.unwritten += writes.length;
    this.context.writer.add(this, ...writes);
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
      this.addUnread('due');
      this.fire('work_found');
    }
    this.fire('written');
  }

  private checkLow(): void {
    if (this.unread === 'nothing') this.checkEmpty();
    else if (this.queue.waiting < this.window / 2) this.fire('ran_low');
  }

  private checkEmpty(): void {
    const empty = this.queue.isEmpty && this.queue.freedObjects.length === 0;
    if (this.unread === 'nothing' && empty) this.fire('ran_empty');
  }

  private makeFreedDue(): void {
    for (const object_id of this.queue.freedObjects) this.write({ kind: 'free', object_id });
  }
}
