import { defineErrors } from '../../kernel/errors.ts';

const quantity = {
  supplier_item_id: 'sit_01j0000000000000000000000',
  ...{ quantity: 50, minimum_quantity: 48, maximum_quantity: 480, pack_size: 24 },
  nearest: { down: 48, up: 72 },
};

/** What speaks against an order from a supplier, whichever area makes it. */
export const supplyErrors = defineErrors({
  supplier_not_available: {
    status: 409,
    detail: 'The supplier takes no orders now; choose another, or try again when it is active.',
    facts: { supplier_id: 'sup_01j0000000000000000000000', status: 'paused' },
  },
  item_discontinued: {
    status: 409,
    detail: 'The supplier does not sell this item any more; choose another item.',
    facts: { supplier_item_id: 'sit_01j0000000000000000000000' },
  },
  currency_mismatch: {
    status: 409,
    detail: 'The supplier sells in a currency other than yours; choose a supplier with your currency.',
    facts: { currency: 'NZD', seller_currency: 'AUD' },
  },
  quantity_below_minimum: {
    status: 409,
    detail: 'The supplier sells no fewer units at once; `nearest` has the quantities that it sells.',
    facts: { ...quantity, quantity: 24, nearest: { down: null, up: 48 } },
  },
  quantity_above_maximum: {
    status: 409,
    detail: 'The supplier sells no more units at once; `nearest` has the quantities that it sells.',
    facts: { ...quantity, quantity: 120, maximum_quantity: 96, nearest: { down: 96, up: null } },
  },
  quantity_not_in_packs: {
    status: 409,
    detail: 'The supplier sells whole packs of this item; `nearest` has the quantities that it sells.',
    facts: quantity,
  },
  too_many_open: {
    status: 409,
    detail: 'You already have as many open as `limit` allows. End some first.',
    facts: { limit: 500 },
  },
});
