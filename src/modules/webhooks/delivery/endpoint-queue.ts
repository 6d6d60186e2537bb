/**
 * The deliveries of one endpoint that a worker has in hand: those that wait here, those being attempted, and the
 * objects that are blocked behind a failed event. It only keeps account; it asks no database and no network.
 */
import type { QueuedRow } from '../store/queue.ts';

/** Deliveries that go one after another: those of one object. Without an order each delivery has its own lane. */
interface Lane {
  readonly objectId: string | undefined;
  readonly queue: QueuedRow[];
  attempting: boolean;
}

/** How an attempt ended for the delivery: it is over, or it is tried again. */
export type Outcome = 'done' | 'retry';

/**
 * An object whose event has failed. Its later deliveries are parked in the database (`failed`). Once the event is
 * over they are made due there (`freeing`, then `freed`) and read again (`reading`). Until all of them are read, no
 * newer delivery of the object may pass.
 */
type Stage = 'failed' | 'freeing' | 'freed' | 'reading';

interface Blocked {
  /** Number of the first failed event. */
  sequence: bigint;
  /**
   * All failed events, with their deliveries where they failed here. There can be several: a replayed event may fail
   * before a later one that has already failed.
   */
  readonly failed: Map<bigint, string | undefined>;
  stage: Stage;
}

/**
 * What becomes of a delivery that was read or made: it is `taken` into hand; it is to be `parked` behind a failed
 * event; or it is `left` as it is in the database, due, and is read together with those that were parked before it.
 */
export type Added = 'taken' | 'parked' | 'left';

export class EndpointQueue {
  private readonly ready: Lane[] = [];
  private readonly lanes = new Map<string, Lane>();
  /** The lane of each running attempt, by delivery. */
  private readonly attempts = new Map<string, Lane>();
  /** By object. */
  private readonly blockedObjects = new Map<string, Blocked>();
  /** Every delivery in hand, until its result is written. */
  private readonly inHand = new Set<string>();
  private waitingCount = 0;

  /** Deliveries that wait here for a place. */
  get waiting(): number {
    return this.waitingCount;
  }

  get attempting(): number {
    return this.attempts.size;
  }

  get isEmpty(): boolean {
    return this.inHand.size === 0;
  }

  /** Every delivery in hand: these need not be read from the database again. */
  get ids(): string[] {
    return [...this.inHand];
  }

  get size(): number {
    return this.inHand.size;
  }

  /** Objects that are blocked, by the number of the failed event. */
  get blocked(): ReadonlyMap<string, bigint> {
    const failed = [...this.blockedObjects].filter(([, { stage }]) => stage === 'failed');
    return new Map(failed.map(([objectId, { sequence }]) => [objectId, sequence]));
  }

  /** Objects whose failed event is over, and whose parked deliveries are not all read again. */
  get freedObjects(): string[] {
    return [...this.blockedObjects].flatMap(([objectId, { stage }]) =>
      stage === 'failed' ? [] : [objectId],
    );
  }

  /**
   * Takes a delivery in, if it need not wait behind a failed event.
   *
   * @param wasDue it was read as due, in the order of the events; else it has just been made
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
      // All of the lane was parked behind a delivery that ran when the seller asked for an order.
      if (lane.objectId !== undefined) this.lanes.delete(lane.objectId);
    }
    return undefined;
  }

  /**
   * Ends an attempt. The delivery stays in hand until its result is written (`release`).
   *
   * @param ordered whether later events of the object wait for this one
   * @returns deliveries that waited here and are to be parked behind this one, and whether parked ones are free now
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
    const freed = outcome === 'done' && this.eventIsOver(row.object_id, row.sequence);
    this.goOn(lane);
    return { parked, freed };
  }

  /** Gives a delivery back that was taken and not sent; it is as it was in the database. */
  abandon(row: QueuedRow): void {
    const lane = this.attempts.get(row.delivery_id);
    this.attempts.delete(row.delivery_id);
    this.inHand.delete(row.delivery_id);
    if (lane === undefined) return;
    lane.attempting = false;
    this.goOn(lane);
  }

  /** The result is written: the delivery is out of hand. */
  release(deliveryId: string): void {
    this.inHand.delete(deliveryId);
  }

  /** Blocks objects, by the numbers of their failed events. */
  block(objects: Iterable<readonly [string, bigint]>): void {
    for (const [objectId, sequence] of objects) {
      const own = this.blockedObjects.get(objectId);
      if (own?.stage === 'failed') addFailed(own, sequence, own.failed.get(sequence));
      else if (own === undefined || own.sequence > sequence)
        this.blockedObjects.set(objectId, blockedAt(sequence));
    }
  }

  /**
   * A failed event is over: delivered, given up, or skipped.
   *
   * @returns whether parked deliveries are free now, or wait for the next failed event
   */
  eventIsOver(objectId: string, sequence: bigint): boolean {
    const blocked = this.blockedObjects.get(objectId);
    if (blocked?.stage !== 'failed' || !blocked.failed.delete(sequence)) return false;
    if (blocked.sequence !== sequence) return false;
    if (blocked.failed.size === 0) blocked.stage = 'freeing';
    else blocked.sequence = firstOf(blocked);
    return true;
  }

  /** The parked deliveries of an object are due in the database. */
  objectIsFreed(objectId: string): void {
    const blocked = this.blockedObjects.get(objectId);
    if (blocked?.stage === 'freeing') blocked.stage = 'freed';
  }

  /** A statement begins to read what is due. */
  beginRead(): void {
    for (const blocked of this.blockedObjects.values())
      if (blocked.stage === 'freed') blocked.stage = 'reading';
  }

  /** Everything that was due is read: newer deliveries of the freed objects may follow. */
  endRead(): void {
    for (const [objectId, { stage }] of this.blockedObjects)
      if (stage === 'reading') this.blockedObjects.delete(objectId);
  }

  /**
   * Forgets the deliveries that are not being attempted, and what is blocked. It keeps a failure whose result is not
   * written yet: the database does not know of that.
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

  private goOn(lane: Lane): void {
    if (lane.queue.length > 0) this.ready.push(lane);
    else if (lane.objectId !== undefined && this.lanes.get(lane.objectId) === lane)
      this.lanes.delete(lane.objectId);
  }

  private park(row: QueuedRow): QueuedRow[] {
    const blocked = this.blockedObjects.get(row.object_id);
    // Several events of the object may have been sent at once, if the seller has just asked for an order.
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
