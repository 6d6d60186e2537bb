/** The transactions of workers, one method each. The model test has the same methods on tables in memory. */
import type { CursorDb, Db } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import { disableEndpoint } from '../actions/disable-endpoint.ts';
import { DISABLE_AFTER_MS, DISABLE_JOB } from '../domain/failing.ts';
import {
  type EndpointKey,
  findEndpoint,
  markFailing,
  markHealthy,
  type OwnedEndpoint,
  shareEndpoints,
} from '../store/endpoints.ts';
import {
  type AcquiredRow,
  acquireDue,
  acquireFromAll,
  acquireWithNewEvents,
  anyNewEvents,
  firstAttemptDue,
  type HeldRow,
  heldEndpoints,
  type Lease,
  lastRound,
  releaseLeases,
  renewLeases,
  type Since,
} from '../store/leases.ts';
import {
  blockedObjects,
  countPending,
  type DueWanted,
  endedEvents,
  freeAll,
  freeOrphans,
  type MadeRow,
  makeDeliveries,
  type QueuedRow,
  readDue,
  type Step,
} from '../store/queue.ts';
import { type AttemptResult, freeObjects, insertAttempts, park, writeResults } from '../store/results.ts';

/** An object, and the number of one of its events. */
type ObjectSequence = readonly [objectId: string, sequence: bigint];

/** A change of an endpoint or of its deliveries that a worker writes. */
export type Write =
  | { readonly kind: 'attempt'; readonly result: AttemptResult }
  /** The event of the delivery is no longer kept, so the delivery ends without an attempt. */
  | { readonly kind: 'expired'; readonly result: AttemptResult }
  | { readonly kind: 'park'; readonly delivery_id: string }
  /** Makes the parked deliveries of an object due. */
  | { readonly kind: 'free'; readonly object_id: string }
  | { readonly kind: 'disable' }
  | { readonly kind: 'failing'; readonly since: number }
  | { readonly kind: 'healthy' };

export interface EndpointWrite extends EndpointKey {
  readonly write: Write;
}

/** What `acquire` reads to find endpoints with work. */
export type AcquireFrom =
  | { readonly from: 'new_events'; readonly since: Since }
  | { readonly from: 'due_deliveries' }
  | { readonly from: 'all_endpoints' };

export interface DeliveryStore {
  /** Takes leases of endpoints that have work and no holder. */
  acquire(lease: Lease, max: number, where: AcquireFrom): Promise<readonly AcquiredRow[]>;
  /** The last round of the sequencer. */
  lastRound(): Promise<bigint>;
  /** @returns the ids of the endpoints whose leases are renewed */
  renew(owner: string, leaseUntil: number, endpoints: readonly EndpointKey[]): Promise<readonly string[]>;
  /** @returns the ids of the endpoints that were given back. An endpoint that a seller is changing is skipped. */
  giveBack(owner: string, endpoints: readonly EndpointKey[]): Promise<readonly string[]>;
  /** Reads the endpoints that this process holds. */
  readHeld(owner: string, endpoints: readonly EndpointKey[]): Promise<readonly HeldRow[]>;
  /** Makes orphans due. If the endpoint has no order, makes all parked deliveries due. */
  freeOrphans(endpoint: OwnedEndpoint): Promise<void>;
  /** Does the same as `freeOrphans`. @returns the failed events that block objects */
  loadBlocked(endpoint: OwnedEndpoint): Promise<readonly ObjectSequence[]>;
  /** @returns those of the given failed events that will not be sent any more */
  endedEvents(endpoint: EndpointKey, events: ReadonlyMap<string, bigint>): Promise<readonly ObjectSequence[]>;
  readDue(wanted: DueWanted): Promise<readonly QueuedRow[]>;
  /** Makes deliveries of the next events. */
  makeDeliveries(step: Omit<Step, 'ids' | 'now'>, count: number): Promise<readonly MadeRow[]>;
  /** Counts open deliveries, up to `max`. */
  countOpen(endpointId: string, max: number): Promise<number>;
  /** Adds the missing objects to the events of deliveries, in these rows and in the database. */
  complete(rows: readonly QueuedRow[]): Promise<void>;
  /** Writes in one transaction. @returns the endpoints whose writes are committed; a seller is changing the others */
  write(owner: string, writes: readonly EndpointWrite[]): Promise<ReadonlySet<string>>;
  /** The instant of the next attempt. If events have no deliveries yet, it is now. */
  nextDueAt(): Promise<number | undefined>;
}

/** The longest wait for a lock on an endpoint. The other endpoints of the process wait at the same time. */
const LOCK_MS = 200;
/** Due deliveries of an endpoint are counted up to this number. */
const DUE_COUNT_MAX = 2_000;

type StoreServices = Pick<
  Services,
  'withSystem' | 'now' | 'ids' | 'config' | 'jobs' | 'checkEvents' | 'secrets' | 'fillEvents'
>;

export function createDeliveryStore(services: StoreServices): DeliveryStore {
  const { withSystem, now, ids } = services;
  const read = <T>(fn: (db: Db) => Promise<T>): Promise<T> => withSystem('webhooks', 'read', fn);
  const alone = <T>(fn: (db: Db) => Promise<T>): Promise<T> => withSystem('webhooks', 'single', fn);
  const idsOf = (rows: readonly { readonly endpoint_id: string }[]): string[] =>
    rows.map(({ endpoint_id }) => endpoint_id);
  return {
    acquire: (lease, max, where) => alone((db) => db.all(acquisition(lease, max, where, now()))),
    lastRound: async () => (await read((db) => db.one(lastRound())))?.round ?? 0n,
    renew: async (owner, until, endpoints) =>
      idsOf(await alone((db) => db.all(renewLeases(owner, until, endpoints)))),
    giveBack: async (owner, endpoints) => idsOf(await alone((db) => db.all(releaseLeases(owner, endpoints)))),
    readHeld: (owner, endpoints) =>
      read((db) => db.all(heldEndpoints(owner, now(), endpoints, DUE_COUNT_MAX))),
    freeOrphans: (endpoint) => locked(services, endpoint, (db) => freeParked(db, endpoint, now())),
    loadBlocked: (endpoint) =>
      locked(services, endpoint, async (db) => {
        await freeParked(db, endpoint, now());
        if (endpoint.ordering !== 'per_object') return [];
        const rows = await db.all(blockedObjects(endpoint.endpoint_id, now()));
        return rows.map(({ object_id, sequence }) => [object_id, sequence] as const);
      }),
    endedEvents: async (endpoint, events) => {
      const rows = await read((db) => db.all(endedEvents(endpoint, events)));
      return rows.map(({ object_id, sequence }) => [object_id, sequence]);
    },
    readDue: (wanted) =>
      withSystem('webhooks', 'read', (db) => db.all(readDue(wanted, now())), { lookUp: true }),
    makeDeliveries: (step, count) => {
      const made = Array.from({ length: count }, () => ids.next('dlv_'));
      const make = makeDeliveries({ ...step, ids: made, now: now() });
      return withSystem('webhooks', 'single', (db) => db.all(make), { lookUp: true }) as Promise<MadeRow[]>;
    },
    countOpen: async (endpointId, max) =>
      (await read((db) => db.one(countPending(endpointId, max))))?.pending ?? 0,
    complete: async (rows) => {
      const shown = await withSystem('webhooks', 'write', (db) => services.fillEvents.keeping(db, rows));
      for (const row of rows) Object.assign(row, shown.get(row));
    },
    write: (owner, writes) =>
      withSystem('webhooks', 'write', (db) => writeAll(db, services, { owner, writes })),
    nextDueAt: async () => {
      if ((await read((db) => db.one(anyNewEvents())))?.fresh === true) return now();
      const first = (await read((db) => db.one(firstAttemptDue())))?.at;
      return first == null ? undefined : Date.parse(first);
    },
  };
}

function acquisition(lease: Lease, max: number, where: AcquireFrom, now: number) {
  if (where.from === 'new_events') return acquireWithNewEvents(lease, max, where.since);
  return where.from === 'due_deliveries' ? acquireDue(lease, max, now) : acquireFromAll(lease, max);
}

/**
 * Runs a function under a lock, so that no other transaction writes deliveries of the endpoint. It waits for an earlier
 * holder that is writing.
 *
 * @throws Error immediately if a seller is changing the endpoint, because that may take long
 */
async function locked<T>(
  { withSystem }: StoreServices,
  endpoint: EndpointKey,
  run: (db: Db) => Promise<T>,
): Promise<T> {
  const unchanged = await withSystem('webhooks', 'single', (db) => db.all(shareEndpoints([endpoint])));
  if (unchanged.length === 0) throw new Error('the endpoint is being changed');
  const lockFirst = async (db: Db): Promise<T> => {
    await findEndpoint({ db, seller_id: endpoint.seller_id }, endpoint.endpoint_id, 'for update');
    return run(db);
  };
  return withSystem('webhooks', 'write', lockFirst, { lockTimeoutMs: LOCK_MS });
}

async function freeParked(db: Db, { endpoint_id, ordering }: OwnedEndpoint, now: number): Promise<void> {
  await db.run((ordering === 'per_object' ? freeOrphans : freeAll)(endpoint_id, now));
}

interface OwnWrites {
  readonly owner: string;
  readonly writes: readonly EndpointWrite[];
}

async function writeAll(
  db: CursorDb,
  services: StoreServices,
  { owner, writes }: OwnWrites,
): Promise<ReadonlySet<string>> {
  // Every transaction that changes an endpoint locks the endpoint before its deliveries.
  const endpoints = [...new Map(writes.map((one) => [one.endpoint_id, one])).values()];
  const shared = await db.all(shareEndpoints(endpoints));
  const free = new Set(shared.map(({ endpoint_id }) => endpoint_id));
  // A new holder waits for this transaction before it reads which objects are blocked. After that, a late result of
  // this process must not change when a delivery is due.
  const lost = new Set(
    shared.flatMap(({ endpoint_id, lease_owner: holder }) =>
      holder !== null && holder !== owner ? [endpoint_id] : [],
    ),
  );
  const open = writes.filter(({ endpoint_id }) => free.has(endpoint_id));
  for (const one of open) await writeMark(db, services, one);
  const own = (result: AttemptResult): AttemptResult =>
    lost.has(result.endpoint_id) ? { ...result, due_at: null } : result;
  const results = open.flatMap(({ write }) => (write.kind === 'attempt' ? [own(write.result)] : []));
  const expired = open.flatMap(({ write }) => (write.kind === 'expired' ? [own(write.result)] : []));
  if (results.length > 0) await db.run(insertAttempts(results));
  if (results.length + expired.length > 0) await db.run(writeResults([...results, ...expired]));
  const parked = open.flatMap(({ seller_id, endpoint_id, write }) =>
    write.kind === 'park' && !lost.has(endpoint_id) ? [{ seller_id, delivery_id: write.delivery_id }] : [],
  );
  // Park before free, so that a delivery with both writes becomes due and is read again.
  if (parked.length > 0) await db.run(park(parked));
  const freed = open.flatMap(({ endpoint_id, write }) =>
    write.kind === 'free' ? [{ endpoint_id, object_id: write.object_id }] : [],
  );
  if (freed.length > 0) await db.run(freeObjects(freed, services.now()));
  return free;
}

/** Marks the endpoint as failing, healthy or gone. */
async function writeMark(
  db: CursorDb,
  services: StoreServices,
  { write, ...key }: EndpointWrite,
): Promise<void> {
  const { seller_id, endpoint_id } = key;
  const ctx = acting(services, { db, seller_id });
  if (write.kind === 'disable') await disableEndpoint(ctx, endpoint_id, 'gone');
  if (write.kind === 'failing') {
    await db.run(markFailing(key, new Date(write.since).toISOString()));
    const dueAt = write.since + DISABLE_AFTER_MS;
    await ctx.jobs.add({ kind: DISABLE_JOB, payload: { endpoint_id }, uniqueKey: endpoint_id, dueAt });
  }
  if (write.kind === 'healthy') {
    await db.run(markHealthy(key));
    await ctx.jobs.cancel(DISABLE_JOB, endpoint_id);
  }
}
