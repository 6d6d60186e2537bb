/**
 * The tables of webhooks in memory, with the rules of the statements in `store/`. Each method is one transaction and
 * takes no time. `delivery-model.ts` decides when it happens and whether its answer arrives.
 */

import type { AcquireFrom, DeliveryStore, EndpointWrite } from '../delivery/delivery-store.ts';
import type { EventText } from '../domain/event-body.ts';
import type { EndpointKey, OwnedEndpoint } from '../store/endpoints.ts';
import type { AcquiredRow, HeldRow, Lease } from '../store/leases.ts';
import type { MadeRow, QueuedRow, Step } from '../store/queue.ts';
import type { AttemptResult } from '../store/results.ts';

export interface StoredDelivery {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event: EventText | undefined;
  readonly sequence: bigint;
  readonly object_id: string;
  readonly test: boolean;
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  reason: string | null;
  attempts: number;
  step: number;
  next_attempt_at: number | null;
  /** Whether the delivery has ever succeeded, been given up or been cancelled. */
  handled: boolean;
}

interface StoredEndpoint {
  row: OwnedEndpoint;
  lease: { readonly owner: string; readonly until: number } | undefined;
  /** Whether a seller is changing the endpoint. Other transactions skip it then. */
  locked: boolean;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const SELLER = 'slr_1';

export class ModelDatabase {
  readonly events: EventText[] = [];
  readonly endpoints = new Map<string, StoredEndpoint>();
  readonly deliveries = new Map<string, StoredDelivery>();
  /** Whether the seller may use the API. Otherwise workers see its endpoints as paused. */
  inStanding = true;
  private readonly now: () => number;
  private ids = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  get last(): bigint {
    return BigInt(this.events.length);
  }

  nextId(prefix: string): string {
    this.ids += 1;
    return `${prefix}_${String(this.ids).padStart(6, '0')}`;
  }

  append(object_id: string, bare: boolean): void {
    const sequence = this.last + 1n;
    const text = {
      event_id: `evt_${sequence}`,
      type: 'product.updated',
      sequence,
      seller_id: SELLER,
      object_id,
    };
    const rest = { object_version: Number(sequence), created_at: iso(this.now()), correlation: null };
    this.events.push({ ...text, ...rest, data: bare ? null : '{"object":{}}' });
  }

  addEndpoint(max_concurrency: number): string {
    const endpoint_id = this.nextId('whe');
    const at = iso(this.now());
    const row: OwnedEndpoint = {
      ...{ seller_id: SELLER, endpoint_id, url: `https://receiver.test/${endpoint_id}`, description: null },
      ...{ event_types: ['*'], payload: 'full', ordering: 'per_object', max_concurrency },
      ...{ status: 'active', reason: null, status_changed_at: at, secret: 'whsec_AAAA', retired_secrets: [] },
      ...{ failing_since: null, fanned_through: this.last, passed_over: [], version: 1 },
      ...{ created_at: at, updated_at: at },
    };
    this.endpoints.set(endpoint_id, { row, lease: undefined, locked: false });
    return endpoint_id;
  }

  endpoint(id: string): StoredEndpoint {
    const found = this.endpoints.get(id);
    if (found === undefined) throw new Error(`no endpoint ${id}`);
    return found;
  }

  /** A seller or the service changes an endpoint. */
  change(id: string, change: Partial<OwnedEndpoint>): void {
    const found = this.endpoint(id);
    const { version } = found.row;
    const moved = change.status === undefined ? {} : { status_changed_at: `${iso(this.now())} ${version}` };
    found.row = { ...found.row, version: version + 1, ...moved, ...change };
  }

  of(endpointId: string, status = 'pending'): StoredDelivery[] {
    const all = [...this.deliveries.values()];
    return all.filter((one) => one.endpoint_id === endpointId && one.status === status);
  }

  queue(one: StoredDelivery): void {
    Object.assign(one, { status: 'pending', reason: null, step: 0, next_attempt_at: this.now() });
  }

  cancelPending(endpointId: string): void {
    for (const one of this.of(endpointId))
      Object.assign(one, { status: 'cancelled', next_attempt_at: null, handled: true });
  }

  insert(endpointId: string, event: EventText | undefined, delivery_id: string, at: number): StoredDelivery {
    const one: StoredDelivery = {
      ...{ delivery_id, endpoint_id: endpointId, event, test: event === undefined },
      ...{ sequence: event?.sequence ?? 0n, object_id: event?.object_id ?? endpointId },
      ...{ status: 'pending', reason: null, attempts: 0, step: 0, next_attempt_at: at, handled: false },
    };
    this.deliveries.set(delivery_id, one);
    return one;
  }

  deliveryOf(endpointId: string, sequence: bigint): StoredDelivery | undefined {
    return [...this.deliveries.values()].find(
      (one) => one.endpoint_id === endpointId && !one.test && one.sequence === sequence,
    );
  }

  // The transactions of workers.

  private called({ row }: StoredEndpoint): boolean {
    return row.status === 'active' && this.inStanding;
  }

  private asSeen(found: StoredEndpoint): OwnedEndpoint {
    const { row } = found;
    return row.status === 'active' && !this.called(found) ? { ...row, status: 'paused' } : { ...row };
  }

  private hasWork(found: StoredEndpoint, where: AcquireFrom): boolean {
    const fresh = this.called(found) && this.last > found.row.fanned_through;
    if (where.from === 'new_events') return fresh;
    if (where.from === 'all_endpoints') return fresh || found.lease !== undefined;
    return this.of(found.row.endpoint_id).some(
      ({ test, next_attempt_at: at }) => test || (this.called(found) && (at === null || at <= this.now())),
    );
  }

  acquire({ owner, leaseNow, leaseUntil }: Lease, max: number, where: AcquireFrom): AcquiredRow[] {
    const taken: AcquiredRow[] = [];
    for (const found of this.endpoints.values()) {
      const { row, lease, locked } = found;
      const isFree = lease === undefined || lease.until < leaseNow;
      if (!isFree || locked || row.status === 'deleted' || !this.hasWork(found, where)) continue;
      found.lease = { owner, until: leaseUntil };
      taken.push({ ...this.asSeen(found), open: this.of(row.endpoint_id).length > 0 });
      if (taken.length === max) break;
    }
    return taken;
  }

  private heldBy(owner: string, endpoints: readonly EndpointKey[]): StoredEndpoint[] {
    return endpoints
      .map(({ endpoint_id }) => this.endpoint(endpoint_id))
      .filter(({ lease }) => lease?.owner === owner);
  }

  setLeases(owner: string, endpoints: readonly EndpointKey[], until: number | undefined): string[] {
    const mine = this.heldBy(owner, endpoints).filter(({ locked }) => !locked);
    for (const found of mine) found.lease = until === undefined ? undefined : { owner, until };
    return mine.map(({ row }) => row.endpoint_id);
  }

  readHeld(owner: string, endpoints: readonly EndpointKey[]): HeldRow[] {
    const mine = this.heldBy(owner, endpoints).filter(({ row }) => row.status !== 'deleted');
    return mine.map((found) => {
      const open = this.of(found.row.endpoint_id);
      const due = open.filter(
        ({ test, next_attempt_at: at }) => at !== null && at <= this.now() && (test || this.called(found)),
      );
      return {
        ...this.asSeen(found),
        fresh: this.called(found) && this.last > found.row.fanned_through,
        due: due.length,
        parked: open.some(({ next_attempt_at }) => next_attempt_at === null),
      };
    });
  }

  freeOrphans({ endpoint_id, ordering }: OwnedEndpoint): void {
    if (this.endpoint(endpoint_id).locked) throw new Error('the endpoint is being changed');
    const open = this.of(endpoint_id);
    const failed = open.filter(({ next_attempt_at, attempts }) => next_attempt_at !== null && attempts > 0);
    const waits = (one: StoredDelivery): boolean =>
      failed.some(({ object_id, sequence }) => object_id === one.object_id && sequence <= one.sequence);
    for (const one of open)
      if (one.next_attempt_at === null && !(ordering === 'per_object' && waits(one)))
        one.next_attempt_at = this.now();
  }

  blockedObjects({ endpoint_id }: OwnedEndpoint): [string, bigint][] {
    const failed = this.of(endpoint_id).filter(
      ({ attempts, next_attempt_at, test }) => attempts > 0 && next_attempt_at !== null && !test,
    );
    const isFirst = (one: StoredDelivery): boolean =>
      !failed.some(({ object_id, sequence }) => object_id === one.object_id && sequence < one.sequence);
    return failed
      .filter((one) => isFirst(one) || (one.next_attempt_at ?? 0) > this.now())
      .map(({ object_id, sequence }) => [object_id, sequence]);
  }

  endedEvents({ endpoint_id }: EndpointKey, events: ReadonlyMap<string, bigint>): [string, bigint][] {
    const open = this.of(endpoint_id);
    return [...events].filter(
      ([objectId, number]) =>
        !open.some(({ object_id, sequence }) => object_id === objectId && sequence === number),
    );
  }

  private queued(one: StoredDelivery): QueuedRow {
    const { delivery_id, endpoint_id, attempts, step, test, sequence, object_id, event } = one;
    const at = iso(one.next_attempt_at ?? 0);
    const text = { event_id: 'evt_test', type: 'ping', seller_id: SELLER, object_version: 1, created_at: at };
    return {
      ...text,
      ...{ data: null, correlation: null, ...event, sequence, object_id },
      ...{ delivery_id, endpoint_id, attempts, step, test },
      ...{ test_event: test ? '{"test":true}' : null, expired: false, due_at: at },
    };
  }

  readDue(endpointId: string, except: readonly string[], all: boolean, max: number): QueuedRow[] {
    return this.of(endpointId)
      .filter(({ next_attempt_at: at, test }) => at !== null && at <= this.now() && (all || test))
      .filter(({ delivery_id }) => !except.includes(delivery_id))
      .sort((x, y) => Number(x.sequence - y.sequence))
      .slice(0, max)
      .map((one) => this.queued(one));
  }

  makeDeliveries(step: Omit<Step, 'ids' | 'now'>, count: number): MadeRow[] {
    const found = this.endpoint(step.endpoint_id);
    const { fanned_through: mark, version, status } = found.row;
    const mine = found.lease?.owner === step.owner && version === step.version && status === 'active';
    if (!mine || found.locked || this.last <= mark) return [];
    const next = this.events.filter(({ sequence }) => sequence > mark).slice(0, count);
    const through = next.length < count ? this.last : (next.at(-1)?.sequence ?? mark);
    found.row = { ...found.row, fanned_through: through };
    const head = { more: through < this.last, after: mark, through };
    const made = next.flatMap((event) => {
      if (this.deliveryOf(step.endpoint_id, event.sequence) !== undefined) return [];
      const one = this.insert(step.endpoint_id, event, this.nextId('dlv'), step.firstAttemptAt);
      return [{ ...head, ...this.queued(one) }];
    });
    return made.length > 0 ? made : [{ ...head, delivery_id: null }];
  }

  complete(rows: readonly QueuedRow[]): void {
    for (const row of rows) {
      const index = Number(row.sequence) - 1;
      const event = this.events[index];
      if (event !== undefined) this.events[index] = { ...event, data: '{"object":{}}' };
      Object.assign(row, { data: '{"object":{}}' });
    }
  }

  write(owner: string, writes: readonly EndpointWrite[]): Set<string> {
    const free = new Set<string>();
    for (const { endpoint_id } of writes) if (!this.endpoint(endpoint_id).locked) free.add(endpoint_id);
    const open = writes.filter(({ endpoint_id }) => free.has(endpoint_id));
    const isLost = (id: string): boolean => {
      const holder = this.endpoint(id).lease?.owner;
      return holder !== undefined && holder !== owner;
    };
    for (const { endpoint_id, write } of open) {
      const { row } = this.endpoint(endpoint_id);
      if (write.kind === 'disable' && row.status === 'active')
        this.change(endpoint_id, { status: 'disabled', reason: 'gone' });
    }
    for (const { endpoint_id, write } of open)
      if (write.kind === 'attempt' || write.kind === 'expired')
        this.record(write.result, isLost(endpoint_id));
    for (const { endpoint_id, write } of open) {
      const one = write.kind === 'park' ? this.deliveries.get(write.delivery_id) : undefined;
      if (one?.status === 'pending' && !isLost(endpoint_id)) one.next_attempt_at = null;
    }
    for (const { endpoint_id, write } of open) {
      if (write.kind !== 'free') continue;
      for (const one of this.of(endpoint_id))
        if (one.object_id === write.object_id) one.next_attempt_at ??= this.now();
    }
    return free;
  }

  private record(result: AttemptResult, lost: boolean): void {
    const one = this.deliveries.get(result.delivery_id);
    if (one === undefined || !(one.status === 'pending' || one.attempts < result.attempt)) return;
    const otherDue = one.next_attempt_at !== null && iso(one.next_attempt_at) !== result.due_at;
    const decides = !(result.status === 'pending' || result.reason === 'exhausted');
    const kept = one.status !== 'pending' || ((lost || otherDue) && !decides);
    one.attempts = Math.max(one.attempts, result.attempt);
    if (kept) return;
    one.status = result.status;
    one.reason = result.reason;
    one.step = result.step;
    one.next_attempt_at = result.next_at;
    if (one.status !== 'pending') one.handled = true;
  }
}

/** Runs a transaction of a worker at an instant that the model chooses. */
export type Schedule = <T>(name: string, run: () => T) => Promise<T>;

export function createModelStore(database: ModelDatabase, now: () => number, later: Schedule): DeliveryStore {
  return {
    acquire: (lease, max, where) => later('acquire', () => database.acquire(lease, max, where)),
    lastRound: () => later('lastRound', () => database.last),
    renew: (owner, until, keys) => later('renew', () => database.setLeases(owner, keys, until)),
    giveBack: (owner, keys) => later('giveBack', () => database.setLeases(owner, keys, undefined)),
    readHeld: (owner, keys) => later('readHeld', () => database.readHeld(owner, keys)),
    freeOrphans: (row) => later('freeOrphans', () => database.freeOrphans(row)),
    loadBlocked: (row) =>
      later('loadBlocked', () => {
        database.freeOrphans(row);
        return row.ordering === 'per_object' ? database.blockedObjects(row) : [];
      }),
    endedEvents: (key, events) => later('endedEvents', () => database.endedEvents(key, new Map(events))),
    readDue: ({ endpoint_id: endpointId, except, all, max }) =>
      later('readDue', () => database.readDue(endpointId, except, all, max)),
    makeDeliveries: (step, count) => later('makeDeliveries', () => database.makeDeliveries(step, count)),
    countOpen: (id, max) => later('countOpen', () => Math.min(max, database.of(id).length)),
    complete: (rows) => later('complete', () => database.complete(rows)),
    write: (owner, writes) => later('write', () => database.write(owner, writes)),
    nextDueAt: async () => now(),
  };
}
