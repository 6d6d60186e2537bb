/** Errors of shipping. A profile, rule, quote or manifest of another seller is the core's `not_found`. */
import { coreErrors, defineErrors } from '../../kernel/errors.ts';

export const shippingErrors = defineErrors({
  profile_name_exists: { status: 409, detail: 'Another of your shipping profiles has this name.' },
  profile_limit: { status: 409, detail: 'There are as many shipping profiles as there may be.' },
  profile_in_use: {
    status: 409,
    detail: 'Rules send products by this profile; change or delete them first.',
    facts: { rule_ids: ['spr_01j0000000000000000000000'] },
  },
  rule_limit: { status: 409, detail: 'There are as many shipping rules as there may be.' },
  carrier_not_connected: {
    status: 409,
    detail: 'Labels of this carrier are bought from the carrier itself; it cannot be asked from here.',
    facts: { carrier: 'sendle' },
  },
  carrier_unavailable: {
    status: 503,
    detail: 'The carrier does not answer as it should just now; retry after the seconds in Retry-After.',
    facts: { carrier: 'australia_post' },
  },
  carrier_refused: {
    status: 409,
    detail: 'The carrier refuses this parcel.',
    facts: { carrier: 'australia_post', carrier_code: '44003' },
  },
  nothing_to_manifest: {
    status: 409,
    detail: 'No parcel was dispatched with this carrier on this day.',
  },
});

/** What every write of one object may answer. */
export const ofObject = [coreErrors.not_found, coreErrors.precondition_failed];
