/** Events about payouts. `data.object` is the whole payout, as its own route shows it. */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import { FAILED_PAYOUT, PAID_PAYOUT, RETURNED_PAYOUT, SENT_PAYOUT } from './schemas/examples.ts';
import { PayoutSchema, type PayoutWire } from './schemas/payout.ts';

type Notification = Pick<OutgoingEventDef, 'notification'>;
const notify = (severity: Severity, title: string): Notification => ({ notification: { severity, title } });

const ofPayout = (type: string, summary: string, example: PayoutWire, more: Notification) =>
  defineEvent({ type, summary, schema: PayoutSchema, id: 'payout_id', example, ...more });

export const payoutInTransit = ofPayout('payout.in_transit', 'A payout was sent', SENT_PAYOUT, {});
export const payoutPaid = ofPayout(
  'payout.paid',
  'A payout has arrived',
  PAID_PAYOUT,
  notify('info', 'A payout of {amount_minor} has arrived in your bank account'),
);
export const payoutFailed = ofPayout(
  'payout.failed',
  'A payout has failed or was canceled; the money waits for another attempt',
  FAILED_PAYOUT,
  notify('critical', 'The payout of {amount_minor} has failed: {failure_code}'),
);
export const payoutReturned = ofPayout(
  'payout.returned',
  'The bank has returned a payout; the money waits for another attempt',
  RETURNED_PAYOUT,
  notify('critical', 'The bank has returned the payout of {amount_minor}: {failure_code}'),
);

export const payoutEvents: readonly OutgoingEventDef[] = [
  payoutInTransit,
  payoutPaid,
  payoutFailed,
  payoutReturned,
];
