/**
 * What one worker has in hand of one endpoint: deliveries that wait for their turn, those under way, and which
 * objects wait behind a failed event. Pure bookkeeping; nothing here asks a database or a network.
 */
import type { QueuedRow } from '../store/queue.ts';

/** Deliveries that must go one after another: those of one object. Without order each is its own. */
interface Lane {
  readonly objectId: string | undefined;
  readonly queue: QueuedRow[];
  flying: boolean;
}

/** What `settle` is told about a delivery that is over for now. */
export type Settled = 'done' | 'retry';

/**
 * How far an object is whose event has failed. Later ones are parked in the database. Once the event is done they
 * are freed there, and until they are read again, all of them together, nothing newer may pass them.
 */
type Stage = 'failed' | 'freeing' | 'freed' | 'reading';

interface Held {
  /** Number of the failed event, the first of them. */
  sequence: bigint;
  /**
   * All of them, with their deliveries where they have failed here: what was delivered and is sent once more, replayed
   * for example, may fail before one that has failed already and waits for its instant.
   */
  readonly failed: Map<bigint, string | undefined>;
  stage: Stage;
}

/**
 * What becomes of a delivery that was read or made: it is in hand; it waits behind a failed one and is to be parked;
 * or it is left as it is in the database, due, to be read with those that were parked before it.
 */
export type Added = 'taken' | 'parked' | 'left';

export class EndpointQueue {
  readonly endpointId: string;
  private readonly ready: Lane[] = [];
  private readonly lanes = new Map<string, Lane>();
  /** Of what is under way, by delivery. */
  private readonly flights = new Map<string, Lane>();
  /** By object. */
  private readonly held = new Map<string, Held>();
  /** Everything in hand, until its result is written. */
  private readonly inHand = new Set<string>();
  private waiting = 0;

  constructor(endpointId: string, held: Iterable<readonly [string, bigint]>) {
    this.endpointId = endpointId;
    this.hold(held);
  }

  /** Deliveries that wait for their turn here. */
  get queued(): number {
    return this.waiting;
  }

  /** Attempts under way. */
  get flying(): number {
    return this.flights.size;
  }

  get idle(): boolean {
    return this.inHand.size === 0;
  }

  /** Ids of everything in hand: what need not be read from the database again. */
  get ids(): string[] {
    return [...this.inHand];
  }

  get size(): number {
    return this.inHand.size;
  }

  /**
   * Takes a delivery in, where it need not wait.
   *
   * @param read whether it was read as due, in the order of the events; else it is new
   */
  add(row: QueuedRow, ordered: boolean, read: boolean): Added {
    if (this.inHand.has(row.delivery_id)) return 'taken';
    const objectId = ordered && !row.test ? row.object_id : undefined;
    const held = objectId === undefined ? undefined : this.held.get(objectId);
    if (held !== undefined && row.sequence > held.sequence) {
      if (held.stage === 'failed') return 'parked';
      if (held.stage !== 'reading') return 'left';
      if (!read) {
        held.stage = 'freed';
        return 'left';
      }
    }
    this.inHand.add(row.delivery_id);
    this.waiting += 1;
    const lane = objectId === undefined ? undefined : this.lanes.get(objectId);
    if (lane === undefined) this.open({ objectId, queue: [row], flying: false });
    else insertInOrder(lane.queue, row);
    return 'taken';
  }

  /** The next delivery whose turn it is. */
  take(): QueuedRow | undefined {
    for (let lane = this.ready.shift(); lane !== undefined; lane = this.ready.shift()) {
      const row = lane.queue.shift();
      if (row !== undefined) {
        lane.flying = true;
        this.flights.set(row.delivery_id, lane);
        this.waiting -= 1;
        return row;
      }
      // All of it was parked behind one that was under way when the order was asked for.
      if (lane.objectId !== undefined) this.lanes.delete(lane.objectId);
    }
    return undefined;
  }

  /**
   * An attempt is over. The delivery stays in hand until its result is written (`forget`).
   *
   * @param ordered whether later events of the object wait for this one
   * @returns deliveries that were waiting here and now wait behind this one, and whether others that have waited
   *   for it are free
   */
  settle(
    row: QueuedRow,
    outcome: Settled,
    ordered: boolean,
  ): { readonly parked: readonly QueuedRow[]; readonly freed: boolean } {
    const lane = this.flights.get(row.delivery_id);
    this.flights.delete(row.delivery_id);
    if (lane === undefined || row.test) return { parked: [], freed: false };
    lane.flying = false;
    const parked = outcome === 'retry' && ordered ? this.park(row) : [];
    const freed = outcome === 'done' && this.over(row.object_id, row.sequence);
    if (lane.queue.length > 0) this.ready.push(lane);
    else if (this.lanes.get(row.object_id) === lane) this.lanes.delete(row.object_id);
    return { parked, freed };
  }

  /** Takes over which objects wait behind failed events, by the numbers of those events. */
  hold(objects: Iterable<readonly [string, bigint]>): void {
    for (const [objectId, sequence] of objects) {
      const own = this.held.get(objectId);
      if (own?.stage === 'failed') behind(own, sequence, own.failed.get(sequence));
      else if (own === undefined || own.sequence > sequence) this.held.set(objectId, heldAt(sequence));
    }
  }

  /**
   * An event that an object waits for is over.
   *
   * @returns whether others wait for it, which are free now, or wait for the next one that has failed
   */
  over(objectId: string, sequence: bigint): boolean {
    const held = this.held.get(objectId);
    if (held?.stage !== 'failed' || !held.failed.delete(sequence)) return false;
    if (held.sequence !== sequence) return false;
    if (held.failed.size === 0) held.stage = 'freeing';
    else held.sequence = firstOf(held);
    return true;
  }

  /** Objects that wait, by the number of the event that has failed. */
  get failed(): ReadonlyMap<string, bigint> {
    const failed = [...this.held].filter(([, { stage }]) => stage === 'failed');
    return new Map(failed.map(([objectId, { sequence }]) => [objectId, sequence]));
  }

  /** Objects whose failed event is over, while those that waited for it are not all read yet. */
  get unread(): string[] {
    return [...this.held].flatMap(([objectId, { stage }]) => (stage === 'failed' ? [] : [objectId]));
  }

  /** Those that were parked behind an object's failed event are due. */
  freed(objectId: string): void {
    const held = this.held.get(objectId);
    if (held?.stage === 'freeing') held.stage = 'freed';
  }

  /** What is due is about to be read. */
  reading(): void {
    for (const held of this.held.values()) if (held.stage === 'freed') held.stage = 'reading';
  }

  /** All that was due is read: who was freed is in hand, and what is newer may follow. */
  read(): void {
    for (const [objectId, { stage }] of this.held) if (stage === 'reading') this.held.delete(objectId);
  }

  /** The result is written: the delivery is out of this worker's hands. */
  forget(deliveryId: string): void {
    this.inHand.delete(deliveryId);
  }

  /**
   * Lets go of everything that is not under way, and of what waits for what; but for what has failed and is not written
   * yet: whoever asks the database is not told of it.
   */
  clear(): void {
    for (const [objectId, held] of this.held) {
      for (const [sequence, deliveryId = ''] of held.failed)
        if (!this.inHand.has(deliveryId)) held.failed.delete(sequence);
      if (held.failed.size === 0) this.held.delete(objectId);
      else held.sequence = firstOf(held);
    }
    for (const lane of [...this.ready, ...this.lanes.values()])
      for (const row of lane.queue.splice(0)) this.inHand.delete(row.delivery_id);
    this.ready.length = 0;
    this.waiting = 0;
    for (const [objectId, lane] of this.lanes) if (!lane.flying) this.lanes.delete(objectId);
  }

  private open(lane: Lane): void {
    if (lane.objectId !== undefined) this.lanes.set(lane.objectId, lane);
    this.ready.push(lane);
  }

  private park(row: QueuedRow): QueuedRow[] {
    const held = this.held.get(row.object_id);
    // Several are under way at once also where the order has just been asked for.
    if (held?.stage === 'failed') behind(held, row.sequence, row.delivery_id);
    else this.held.set(row.object_id, heldAt(row.sequence, row.delivery_id));
    const queue = this.lanes.get(row.object_id)?.queue ?? [];
    const later = queue.findIndex(({ sequence }) => sequence > row.sequence);
    const parked = later === -1 ? [] : queue.splice(later);
    for (const { delivery_id } of parked) this.inHand.delete(delivery_id);
    this.waiting -= parked.length;
    return parked;
  }
}

const heldAt = (sequence: bigint, deliveryId?: string): Held => ({
  sequence,
  failed: new Map([[sequence, deliveryId]]),
  stage: 'failed',
});

const firstOf = ({ failed }: Held): bigint => {
  let first: bigint | undefined;
  for (const sequence of failed.keys()) if (first === undefined || sequence < first) first = sequence;
  return first ?? 0n;
};

/** One more has failed, of which the first counts. */
function behind(held: Held, sequence: bigint, deliveryId: string | undefined): void {
  held.failed.set(sequence, deliveryId);
  if (sequence < held.sequence) held.sequence = sequence;
}

function insertInOrder(queue: QueuedRow[], row: QueuedRow): void {
  let at = queue.length;
  while (at > 0 && (queue[at - 1]?.sequence ?? 0n) > row.sequence) at -= 1;
  queue.splice(at, 0, row);
}
