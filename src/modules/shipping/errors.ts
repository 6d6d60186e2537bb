/** Errors of shipping. A profile, rule, quote or manifest of another seller is the core's `not_found`. */
import { defineErrors } from '../../kernel/errors.ts';

export const shippingErrors = defineErrors({
  profile_name_exists: { status: 409, detail: 'Another of your shipping profiles has this name.' },
  profile_limit: {
    status: 409,
    detail: 'You already have as many shipping profiles as `limit` allows. Delete one first.',
    facts: { limit: 100 },
  },
  profile_in_use: {
    status: 409,
    detail:
      'Shipping rules or products still use this profile. Change or delete the rules, and set another `shipping_profile_id` on the products. `products` counts them all, `product_ids` shows the first ones. `GET /products?shipping_profile_id=` lists them, with `status=archived` the archived ones.',
    facts: {
      rule_ids: ['spr_01j0000000000000000000000'],
      products: 1,
      product_ids: ['prd_01j0000000000000000000000'],
    },
  },
  rule_limit: {
    status: 409,
    detail: 'You already have as many shipping rules as `limit` allows. Delete one first.',
    facts: { limit: 100 },
  },
  carrier_not_connected: {
    status: 409,
    detail: 'This carrier is not connected here. Buy its labels from the carrier itself.',
    facts: { carrier: 'sendle' },
  },
  carrier_unavailable: {
    status: 503,
    detail: 'The carrier is not responding. Retry after the seconds in Retry-After.',
    facts: { carrier: 'australia_post' },
  },
  carrier_refused: {
    status: 409,
    detail: 'The carrier refuses this parcel.',
    facts: { carrier: 'australia_post', carrier_code: '44003' },
  },
  sender_address_missing: {
    status: 409,
    detail:
      'A label needs the address from which you send. Set dispatch_address (or return_address) with PATCH /api/v1/sellers/me, or registered_address with PATCH /api/v1/sellers/me/business.',
  },
  address_too_long: {
    status: 409,
    detail: 'An address does not fit on a label at 7 pt; `address` says which: `to` or `from`.',
    facts: { address: 'to' },
  },
  label_missing: {
    status: 409,
    detail: 'The shipment has no label.',
    facts: { shipment_ids: ['shp_01j0000000000000000000000'] },
  },
  label_voided: {
    status: 409,
    detail: 'This label is void: a carrier would refuse the parcel. Print the valid label of the shipment.',
  },
  nothing_to_manifest: {
    status: 409,
    detail: 'No parcel was dispatched with this carrier on this day.',
  },
});
