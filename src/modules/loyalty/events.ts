import { defineEvent } from '../../kernel/events.ts';
import {
  EnrolmentFact,
  FACT_EXAMPLE,
  RECONCILIATION_EXAMPLE,
  Reconciliation,
  TRANSACTION_EXAMPLE,
  Transaction,
} from './schemas/loyalty.ts';

const enrolment = { schema: EnrolmentFact, example: FACT_EXAMPLE } as const;

export const loyaltyEvents = {
  changed: defineEvent({
    ...enrolment,
    type: 'loyalty.enrolment_changed',
    summary: 'The seller asks to take part in the loyalty program, or to leave it',
    marketplace: true,
  }),
  decided: defineEvent({
    ...enrolment,
    type: 'loyalty.enrolment_decided',
    summary: 'The marketplace has decided about an enrolment, or its time is over',
    notification: {
      severity: 'info',
      href: '/loyalty/enrolment',
      title: 'Your enrolment in the loyalty program is {state}',
    },
  }),
  booked: defineEvent({
    type: 'loyalty.points_booked',
    summary: 'Points of an order of the seller were earned, taken back or adjusted',
    schema: Transaction,
    id: 'journal_id',
    example: TRANSACTION_EXAMPLE,
  }),
  mismatch: defineEvent({
    type: 'loyalty.mismatch_found',
    summary: 'Points and loyalty fund of an order differ; once for each order and status',
    schema: Reconciliation,
    id: 'order_id',
    example: RECONCILIATION_EXAMPLE,
    notification: {
      severity: 'warning',
      title: 'Points and loyalty fund of order {order_id} differ by {difference_minor}: {status}',
    },
  }),
};
