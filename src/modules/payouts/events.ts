/** Events about payouts. `data.object` is the whole payout, as its own route shows it. */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import { ACCOUNT_EXAMPLE, ACTION_NEEDED_EXAMPLE, AccountSchema } from './schemas/account.ts';
import { FAILED_PAYOUT, PAID_PAYOUT, RETURNED_PAYOUT, SENT_PAYOUT } from './schemas/examples.ts';
import { PayoutSchema, type PayoutWire } from './schemas/payout.ts';

type Notification = Pick<OutgoingEventDef, 'notification'>;
const notify = (severity: Severity, title: string): Notification => ({ notification: { severity, title } });
const notifyOfAccount = (title: string): Notification => ({
  notification: { severity: 'critical', title, href: '/payouts/account' },
});

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

export const accountUpdated = defineEvent({
  type: 'payout_account.updated',
  summary: 'The status or the requirements of the payout account have changed',
  schema: AccountSchema,
  example: ACCOUNT_EXAMPLE,
});
export const accountActionNeeded = defineEvent({
  type: 'payout_account.action_needed',
  summary:
    'The payment provider asks for something by a deadline; sent again seven days and one day before it',
  schema: AccountSchema,
  example: ACTION_NEEDED_EXAMPLE,
  ...notifyOfAccount('The payment provider needs something from you by {deadline}; payouts stop afterwards'),
});
export const destinationChanged = defineEvent({
  type: 'payout_account.destination_changed',
  summary: 'Payouts go to another bank account from now on',
  schema: AccountSchema,
  example: ACCOUNT_EXAMPLE,
  ...notifyOfAccount('The bank account for payouts ends in {destination.last4} now'),
});

export const payoutEvents: readonly OutgoingEventDef[] = [
  accountUpdated,
  accountActionNeeded,
  destinationChanged,
  payoutInTransit,
  payoutPaid,
  payoutFailed,
  payoutReturned,
];
