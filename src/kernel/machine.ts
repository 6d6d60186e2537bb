/**
 * State machines as tables. A row says which event is allowed in which states, who causes it, which states follow,
 * and which events it emits. The rules of an area use the table. The page docs/states.md, the form that the API shows,
 * and a test of every state against every event are made from it.
 * Source: docs/design/architecture.md#five-things-that-are-data.
 */
export type Cause = 'seller' | 'marketplace' | 'store' | 'timer';

export interface Transition<Event extends string = string, State extends string = string> {
  readonly event: Event;
  /** Empty if the event creates the object. */
  readonly from: readonly State[];
  /** The states that can follow. If there are several, quantities decide between them. */
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

const listed = <S extends string>(states: S | readonly S[]): readonly S[] =>
  typeof states === 'string' ? [states] : states;

/** A row that says what is not null or empty: `move('end', 'running', 'ended', 'timer', { emits: ['sale.ended'] })`. */
export const move = <const Event extends string, const State extends string>(
  event: Event,
  from: State | readonly State[],
  to: State | readonly State[],
  by: Cause,
  { guard = null, emits = [] }: Partial<Pick<Transition, 'guard' | 'emits'>> = {},
): Transition<Event, State> => ({ event, from: listed(from), to: listed(to), by, guard, emits });

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
  // Every read of an order asks a dozen times, so no text is put together.
  const met = new Map<string, Set<string>>(rows.map(({ event }) => [event, new Set()]));
  for (const row of rows) {
    for (const state of [...row.from, ...row.to])
      if (!states.includes(state)) throw new Error(`${name}: ${row.event} names the unknown state ${state}`);
    for (const state of row.from.length === 0 ? [''] : row.from) {
      if (met.get(row.event)?.has(state)) throw new Error(`${name}: ${state} meets ${row.event} twice`);
      met.get(row.event)?.add(state);
    }
  }
  const rowsFrom = (state: State) => rows.filter(({ from }) => from.includes(state));
  return {
    ...init,
    terminal: states.filter((state) => rowsFrom(state).every(({ to }) => to.every((next) => next === state))),
    allows: (event, state) => met.get(event)?.has(state) === true,
    eventsFrom: (state, by) =>
      rowsFrom(state)
        .filter((row) => by === undefined || row.by === by)
        .map(({ event }) => event),
  };
}
