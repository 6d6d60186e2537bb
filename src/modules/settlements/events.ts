/** Events about settlements and debts. `data.object` is the whole resource, as its own route shows it. */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import { minor } from '../../kernel/money.ts';
import { DebtSchema, type DebtWire, debtToWire } from './schemas/debt.ts';
import { CLOSED_EXAMPLE, HELD_EXAMPLE, PAID_EXAMPLE } from './schemas/examples.ts';
import { SettlementSchema } from './schemas/settlement.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace'>;
const notify = (severity: Severity, title: string): More => ({ notification: { severity, title } });
/** Whoever pays by hand learns what is to be paid, and what must wait. */
const told = { marketplace: true } as const;

const ofSettlement = (type: string, summary: string, example: unknown, more: More): OutgoingEventDef =>
  defineEvent({ type, summary, schema: SettlementSchema, example, ...more });

const DEBT_EXAMPLE: DebtWire = debtToWire({
  currency: 'AUD',
  balance: minor(-50_735),
  since: '2026-07-24',
  days: 30,
  write_off_on: '2027-01-20',
});

const debtEvents = [
  defineEvent({
    type: 'balance.negative',
    summary: 'The balance has been below zero for 30 or 60 days: nothing is paid until sales make up for it',
    schema: DebtSchema,
    example: DEBT_EXAMPLE,
    marketplace: true,
    notification: {
      severity: 'warning',
      title: 'Your balance has been below zero since {negative_since}',
    },
  }),
  defineEvent({
    type: 'balance.written_off',
    summary: 'A debt of 180 days was given up, as far as no other money of the seller covers it',
    schema: DebtSchema,
    example: { ...DEBT_EXAMPLE, days: 180, written_off_minor: 50_735 },
    marketplace: true,
    notification: {
      severity: 'info',
      title: 'What your balance owed since {negative_since} was written off',
    },
  }),
];

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
  ...debtEvents,
];
