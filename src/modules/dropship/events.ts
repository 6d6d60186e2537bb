import { defineEvent } from '../../kernel/events.ts';
import {
  ADDRESS_EXAMPLE,
  CANCEL_EXAMPLE,
  CancelRequest,
  DROPSHIP_EXAMPLE,
  DropshipOrderSchema,
  SUPPLIER_ORDER_EXAMPLE,
  SupplierAddress,
  SupplierOrder,
} from './schemas/dropship-order.ts';
import { LISTING_EXAMPLE, Listing } from './schemas/listing.ts';

const listing = { schema: Listing, id: 'listing_id', example: LISTING_EXAMPLE } as const;

export const listingEvents = {
  created: defineEvent({
    ...listing,
    type: 'dropship_listing.created',
    summary: 'A supplier counts and ships a product of the seller',
  }),
  paused: defineEvent({
    ...listing,
    type: 'dropship_listing.paused',
    summary: 'Nothing of a dropship listing is for sale any more',
    notification: {
      severity: 'warning',
      title: 'Dropship listing {listing_id} of {supplier.name} is paused',
    },
  }),
  resumed: defineEvent({
    ...listing,
    type: 'dropship_listing.resumed',
    summary: 'A dropship listing is for sale again',
    clears: { types: ['dropship_listing.paused'] },
  }),
  ended: defineEvent({
    ...listing,
    type: 'dropship_listing.ended',
    summary: 'The seller counts the product again',
    clears: { types: ['dropship_listing.paused'] },
  }),
  costChanged: defineEvent({
    ...listing,
    type: 'dropship_listing.cost_changed',
    summary: 'The supplier asks another cost; the price of the product stays',
    notification: {
      severity: 'warning',
      // Members who may not read costs read notifications.
      title: '{supplier.name} asks another cost for listing {listing_id}: look at its margin',
    },
  }),
};

const id = 'dropship_order_id';
const order = { schema: DropshipOrderSchema, id, example: DROPSHIP_EXAMPLE } as const;

export const dropshipEvents = {
  created: defineEvent({
    ...order,
    type: 'dropship_order.created',
    summary: 'A supplier will be asked to send units of an order',
  }),
  sent: defineEvent({
    ...{ schema: SupplierOrder, id, example: SUPPLIER_ORDER_EXAMPLE },
    type: 'dropship_order.sent',
    summary: 'A supplier is asked to send units; it learns neither name nor street',
    marketplace: true,
  }),
  accepted: defineEvent({
    ...order,
    type: 'dropship_order.accepted',
    summary: 'The supplier will send units, and the order has accepted them in the seller’s name',
  }),
  addressReleased: defineEvent({
    ...{ schema: SupplierAddress, id, example: ADDRESS_EXAMPLE },
    type: 'dropship_order.address_released',
    summary: 'Where units go that the supplier has accepted',
    marketplace: true,
    sellers: false,
  }),
  returned: defineEvent({
    ...order,
    type: 'dropship_order.returned_to_seller',
    summary: 'The supplier does not send units; they are ordinary units of the order',
    notification: {
      severity: 'critical',
      title: '{supplier.name} does not send units of order {order_number}: act on them in the order',
    },
  }),
  shipped: defineEvent({
    ...order,
    type: 'dropship_order.shipped',
    summary: 'The supplier has sent a parcel',
  }),
  cancelled: defineEvent({
    ...order,
    type: 'dropship_order.cancelled',
    summary: 'Units were cancelled, rejected, delivered without the supplier, or taken over by the seller',
  }),
  cancelRequested: defineEvent({
    ...{ schema: CancelRequest, id, example: CANCEL_EXAMPLE },
    type: 'dropship_order.cancel_requested',
    summary: 'The supplier shall not send units of which it knows',
    marketplace: true,
  }),
};
