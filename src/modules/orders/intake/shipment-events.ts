/** Updates of carriers about parcels, which the marketplace passes on. */
import Type from 'typebox';
import { defineMarketplaceEvent } from '../../../kernel/events.ts';
import { Instant, StringEnum } from '../../../kernel/schema.ts';
import { track } from '../domain/delivery.ts';
import { optionalText } from '../schemas/parts.ts';
import { applyToOrder } from './apply.ts';

const TEXT = optionalText(500);
const iso = (at: string): string => new Date(at).toISOString();

const trackingUpdated = defineMarketplaceEvent({
  type: 'marketplace.shipment.tracking_updated',
  summary: 'A parcel is on its way, could not be delivered, is returned to the sender, or is lost',
  subject: 'shipment id',
  schema: Type.Object({
    status: StringEnum(['in_transit', 'out_for_delivery', 'failed', 'returned_to_sender', 'lost']),
    at: Type.Optional(Instant()),
    location: TEXT,
    detail: TEXT,
  }),
  example: {
    status: 'in_transit',
    at: '2026-06-29T06:00:00Z',
    location: 'Sydney NSW',
    detail: 'Sorted',
  },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, { kind: 'shipment', instants: { 'data/at': event.data.at } }, (work) => {
      const { status, at, location, detail } = event.data;
      return track(work, event.subject ?? '', {
        status,
        at: iso(at ?? event.time),
        version: event.object_version,
        location: location ?? null,
        detail: detail ?? null,
      });
    }),
});

const shipmentDelivered = defineMarketplaceEvent({
  type: 'marketplace.shipment.delivered',
  summary: 'A parcel was delivered',
  subject: 'shipment id',
  schema: Type.Object({ delivered_at: Type.Optional(Instant()) }),
  example: { delivered_at: '2026-06-30T14:30:00Z' },
  apply: (ctx, event) => {
    const { delivered_at } = event.data;
    const instants = { 'data/delivered_at': delivered_at };
    return applyToOrder(ctx, event, { kind: 'shipment', instants }, (work) =>
      track(work, event.subject ?? '', {
        status: 'delivered',
        at: iso(delivered_at ?? event.time),
        version: event.object_version,
      }),
    );
  },
});

export const shipmentEvents = [trackingUpdated, shipmentDelivered];
