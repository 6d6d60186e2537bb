/** Errors of endpoints and deliveries. The id of another seller's object is `not_found`, like an unknown id. */
import { defineErrors } from '../../kernel/errors.ts';

export const errors = defineErrors({
  endpoint_not_active: {
    status: 409,
    detail: 'The endpoint is paused, disabled or deleted; resume it first.',
    facts: { status: 'paused' },
  },
  event_expired: { status: 409, detail: 'The event is no longer kept; read the object instead.' },
});
