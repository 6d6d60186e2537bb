import { defineErrors } from '../../kernel/errors.ts';

export const wholesaleErrors = defineErrors({
  price_changed: {
    status: 409,
    detail:
      'The supplier has changed its prices or its freight since you last saw the order. The draft has the new amounts; read it and submit it again.',
    facts: {
      changes: [{ line_no: 1, field: 'pack_price_minor', before: 5_945, after: 6_180 }],
      total_minor: 104_590,
    },
  },
  freight_not_stated: {
    status: 409,
    detail:
      'The supplier does not state its freight. Send `freight_cap_minor`, the most that you will pay for it.',
  },
  order_below_minimum: {
    status: 409,
    detail: 'The supplier takes no order below `minimum_order_minor`; order more.',
    facts: { goods_minor: 9_000, minimum_order_minor: 15_000 },
  },
  address_missing: {
    status: 409,
    detail:
      'The order has no address. Send `ship_to` with PATCH, or set `dispatch_address` with PATCH /api/v1/sellers/me.',
  },
  quantity_exceeds_outstanding: {
    status: 409,
    detail:
      'The supplier owes fewer units of the line; `outstanding` says how many. Goods that came beyond them are booked with POST /api/v1/products/inventory/adjust.',
    facts: { purchase_line_id: 'pol_01j0000000000000000000000', quantity: 40, outstanding: 32 },
  },
  receipt_reference_used: {
    status: 409,
    detail: 'A receipt with this reference was booked for the order already; nothing was changed.',
    facts: { receipt_id: 'rec_01j0000000000000000000000' },
  },
  receipt_reversed: { status: 409, detail: 'The receipt was reversed already, or is a reversal itself.' },
  not_last_receipt: {
    status: 409,
    detail: 'A later receipt of the order stands; reverse that one first.',
    facts: { receipt_id: 'rec_01j0000000000000000000000' },
  },
});
