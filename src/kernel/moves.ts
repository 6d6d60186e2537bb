import { defineErrors, fail } from './errors.ts';
import type { Machine } from './machine.ts';

export const moveErrors = defineErrors({
  invalid_transition: {
    status: 409,
    detail: 'The state does not allow this action; `allowed` lists the actions that it allows.',
    facts: { from: 'shipped', allowed: ['request_refund'] },
  },
});

type Facts = Readonly<Record<string, unknown>>;

/** The refusal of a move of the seller. */
export const moveRefused = <E extends string, S extends string>(
  machine: Machine<E, S>,
  event: E,
  from: S,
  facts: Facts = {},
) =>
  fail(moveErrors.invalid_transition, {
    facts: { from, allowed: machine.eventsFrom(from, 'seller').filter((one) => one !== event), ...facts },
  });

/** @throws ApiError 409 `invalid_transition` if the state does not allow the move */
export function requireMove<E extends string, S extends string>(
  machine: Machine<E, S>,
  event: E,
  from: S,
): void {
  if (!machine.allows(event, from)) throw moveRefused(machine, event, from);
}
