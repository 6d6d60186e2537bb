import { defineEvent, type Severity } from '../../kernel/events.ts';
import { PROMOTION_EXAMPLE, schemas } from './schemas.ts';

/** An event that both sides read, because the marketplace grants the discounts at checkout. */
const promotionEvent = (name: string, summary: string, severity?: Severity, title = '', clears?: string) =>
  defineEvent({
    ...{ type: `promotion.${name}`, summary, marketplace: true },
    ...{ schema: schemas.schema, id: 'promotion_id', example: PROMOTION_EXAMPLE },
    ...(severity && { notification: { severity, title: `Promotion “{name}” ${title}` } }),
    ...(clears && { clears: { types: [clears] } }),
  });

const SUBMITTED = 'A promotion waits for the decision of the marketplace';
const CHANGED = 'The budget of a promotion that the marketplace knows has risen, or its end comes earlier';
const OVERSPENT =
  'An order has brought the discounts of a promotion beyond its budget; `data.change` has `order_id` and `overspend_minor`';

export const promotionEvents = {
  submitted: promotionEvent('submitted', SUBMITTED, 'info', 'was submitted', 'promotion.rejected'),
  withdrawn: promotionEvent('withdrawn', 'The seller has withdrawn a promotion', 'info', 'was withdrawn'),
  changed: promotionEvent('changed', CHANGED),
  rejected: promotionEvent(
    'rejected',
    'A promotion was rejected and is a draft again',
    'warning',
    'was rejected',
  ),
  approved: promotionEvent('approved', 'The marketplace has approved a promotion', 'info', 'was approved'),
  started: promotionEvent('started', 'A promotion has begun', 'info', 'has begun'),
  ended: promotionEvent('ended', 'A promotion has ended; `end_reason` says why', 'info', 'has ended'),
  overspent: promotionEvent('overspent', OVERSPENT, 'warning', 'is over its budget'),
};
