/**
 * Runs the real deliverer in memory, with a model of its processes, the database, a receiver, a seller and the clock. A
 * list of random numbers decides what happens next. Each request that is sent is checked against the rules.
 */
import { createIds } from '../../../kernel/ids.ts';
import type { Call, Caller, CallResult } from '../../../platform/net/call.ts';
import { Deliverer } from '../delivery/deliverer.ts';
import type { DeliveryStore } from '../delivery/delivery-store.ts';
import type { HeldRow } from '../store/leases.ts';
import { ModelSeller } from './model-seller.ts';
import { createModelStore, ModelDatabase, type Schedule, type StoredDelivery } from './model-store.ts';

const START = Date.UTC(2026, 5, 28);
const PROCESSES = 2;
const POLL_MS = 150;
/** Seconds before each attempt. The schedule is short, so that some deliveries use up their attempts. */
export const SCHEDULE = [0, 1, 2, 5];

type Headers = Readonly<Record<string, string>>;
/** The answers of the receiver, each for random numbers below its limit. From 97 to 99 the connection is lost. */
const ANSWERS: readonly (readonly [number, readonly [number, Headers?]])[] = [
  [60, [204]],
  [85, [500]],
  [92, [503, { 'retry-after': '4' }]],
  [95, [500, { 'webhook-delivery': 'abort-message' }]],
  [97, [410]],
];

/** One transaction of a process. First it happens, later its answer arrives. */
interface Operation {
  readonly process: Process;
  readonly name: string;
  happen: (() => void) | undefined;
  answer: () => void;
  refuse: (error: Error) => void;
}
interface Timer {
  readonly process: Process;
  readonly at: number;
  readonly ring: () => void;
}
interface Request {
  readonly process: Process;
  readonly delivery: StoredDelivery;
  readonly at: number;
  readonly answer: (result: CallResult) => void;
}
interface Process {
  /** The name of the process in leases. */
  readonly owner: string;
  readonly name: string;
  readonly deliverer: Deliverer;
  isPolling: boolean;
  /** The status of each endpoint at the last poll; undefined if the process does not hold the lease. */
  readonly known: Map<string, HeldRow['status'] | undefined>;
}

const flush = async (): Promise<void> => {
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
};

export class World {
  now = START;
  readonly database = new ModelDatabase(() => this.now);
  private readonly seller: ModelSeller;
  /** The violations of rules. The test expects none. */
  readonly broken: string[] = [];
  /** The log of the run, which a failed test shows. */
  readonly story: string[] = [];
  sent = 0;
  private readonly numbers: readonly number[];
  private next = 0;
  private operations: Operation[] = [];
  private timers: Timer[] = [];
  private requests: Request[] = [];
  private processes: Process[] = [];
  private started = 0;

  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
    const chance = {
      number: (below: number) => this.number(below),
      pick: <T>(from: readonly T[]) => this.pick(from),
    };
    this.seller = new ModelSeller(
      this.database,
      chance,
      () => this.now,
      (text) => this.say(text),
    );
    this.database.addEndpoint(1);
    this.database.addEndpoint(5);
    while (this.processes.length < PROCESSES) this.start();
  }

  async run(): Promise<void> {
    while (this.next < this.numbers.length) {
      this.step();
      await flush();
    }
  }

  /** Runs on without faults. @returns the milliseconds until all deliveries have ended */
  async calm(limitMs: number): Promise<number> {
    const from = this.now;
    this.database.inStanding = true;
    for (const found of this.database.endpoints.values()) found.locked = false;
    this.say('it is calm');
    while (this.openWork().length > 0 && this.now - from <= limitMs) {
      // A 410 that was answered earlier may be written only now, so endpoints are resumed repeatedly.
      for (const [id, { row }] of this.database.endpoints)
        if (row.status !== 'deleted') this.seller.resume(id, false);
      for (const one of this.processes) if ((this.now - from) % POLL_MS === 0) this.poll(one);
      for (let quiet = false; !quiet; await flush()) quiet = !this.settleAll();
      this.pass(10);
      await flush();
    }
    return this.now - from;
  }

  /** The open deliveries, and the endpoints with events that have no deliveries. */
  openWork(): string[] {
    const behind = [...this.database.endpoints.values()].filter(
      ({ row }) => row.status !== 'deleted' && row.fanned_through < this.database.last,
    );
    const open = [...this.database.deliveries.values()].filter(({ status }) => status === 'pending');
    return [
      ...behind.map(({ row }) => `${row.endpoint_id} is at ${row.fanned_through}`),
      ...open.map((one) => `${one.delivery_id} (${one.sequence}) is open`),
    ];
  }

  private settleAll(): boolean {
    const [operation] = this.operations;
    if (operation !== undefined) this.advance(operation, 99);
    const [request] = this.requests;
    if (request !== undefined)
      this.answerRequest(request, { status: 204, headers: {}, head: Buffer.alloc(0) });
    return operation !== undefined || request !== undefined;
  }

  private say(text: string): void {
    this.story.push(`${((this.now - START) / 1_000).toFixed(3)} ${text}`);
  }

  private number(below: number): number {
    const value = this.numbers[this.next] ?? 0;
    this.next += 1;
    return value % below;
  }

  private pick<T>(from: readonly T[]): T | undefined {
    return from[this.number(Math.max(1, from.length))];
  }

  private step(): void {
    const what = this.number(100);
    if (what < 50) this.advance(this.pick(this.operations), this.number(100));
    else if (what < 66) this.answerByChance(this.pick(this.requests));
    else if (what < 78) this.poll(this.pick(this.processes));
    else if (what < 87) this.pass([5, 150, 1_000, 3_000][this.number(4)] ?? 0);
    else if (what < 99) this.seller.act();
    else this.disaster();
  }

  private pass(ms: number): void {
    this.now += ms;
    const due = this.timers.filter(({ at }) => at <= this.now);
    this.timers = this.timers.filter(({ at }) => at > this.now);
    for (const { ring } of due) ring();
    for (const request of this.requests.filter(({ at }) => at + 15_000 <= this.now))
      this.answerRequest(request, { error: 'timeout' });
  }

  private poll(process: Process | undefined): void {
    if (process === undefined || process.isPolling) return;
    process.isPolling = true;
    const end = (): void => {
      process.isPolling = false;
    };
    process.deliverer.poll().then(end, end);
  }

  // The database.

  private advance(operation: Operation | undefined, chance: number): void {
    if (operation === undefined) return;
    const { name, process, happen } = operation;
    if (happen !== undefined && chance >= 5) {
      operation.happen = undefined;
      happen();
      this.say(`  ${process.name}: ${name}`);
      // The answer may arrive much later.
      if (chance < 60) return;
    }
    this.operations = this.operations.filter((one) => one !== operation);
    if (chance >= 8) operation.answer();
    else operation.refuse(new Error('the database is away'));
    const ends = chance < 5 ? 'is refused' : 'loses its answer';
    this.say(`  ${process.name}: ${name} ${chance < 8 ? ends : 'answers'}`);
  }

  private scheduleOf(process: () => Process): Schedule {
    return <T>(name: string, run: () => T) =>
      new Promise<T>((resolve, reject) => {
        const operation: Operation = {
          process: process(),
          name,
          refuse: reject,
          answer: () => undefined,
          happen: () => {
            try {
              const value = run();
              operation.answer = () => resolve(value);
            } catch (error) {
              operation.answer = () => reject(error);
            }
          },
        };
        this.operations.push(operation);
      });
  }

  // The receiver.

  private post(process: Process, { url, headers }: Call): Promise<CallResult> {
    const delivery = this.database.deliveries.get(headers['webhook-id'] ?? '');
    if (delivery === undefined) throw new Error('an unknown delivery is sent');
    this.sent += 1;
    this.say(
      `${process.name} sends ${delivery.delivery_id} (${delivery.object_id} ${delivery.sequence}) to ${delivery.endpoint_id}`,
    );
    this.checkSend(process, delivery, url.pathname.slice(1));
    return new Promise((answer) => this.requests.push({ process, delivery, at: this.now, answer }));
  }

  private checkSend(process: Process, delivery: StoredDelivery, endpointId: string): void {
    const { lease, row } = this.database.endpoint(endpointId);
    const what = `${process.name} sends ${delivery.delivery_id} (${delivery.sequence}) to ${endpointId}`;
    if (lease?.owner !== process.owner) this.broken.push(`${what} without the lease`);
    const known = process.known.get(endpointId);
    if (known === undefined)
      this.broken.push(`${what} and knows that the lease is lost, or the endpoint deleted`);
    if (known !== 'active' && !delivery.test) this.broken.push(`${what} and knows that it is ${known}`);
    const before = [...this.database.deliveries.values()].find(
      (one) =>
        one.endpoint_id === endpointId &&
        one.object_id === delivery.object_id &&
        one.sequence < delivery.sequence &&
        !one.handled &&
        !one.test,
    );
    if (before !== undefined && row.ordering === 'per_object' && !delivery.test && !delivery.handled)
      this.broken.push(`${what} before ${before.delivery_id} (${before.sequence})`);
  }

  private answerByChance(request: Request | undefined): void {
    if (request === undefined) return;
    const chance = this.number(100);
    const [status, headers = {}] = ANSWERS.find(([below]) => chance < below)?.[1] ?? [];
    if (status === undefined) this.answerRequest(request, { error: 'connection_lost' });
    else this.answerRequest(request, { status, headers, head: Buffer.alloc(0) });
  }

  private answerRequest(request: Request, result: CallResult): void {
    this.requests = this.requests.filter((one) => one !== request);
    const { delivery, process } = request;
    const status = 'status' in result ? result.status : undefined;
    this.say(`${delivery.delivery_id} is answered to ${process.name} with ${status ?? 'nothing'}`);
    const isLast = delivery.step + 1 >= SCHEDULE.length || delivery.test;
    const isAborted = 'headers' in result && result.headers['webhook-delivery'] !== undefined;
    if (status === 204 || isAborted || (isLast && status !== 410)) delivery.handled = true;
    request.answer(result);
  }

  // Processes.

  private start(): void {
    this.started += 1;
    const known: Process['known'] = new Map();
    const self = (): Process => process;
    const store = this.observed(
      createModelStore(this.database, () => this.now, this.scheduleOf(self)),
      known,
    );
    const caller: Caller = { post: (call) => this.post(process, call), close: async () => undefined };
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    };
    const timing = {
      now: () => this.now,
      elapsed: () => this.now,
      wait: (ms: number) =>
        new Promise<void>((ring) => this.timers.push({ process, at: this.now + Math.max(1, ms), ring })),
    };
    const services = {
      ...{ log, now: () => this.now, ids: createIds(() => this.now) },
      config: { WEBHOOK_RETRY_SCHEDULE: SCHEDULE },
      secrets: { open: (sealed: string) => sealed },
    };
    const deliverer = new Deliverer({ services, store, caller, timing, random: () => 0.5 });
    const process: Process = {
      owner: deliverer.owner,
      name: `worker ${this.started}`,
      deliverer,
      isPolling: false,
      known,
    };
    this.processes.push(process);
  }

  /** Records the last answer about each endpoint. */
  private observed(store: DeliveryStore, known: Process['known']): DeliveryStore {
    return {
      ...store,
      acquire: async (...args) => {
        const rows = await store.acquire(...args);
        for (const { endpoint_id, status } of rows) known.set(endpoint_id, status);
        return rows;
      },
      readHeld: async (owner, keys) => {
        const rows = await store.readHeld(owner, keys);
        for (const { endpoint_id } of keys) known.delete(endpoint_id);
        for (const { endpoint_id, status } of rows) known.set(endpoint_id, status);
        return rows;
      },
    };
  }

  private disaster(): void {
    const process = this.pick(this.processes);
    if (process === undefined) return;
    const what = this.number(3);
    if (what === 0) {
      // Longer than a lease.
      this.say('31 s pass');
      this.pass(31_000);
      return;
    }
    this.processes = this.processes.filter((one) => one !== process);
    if (what === 1) this.kill(process);
    else {
      this.say(`${process.name} stops`);
      void process.deliverer.stop(1_000);
    }
    this.start();
  }

  private kill(process: Process): void {
    this.say(`${process.name} is killed`);
    // The database may still execute a statement that it has received.
    for (const { process: of, happen } of this.operations)
      if (of === process && this.number(2) === 0) happen?.();
    this.operations = this.operations.filter((one) => one.process !== process);
    this.timers = this.timers.filter((one) => one.process !== process);
    this.requests = this.requests.filter((one) => one.process !== process);
  }
}
