import { defineErrors } from '../../kernel/errors.ts';

export const dropshipErrors = defineErrors({
  already_listed: {
    status: 409,
    detail: 'A live listing has this product or this item. End it first, or list others.',
  },
  not_for_dropship: {
    status: 409,
    detail: 'The supplier does not ship this item to buyers; choose an item with `dropship`.',
  },
  open_dropship_units: {
    status: 409,
    detail: 'Units of orders are with the supplier. Wait for them, or take them over; then end the listing.',
    facts: { units: 4 },
  },
});
