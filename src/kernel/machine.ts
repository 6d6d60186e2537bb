/**
 * State machines as tables. A row says which event is allowed in which states, who causes it, which states follow,
 * and which events it emits. The rules of an area ask the table; docs/states.md, the public form and the test of
 * every state against every event are made from it. Source: docs/design/architecture.md#five-things-that-are-data.
 */
export type Cause = 'seller' | 'marketplace' | 'timer';

export interface Transition<Event extends string = string, State extends string = string> {
  readonly event: Event;
  /** Empty: the event creates the object. */
  readonly from: readonly State[];
  /** The states that can follow; more than one where quantities decide. */
  readonly to: readonly State[];
  readonly by: Cause;
  /** Further conditions, in words. */
  readonly guard: string | null;
  /** Types of the events that it emits, to sellers or to the marketplace. */
  readonly emits: readonly string[];
}

export interface Machine<Event extends string = string, State extends string = string> {
  readonly name: string;
  readonly title: string;
  readonly states: readonly State[];
  readonly rows: readonly Transition<Event, State>[];
  /** Final states. */
  readonly terminal: readonly State[];
  /** Whether the event is allowed in the state. */
  allows(event: Event, state: State): boolean;
  /** Events that are allowed in the state; with `by` only those of that actor. */
  eventsFrom(state: State, by?: Cause): Event[];
}

/**
 * Declares a machine.
 *
 * @throws Error for a row that names an unknown state, and for two rows with the same event and state
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
