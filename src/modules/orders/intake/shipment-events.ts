/** News of carriers, as the marketplace passes it on. */
import Type from 'typebox';
import { defineMarketplaceEvent } from '../../../kernel/events.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { track } from '../domain/delivery.ts';
import { Words } from '../schemas/parts.ts';
import { applyToOrder } from './apply.ts';

const words = Type.Optional(Nullable(Words(500)));
const iso = (at: string): string => new Date(at).toISOString();

const trackingUpdated = defineMarketplaceEvent({
  type: 'marketplace.shipment.tracking_updated',
  summary: 'A parcel is on its way, was not delivered, comes back, or is lost',
  subject: 'shipment id',
  schema: Type.Object({
    status: StringEnum(['in_transit', 'out_for_delivery', 'failed', 'returned_to_sender', 'lost']),
    at: Type.Optional(Instant()),
    location: words,
    detail: words,
  }),
  example: {
    status: 'in_transit',
    at: '2026-06-29T06:00:00Z',
    location: 'Sydney NSW',
    detail: 'Sorted',
  },
  apply: (ctx, event) =>
    applyToOrder(ctx, event, { kind: 'shipment', told: { 'data/at': event.data.at } }, (work) => {
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
  summary: 'A parcel has arrived',
  subject: 'shipment id',
  schema: Type.Object({ delivered_at: Type.Optional(Instant()) }),
  example: { delivered_at: '2026-06-30T14:30:00Z' },
  apply: (ctx, event) => {
    const { delivered_at } = event.data;
    const told = { 'data/delivered_at': delivered_at };
    return applyToOrder(ctx, event, { kind: 'shipment', told }, (work) =>
      track(work, event.subject ?? '', {
        status: 'delivered',
        at: iso(delivered_at ?? event.time),
        version: event.object_version,
      }),
    );
  },
});

export const shipmentEvents = [trackingUpdated, shipmentDelivered];
