import { defineEvent, type OutgoingEventDef } from '../../kernel/events.ts';
import { PROMOTION_EXAMPLE, schemas } from './schemas.ts';

type Told = Pick<OutgoingEventDef, 'type' | 'summary' | 'notification' | 'clears'>;
/** An event that both sides read, because the marketplace grants the discounts at checkout. */
const promotionEvent = (event: Told) =>
  defineEvent({
    ...event,
    schema: schemas.schema,
    id: 'promotion_id',
    example: PROMOTION_EXAMPLE,
    marketplace: true,
  });
const info = (title: string) => ({ notification: { severity: 'info', title } }) as const;
const warning = (title: string) => ({ notification: { severity: 'warning', title } }) as const;

export const promotionEvents = {
  submitted: promotionEvent({
    type: 'promotion.submitted',
    summary: 'A promotion waits for the decision of the marketplace',
    ...info('Promotion “{name}” was submitted'),
    clears: { types: ['promotion.rejected'] },
  }),
  withdrawn: promotionEvent({
    type: 'promotion.withdrawn',
    summary: 'The seller has withdrawn a promotion',
    ...info('Promotion “{name}” was withdrawn'),
  }),
  changed: promotionEvent({
    type: 'promotion.changed',
    summary: 'The budget of a submitted, scheduled or running promotion has risen, or its end comes earlier',
  }),
  rejected: promotionEvent({
    type: 'promotion.rejected',
    summary: 'The marketplace has rejected a promotion; it is a draft again',
    ...warning('The marketplace has rejected promotion “{name}”'),
  }),
  approved: promotionEvent({
    type: 'promotion.approved',
    summary: 'The marketplace has approved a promotion',
    ...info('The marketplace has approved promotion “{name}”'),
  }),
  started: promotionEvent({
    type: 'promotion.started',
    summary: 'A promotion has begun',
    ...info('Promotion “{name}” has begun'),
  }),
  ended: promotionEvent({
    type: 'promotion.ended',
    summary: 'A promotion has ended; `end_reason` says why',
    ...info('Promotion “{name}” has ended'),
  }),
  overspent: promotionEvent({
    type: 'promotion.overspent',
    summary:
      'An order has brought the discounts of a promotion beyond its budget; `data.change` has its `order_id` and its `overspend_minor`',
    ...warning('Promotion “{name}” is over its budget'),
  }),
};
