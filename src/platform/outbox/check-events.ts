/** Outside production: what is emitted is an event that some module declares, with the object that it declares. */
import type { DeclaredEvent, OutgoingEventDef } from '../../kernel/events.ts';
import { compileResponseCheck } from '../http/validate.ts';

/** @throws Error at the place that emits, for an undeclared type or another object than the declared one */
export type CheckEvents = (events: readonly DeclaredEvent[]) => void;

/** The check for the declared events; each schema is compiled when an event of it first comes. */
export function createEventCheck(declared: readonly OutgoingEventDef[]): CheckEvents {
  const defs = new Map(declared.map((def) => [def.type, def]));
  const checks = new Map<string, (value: unknown) => string | undefined>();
  return (events) => {
    for (const { type, data } of events) {
      const def = defs.get(type);
      if (def === undefined) throw new Error(`no module declares the event ${type}`);
      if (data === undefined || data.object === null) continue;
      let check = checks.get(type);
      if (check === undefined) {
        check = compileResponseCheck(def.schema);
        checks.set(type, check);
      }
      const problem = check(JSON.parse(JSON.stringify(data.object)));
      if (problem !== undefined) throw new Error(`the object of ${type} is not as declared: ${problem}`);
    }
  };
}
