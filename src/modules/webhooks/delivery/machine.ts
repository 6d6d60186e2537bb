/**
 * The states of an endpoint's worker, as a table: state, event, next state, and the effects in their order.
 * `endpoint-worker.ts` has one method for each effect. If a state has no row for an event, the event changes nothing,
 * for example a late answer to a worker that has lost its lease.
 */

/**
 * - `preparing`: the worker does not know which objects are blocked, so it sends nothing.
 * - `idle`: the worker has no deliveries in hand and nothing to read. The lease is given back after a second.
 * - `filling`: a statement reads due deliveries or makes new ones. Attempts continue.
 * - `sending`: the worker has deliveries in hand. It has enough of them, or there is nothing more to read.
 * - `draining`: the process stops. Running attempts may end, and their results are written.
 * - `lost`: this process does not hold the lease. Running attempts may end, and their results are written.
 */
export type EndpointState = 'preparing' | 'idle' | 'filling' | 'sending' | 'draining' | 'lost';

export type EndpointEvent =
  /** This process has taken the lease. It may have lost it before. */
  | 'lease_taken'
  /** A poll of the database has confirmed the lease. */
  | 'lease_confirmed'
  /** There are deliveries to read or to make. */
  | 'work_found'
  /** The seller has paused or resumed the endpoint or changed its order, or the endpoint has answered 410. */
  | 'changed'
  /** The worker has loaded which objects are blocked. */
  | 'blocked_loaded'
  /** A statement has ended that began before `changed`. */
  | 'stale'
  /** A statement has read or made deliveries. */
  | 'read'
  /** The endpoint may read nothing now, or the statement has failed. The next poll tries again. */
  | 'read_stopped'
  /** Fewer than half of the deliveries that should wait in the queue wait there. */
  | 'ran_low'
  /** The worker has no deliveries in hand, and nothing is left to read. */
  | 'ran_empty'
  /** An attempt has ended. */
  | 'attempt_ended'
  /** Results are committed. */
  | 'written'
  | 'lease_lost'
  | 'process_stops';

type EndpointEffect =
  /** Forgets the waiting deliveries in memory. They stay in the database. */
  | 'drop'
  /** Loads which objects are blocked, if all results of this process are written. */
  | 'loadBlocked'
  /** Reads due deliveries, or makes new ones of events. */
  | 'read'
  /** Starts attempts while places are free. */
  | 'send'
  /** Fires `ran_low` if few deliveries wait, or `ran_empty` if the worker has nothing to do. */
  | 'checkLow'
  /** Fires `ran_empty` if the worker has nothing to do. */
  | 'checkEmpty'
  /** Makes the parked deliveries of freed objects due, for the next holder. */
  | 'makeFreedDue';

interface Transition {
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

const LIVE = ['preparing', 'idle', 'filling', 'sending'] as const;

// biome-ignore format: a table
export const ENDPOINT_MACHINE: readonly Transition[] = [
  row([...LIVE, 'lost'],     'lease_taken',     'preparing', 'drop'),
  row('preparing',           'lease_confirmed', 'preparing', 'loadBlocked'),
  row('preparing',           'stale',           'preparing', 'loadBlocked'),
  row('preparing',           'attempt_ended',   'preparing', 'drop'),
  row('preparing',           'written',         'preparing', 'loadBlocked'),
  row('preparing',           'blocked_loaded',  'filling',   'read'),

  row(['idle', 'sending'],   'work_found',      'filling',   'read'),
  row('filling',             'lease_confirmed', 'filling',   'send'),
  row('filling',             'stale',           'filling',   'read'),
  row('filling',             'read',            'sending',   'send', 'checkLow'),
  row('filling',             'read_stopped',    'sending',   'send', 'checkEmpty'),
  row('filling',             'attempt_ended',   'filling',   'send'),

  row('sending',             'lease_confirmed', 'sending',   'send', 'checkEmpty'),
  row('sending',             'attempt_ended',   'sending',   'send', 'checkLow'),
  row('sending',             'written',         'sending',   'checkLow'),
  row('sending',             'ran_low',         'filling',   'read'),
  row('sending',             'ran_empty',       'idle'),

  row(LIVE,                  'changed',         'preparing', 'drop', 'loadBlocked'),
  row(LIVE,                  'process_stops',   'draining',  'makeFreedDue', 'drop'),
  row([...LIVE, 'draining'], 'lease_lost',      'lost',      'drop'),
];

const BY_STATE: ReadonlyMap<string, Transition> = new Map(
  ENDPOINT_MACHINE.flatMap((one) => one.from.map((state) => [`${state} ${one.event}`, one])),
);

/** The row for an event in a state; undefined if the event changes nothing. */
export const transition = (state: EndpointState, event: EndpointEvent): Transition | undefined =>
  BY_STATE.get(`${state} ${event}`);
