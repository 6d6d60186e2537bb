/** In development and tests: checks that each emitted event is declared, and that its object fits the declaration. */
import type { DeclaredEvent } from '../../kernel/declared-event.ts';
import type { OutgoingEventDef } from '../../kernel/events.ts';
import { schemaCheck } from '../schema-check.ts';

/** @throws Error in the caller of `emit`, for an undeclared type or an object that does not fit */
export type CheckEvents = (events: readonly DeclaredEvent[]) => void;

/** Makes the check for the declared events. */
export function createEventCheck(declared: readonly OutgoingEventDef[]): CheckEvents {
  const checks = new Map(declared.map(({ type, schema }) => [type, schemaCheck(schema)]));
  return (events) => {
    for (const { type, data } of events) {
      const check = checks.get(type);
      if (check === undefined) throw new Error(`no module declares the event ${type}`);
      if (data === undefined || data.object === null) continue;
      const problem = check(JSON.parse(JSON.stringify(data.object)));
      if (problem !== undefined) throw new Error(`the object of ${type} is not as declared: ${problem}`);
    }
  };
}
