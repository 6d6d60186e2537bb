/**
 * What the worker of one endpoint does, as a table: in which state an event finds it, where that leads, and what it
 * does then, in this order. `endpoint-worker.ts` has one method for each effect. An event that finds no row changes
 * nothing: a late answer to a worker that has lost its lease, for example.
 */

/**
 * - `settling`: the worker does not know which objects wait behind failed deliveries; it sends nothing.
 * - `idle`: nothing to read and nothing in hand; the lease goes back after a second.
 * - `filling`: a statement reads due deliveries or makes new ones; attempts go on meanwhile.
 * - `sending`: deliveries are in hand, and there is enough of them or nothing more to read.
 * - `draining`: the process stops; attempts that run may end and are written.
 * - `lost`: this process has no lease, not yet or no more; attempts that run may end and are written.
 */
export type EndpointState = 'settling' | 'idle' | 'filling' | 'sending' | 'draining' | 'lost';

export type EndpointEvent =
  /** This process has taken the lease; perhaps it had lost it before. */
  | 'lease_taken'
  /** A look at the database has confirmed the lease. */
  | 'looked'
  /** There are deliveries to read or to make. */
  | 'work_found'
  /** The seller has paused, resumed or reordered the endpoint, or it has answered 410. */
  | 'changed'
  /** It is known which objects wait behind failed deliveries. */
  | 'learned'
  /** A statement has brought what was in the database before `changed`. */
  | 'stale'
  /** A statement has brought deliveries. */
  | 'read'
  /** Nothing may be read now, or the database has refused: the next look tries again. */
  | 'read_stopped'
  /** Less than half of the deliveries that should be in hand wait here. */
  | 'ran_low'
  /** Nothing is in hand, and nothing is left to read. */
  | 'ran_empty'
  | 'attempt_over'
  /** Results are committed. */
  | 'written'
  | 'lease_lost'
  | 'process_stops';

export type EndpointEffect =
  /** Forget the deliveries in hand that are not being attempted; the database keeps them. */
  | 'drop'
  /** Ask which objects wait behind failed deliveries, once all results of this process are written. */
  | 'learn'
  /** Read due deliveries, or make new ones of events. */
  | 'read'
  /** Start attempts as long as places are free. */
  | 'send'
  /** Say `ran_low` or `ran_empty` where that is so. */
  | 'refill'
  /** Say `ran_empty` where that is so. */
  | 'rest'
  /** Make due what this worker has freed and not read again. */
  | 'handOver';

export interface Transition {
  readonly from: readonly EndpointState[];
  readonly event: EndpointEvent;
  readonly to: EndpointState;
  readonly effects: readonly EndpointEffect[];
}

const row = (
  from: EndpointState | readonly EndpointState[],
  event: EndpointEvent,
  to: EndpointState,
  ...effects: readonly EndpointEffect[]
): Transition => ({ from: typeof from === 'string' ? [from] : from, event, to, effects });

const LIVE = ['settling', 'idle', 'filling', 'sending'] as const;

// biome-ignore format: a table
export const ENDPOINT_MACHINE: readonly Transition[] = [
  row([...LIVE, 'lost'],    'lease_taken',   'settling', 'drop'),
  row('settling',           'looked',        'settling', 'learn'),
  row('settling',           'stale',         'settling', 'learn'),
  row('settling',           'attempt_over',  'settling', 'drop'),
  row('settling',           'written',       'settling', 'learn'),
  row('settling',           'learned',       'filling',  'read'),

  row(['idle', 'sending'],  'work_found',    'filling',  'read'),
  row('filling',            'looked',        'filling',  'send'),
  row('filling',            'stale',         'filling',  'read'),
  row('filling',            'read',          'sending',  'send', 'refill'),
  row('filling',            'read_stopped',  'sending',  'send', 'rest'),
  row('filling',            'attempt_over',  'filling',  'send'),

  row('sending',            'looked',        'sending',  'send', 'rest'),
  row('sending',            'attempt_over',  'sending',  'send', 'refill'),
  row('sending',            'written',       'sending',  'refill'),
  row('sending',            'ran_low',       'filling',  'read'),
  row('sending',            'ran_empty',     'idle'),

  row(LIVE,                 'changed',       'settling', 'drop', 'learn'),
  row(LIVE,                 'process_stops', 'draining', 'handOver', 'drop'),
  row([...LIVE, 'draining'], 'lease_lost',   'lost',     'drop'),
];

const BY_STATE: ReadonlyMap<string, Transition> = new Map(
  ENDPOINT_MACHINE.flatMap((one) => one.from.map((state) => [`${state} ${one.event}`, one])),
);

/** The row for an event in a state; undefined when the event changes nothing. */
export const transition = (state: EndpointState, event: EndpointEvent): Transition | undefined =>
  BY_STATE.get(`${state} ${event}`);
