/** What sellers are told about settlements and payouts. `data.object` is the whole, as its own route shows it. */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import {
  CLOSED_EXAMPLE,
  FAILED_PAYOUT,
  HELD_EXAMPLE,
  PAID_EXAMPLE,
  PAID_PAYOUT,
  RETURNED_PAYOUT,
  SENT_PAYOUT,
} from './schemas/examples.ts';
import { PayoutSchema } from './schemas/payout.ts';
import { SettlementSchema } from './schemas/settlement.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace'>;
const notify = (severity: Severity, title: string): More => ({ notification: { severity, title } });
/** Whoever pays by hand learns what is to be paid, and what must wait. */
const told = { marketplace: true } as const;

const ofSettlement = (type: string, summary: string, example: unknown, more: More): OutgoingEventDef =>
  defineEvent({ type, summary, schema: SettlementSchema, example, ...more });
const ofPayout = (type: string, summary: string, example: unknown, more: More): OutgoingEventDef =>
  defineEvent({ type, summary, schema: PayoutSchema, example, ...more });

export const settlementEvents: readonly OutgoingEventDef[] = [
  ofSettlement('settlement.closed', 'A settlement period is over; its figures stand', CLOSED_EXAMPLE, {
    ...told,
    ...notify('info', 'The settlement of {period_start} to {period_end} is closed'),
  }),
  ofSettlement('settlement.held', 'There is a reason not to pay a settlement, or another one', HELD_EXAMPLE, {
    ...told,
    ...notify('critical', 'The settlement of {period_start} to {period_end} is on hold: {hold_reasons}'),
  }),
  ofSettlement('settlement.released', 'No reason is left not to pay a settlement', CLOSED_EXAMPLE, {
    ...told,
    ...notify('info', 'The settlement of {period_start} to {period_end} is no longer on hold'),
  }),
  ofSettlement('settlement.paid', 'A settlement was paid', PAID_EXAMPLE, {}),
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
