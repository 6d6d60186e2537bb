/**
 * State machines as tables. A row says which event may meet which states, who causes it, where it can lead, and
 * what it tells. The rules of an area ask the table; its page, its public form and the test of every state
 * against every event are made from it. Source: docs/design/architecture.md#five-things-that-are-data.
 */
export type Cause = 'seller' | 'marketplace' | 'timer';

export interface Transition<Event extends string = string, State extends string = string> {
  readonly event: Event;
  /** Empty: the event makes the thing. */
  readonly from: readonly State[];
  /** Where it can lead; more than one where quantities decide. */
  readonly to: readonly State[];
  readonly by: Cause;
  /** What has to hold beside the state, in words. */
  readonly guard: string | null;
  /** Types of the events that it calls for, to sellers or to the marketplace. */
  readonly emits: readonly string[];
}

export interface Machine<Event extends string = string, State extends string = string> {
  readonly name: string;
  readonly title: string;
  readonly states: readonly State[];
  readonly rows: readonly Transition<Event, State>[];
  /** States that nothing leaves. */
  readonly terminal: readonly State[];
  /** Whether the event may meet the state. */
  allows(event: Event, state: State): boolean;
  /** Events of one cause (of all without one) that may meet the state. */
  eventsFrom(state: State, by?: Cause): Event[];
}

/**
 * Declares a machine.
 *
 * @throws Error for a row that names an unknown state, and for an event that one state would meet twice
 */
export function defineMachine<const Event extends string, const State extends string>(init: {
  readonly name: string;
  readonly title: string;
  readonly states: readonly State[];
  readonly rows: readonly Transition<Event, State>[];
}): Machine<Event, State> {
  const { name, states, rows } = init;
  const met = new Set<string>();
  for (const row of rows) {
    for (const state of [...row.from, ...row.to])
      if (!states.includes(state)) throw new Error(`${name}: ${row.event} names the unknown state ${state}`);
    for (const state of row.from.length === 0 ? [''] : row.from) {
      const key = `${row.event} ${state}`;
      if (met.has(key)) throw new Error(`${name}: ${state} meets ${row.event} twice`);
      met.add(key);
    }
  }
  const rowsFrom = (state: State) => rows.filter(({ from }) => from.includes(state));
  return {
    ...init,
    terminal: states.filter((state) => rowsFrom(state).every(({ to }) => to.every((next) => next === state))),
    allows: (event, state) => met.has(`${event} ${state}`),
    eventsFrom: (state, by) =>
      rowsFrom(state)
        .filter((row) => by === undefined || row.by === by)
        .map(({ event }) => event),
  };
}
