/** Events about settlements and debts. `data.object` is the whole resource, as its own route shows it. */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import { minor } from '../../kernel/money.ts';
import { DebtSchema, type DebtWire, debtToWire } from './schemas/debt.ts';
import { CLOSED_EXAMPLE, HELD_EXAMPLE, PAID_EXAMPLE } from './schemas/examples.ts';
import { SettlementSchema, type SettlementWire } from './schemas/settlement.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace'>;
const notify = (severity: Severity, title: string): More => ({ notification: { severity, title } });
/** A marketplace that pays by hand learns what it has to pay, and what must wait. */
const toMarketplace = { marketplace: true } as const;

const ofSettlement = (type: string, summary: string, example: SettlementWire, more: More) =>
  defineEvent({ type, summary, schema: SettlementSchema, id: 'settlement_id', example, ...more });

export const settlementClosed = ofSettlement(
  'settlement.closed',
  'A settlement period is over; its figures are final',
  CLOSED_EXAMPLE,
  { ...toMarketplace, ...notify('info', 'The settlement of {period_start} to {period_end} is closed') },
);
export const settlementHeld = ofSettlement(
  'settlement.held',
  'There is a reason not to pay a settlement, or another reason',
  HELD_EXAMPLE,
  {
    ...toMarketplace,
    ...notify('critical', 'The settlement of {period_start} to {period_end} is on hold: {hold_reasons}'),
  },
);
export const settlementReleased = ofSettlement(
  'settlement.released',
  'No reason is left not to pay a settlement',
  CLOSED_EXAMPLE,
  {
    ...toMarketplace,
    ...notify('info', 'The settlement of {period_start} to {period_end} is no longer on hold'),
  },
);
export const settlementPaid = ofSettlement('settlement.paid', 'A settlement was paid', PAID_EXAMPLE, {});

const DEBT_EXAMPLE: DebtWire = debtToWire({
  currency: 'AUD',
  balance: minor(-50_735),
  since: '2026-07-24',
  days: 30,
  write_off_on: '2027-01-20',
});

export const balanceNegative = defineEvent({
  type: 'balance.negative',
  summary: 'The balance has been below zero for 30 or 60 days: nothing is paid until sales make up for it',
  schema: DebtSchema,
  example: DEBT_EXAMPLE,
  marketplace: true,
  notification: {
    severity: 'warning',
    title: 'Your balance has been below zero since {negative_since}',
  },
});
export const balanceWrittenOff = defineEvent({
  type: 'balance.written_off',
  summary: 'A debt of 180 days was written off, as far as no other money of the seller covers it',
  schema: DebtSchema,
  example: { ...DEBT_EXAMPLE, days: 180, written_off_minor: 50_735 },
  marketplace: true,
  notification: {
    severity: 'info',
    title: 'What your balance owed since {negative_since} was written off',
  },
});

export const settlementEvents: readonly OutgoingEventDef[] = [
  settlementClosed,
  settlementHeld,
  settlementReleased,
  settlementPaid,
  balanceNegative,
  balanceWrittenOff,
];
