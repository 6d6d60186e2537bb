/** Events about payouts. `data.object` is the whole payout, as its own route shows it. */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import { FAILED_PAYOUT, PAID_PAYOUT, RETURNED_PAYOUT, SENT_PAYOUT } from './schemas/examples.ts';
import { PayoutSchema } from './schemas/payout.ts';

type Notification = Pick<OutgoingEventDef, 'notification'>;
const notify = (severity: Severity, title: string): Notification => ({ notification: { severity, title } });

const ofPayout = (type: string, summary: string, example: unknown, more: Notification): OutgoingEventDef =>
  defineEvent({ type, summary, schema: PayoutSchema, example, ...more });

export const payoutEvents: readonly OutgoingEventDef[] = [
  ofPayout('payout.in_transit', 'A payout is on its way', SENT_PAYOUT, {}),
  ofPayout(
    'payout.paid',
    'A payout has arrived',
    PAID_PAYOUT,
    notify('info', 'Payout {payout_id} has arrived'),
  ),
  ofPayout(
    'payout.failed',
    'A payout has failed or was canceled; the money waits for another attempt',
    FAILED_PAYOUT,
    notify('critical', 'Payout {payout_id} has failed: {failure_code}'),
  ),
  ofPayout(
    'payout.returned',
    'The bank has sent a payout back; the money waits for another attempt',
    RETURNED_PAYOUT,
    notify('critical', 'The bank has sent payout {payout_id} back: {failure_code}'),
  ),
];
