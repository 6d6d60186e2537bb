/**
 * The deliveries of one endpoint that a worker has in hand: they wait here or are being attempted. It also knows which
 * objects are blocked. It uses neither the database nor the network.
 */
import type { QueuedRow } from '../store/queue.ts';

/** The deliveries of one object, which are sent one after another. Without an order each delivery has its own lane. */
interface Lane {
  readonly objectId: string | undefined;
  readonly queue: QueuedRow[];
  attempting: boolean;
}

/** After an attempt, a delivery has ended (`done`) or will be attempted again (`retry`). */
type Outcome = 'done' | 'retry';

/**
 * The stages of a blocked object. No newer delivery of the object is sent before the last stage has ended.
 * - `failed`: an event has failed. The later deliveries are parked in the database.
 * - `freeing`: the event has ended. A write makes the parked deliveries due.
 * - `freed`: that write is committed.
 * - `reading`: a statement reads the deliveries that were parked.
 */
type Stage = 'failed' | 'freeing' | 'freed' | 'reading';

interface Blocked {
  /** The number of the first failed event. */
  sequence: bigint;
  /**
   * The numbers of all failed events. An event that failed in this process has the id of its delivery. There can be
   * several events: one that is replayed may fail after a later one has failed.
   */
  readonly failed: Map<bigint, string | undefined>;
  stage: Stage;
}

/**
 * What `add` does with a delivery that was read or made:
 * - `taken`: the queue has it.
 * - `parked`: it must be parked behind a failed event.
 * - `left`: it stays due in the database, and is read together with the deliveries that were parked before it.
 */
type Added = 'taken' | 'parked' | 'left';

export class EndpointQueue {
  private readonly ready: Lane[] = [];
  private readonly lanes = new Map<string, Lane>();
  /** The lane of each running attempt, by delivery. */
  private readonly attempts = new Map<string, Lane>();
  /** Blocked objects, by their ids. */
  private readonly blockedObjects = new Map<string, Blocked>();
  /** Every delivery in hand, until its result is written. */
  private readonly inHand = new Set<string>();
  private waitingCount = 0;

  /** The number of deliveries that wait for a place. */
  get waiting(): number {
    return this.waitingCount;
  }

  get attempting(): number {
    return this.attempts.size;
  }

  get isEmpty(): boolean {
    return this.inHand.size === 0;
  }

  /** The ids of all deliveries in hand, which need not be read from the database again. */
  get ids(): string[] {
    return [...this.inHand];
  }

  get size(): number {
    return this.inHand.size;
  }

  /** Blocked object → the number of its failed event. */
  get blocked(): ReadonlyMap<string, bigint> {
    const failed = [...this.blockedObjects].filter(([, { stage }]) => stage === 'failed');
    return new Map(failed.map(([objectId, { sequence }]) => [objectId, sequence]));
  }

  /** The objects whose failed event has ended, but whose parked deliveries are not all read again. */
  get freedObjects(): string[] {
    return [...this.blockedObjects].flatMap(([objectId, { stage }]) =>
      stage === 'failed' ? [] : [objectId],
    );
  }

  /**
   * Adds a delivery, unless it must wait behind a failed event.
   *
   * @param wasDue whether the delivery was read as due, in the order of events; otherwise it is new
   */
  add(row: QueuedRow, ordered: boolean, wasDue: boolean): Added {
    if (this.inHand.has(row.delivery_id)) return 'taken';
    const objectId = ordered && !row.test ? row.object_id : undefined;
    const blocked = objectId === undefined ? undefined : this.blockedObjects.get(objectId);
    if (blocked !== undefined && row.sequence > blocked.sequence) {
      if (blocked.stage === 'failed') return 'parked';
      if (blocked.stage !== 'reading') return 'left';
      if (!wasDue) {
        blocked.stage = 'freed';
        return 'left';
      }
    }
    this.inHand.add(row.delivery_id);
    this.waitingCount += 1;
    const lane = objectId === undefined ? undefined : this.lanes.get(objectId);
    if (lane === undefined) this.open({ objectId, queue: [row], attempting: false });
    else insertInOrder(lane.queue, row);
    return 'taken';
  }

  /** The next delivery to attempt. */
  take(): QueuedRow | undefined {
    for (let lane = this.ready.shift(); lane !== undefined; lane = this.ready.shift()) {
      const row = lane.queue.shift();
      if (row !== undefined) {
        lane.attempting = true;
        this.attempts.set(row.delivery_id, lane);
        this.waitingCount -= 1;
        return row;
      }
      // The lane is empty: its deliveries were parked behind an attempt that ran when the seller switched the order on.
      if (lane.objectId !== undefined) this.lanes.delete(lane.objectId);
    }
    return undefined;
  }

  /**
   * Ends an attempt. The delivery stays in hand until its result is written (`release`).
   *
   * @param ordered whether later events of the object wait for this one
   * @returns `parked`: the waiting deliveries that must be parked behind this one; `freed`: whether the deliveries that
   *   were parked behind it must be made due
   */
  finish(
    row: QueuedRow,
    outcome: Outcome,
    ordered: boolean,
  ): { readonly parked: readonly QueuedRow[]; readonly freed: boolean } {
    const lane = this.attempts.get(row.delivery_id);
    this.attempts.delete(row.delivery_id);
    if (lane === undefined || row.test) return { parked: [], freed: false };
    lane.attempting = false;
    const parked = outcome === 'retry' && ordered ? this.park(row) : [];
    const freed = outcome === 'done' && this.eventHasEnded(row.object_id, row.sequence);
    this.continueLane(lane);
    return { parked, freed };
  }

  /** Forgets a delivery that was taken but not sent. The database still has it. */
  abandon(row: QueuedRow): void {
    const lane = this.attempts.get(row.delivery_id);
    this.attempts.delete(row.delivery_id);
    this.inHand.delete(row.delivery_id);
    if (lane === undefined) return;
    lane.attempting = false;
    this.continueLane(lane);
  }

  /** Removes a delivery whose result is written. */
  release(deliveryId: string): void {
    this.inHand.delete(deliveryId);
  }

  /** Blocks objects behind failed events. */
  block(objects: Iterable<readonly [string, bigint]>): void {
    for (const [objectId, sequence] of objects) {
      const own = this.blockedObjects.get(objectId);
      if (own?.stage === 'failed') addFailed(own, sequence, own.failed.get(sequence));
      else if (own === undefined || own.sequence > sequence)
        this.blockedObjects.set(objectId, blockedAt(sequence));
    }
  }

  /**
   * Notes that a failed event was delivered, given up or skipped.
   *
   * @returns whether the deliveries parked behind it must be made due. If another event of the object has failed, those
   *   behind that event are parked again when they are read.
   */
  eventHasEnded(objectId: string, sequence: bigint): boolean {
    const blocked = this.blockedObjects.get(objectId);
    if (blocked?.stage !== 'failed' || !blocked.failed.delete(sequence)) return false;
    if (blocked.sequence !== sequence) return false;
    if (blocked.failed.size === 0) blocked.stage = 'freeing';
    else blocked.sequence = firstOf(blocked);
    return true;
  }

  /** Notes that the parked deliveries of an object are due in the database. */
  objectIsFreed(objectId: string): void {
    const blocked = this.blockedObjects.get(objectId);
    if (blocked?.stage === 'freeing') blocked.stage = 'freed';
  }

  /** Notes that a statement begins to read the due deliveries. */
  beginRead(): void {
    for (const blocked of this.blockedObjects.values())
      if (blocked.stage === 'freed') blocked.stage = 'reading';
  }

  /** Notes that all due deliveries are read. Newer deliveries of the freed objects may follow. */
  endRead(): void {
    for (const [objectId, { stage }] of this.blockedObjects)
      if (stage === 'reading') this.blockedObjects.delete(objectId);
  }

  /**
   * Forgets the waiting deliveries and the blocked objects. It keeps a failed event whose result is not written yet,
   * because the database does not know it.
   */
  drop(): void {
    for (const [objectId, blocked] of this.blockedObjects) {
      for (const [sequence, deliveryId = ''] of blocked.failed)
        if (!this.inHand.has(deliveryId)) blocked.failed.delete(sequence);
      if (blocked.failed.size === 0) this.blockedObjects.delete(objectId);
      else blocked.sequence = firstOf(blocked);
    }
    for (const lane of [...this.ready, ...this.lanes.values()])
      for (const row of lane.queue.splice(0)) this.inHand.delete(row.delivery_id);
    this.ready.length = 0;
    this.waitingCount = 0;
    for (const [objectId, lane] of this.lanes) if (!lane.attempting) this.lanes.delete(objectId);
  }

  private open(lane: Lane): void {
    if (lane.objectId !== undefined) this.lanes.set(lane.objectId, lane);
    this.ready.push(lane);
  }

  private continueLane(lane: Lane): void {
    if (lane.queue.length > 0) this.ready.push(lane);
    else if (lane.objectId !== undefined && this.lanes.get(lane.objectId) === lane)
      this.lanes.delete(lane.objectId);
  }

  private park(row: QueuedRow): QueuedRow[] {
    const blocked = this.blockedObjects.get(row.object_id);
    // Several events of the object may have failed at once, if the seller has just switched the order on.
    if (blocked?.stage === 'failed') addFailed(blocked, row.sequence, row.delivery_id);
    else this.blockedObjects.set(row.object_id, blockedAt(row.sequence, row.delivery_id));
    const queue = this.lanes.get(row.object_id)?.queue ?? [];
    const later = queue.findIndex(({ sequence }) => sequence > row.sequence);
    const parked = later === -1 ? [] : queue.splice(later);
    for (const { delivery_id } of parked) this.inHand.delete(delivery_id);
    this.waitingCount -= parked.length;
    return parked;
  }
}

const blockedAt = (sequence: bigint, deliveryId?: string): Blocked => ({
  sequence,
  failed: new Map([[sequence, deliveryId]]),
  stage: 'failed',
});

const firstOf = ({ failed }: Blocked): bigint => {
  let first: bigint | undefined;
  for (const sequence of failed.keys()) if (first === undefined || sequence < first) first = sequence;
  return first ?? 0n;
};

function addFailed(blocked: Blocked, sequence: bigint, deliveryId: string | undefined): void {
  blocked.failed.set(sequence, deliveryId);
  if (sequence < blocked.sequence) blocked.sequence = sequence;
}

function insertInOrder(queue: QueuedRow[], row: QueuedRow): void {
  let at = queue.length;
  while (at > 0 && (queue[at - 1]?.sequence ?? 0n) > row.sequence) at -= 1;
  queue.splice(at, 0, row);
}
