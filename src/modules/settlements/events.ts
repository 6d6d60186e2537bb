/** Events about settlements and debts. `data.object` is the whole resource, as its route shows it. */
import { defineEvent, type OutgoingEventDef, type Severity } from '../../kernel/events.ts';
import { minor } from '../../kernel/money.ts';
import { DebtSchema, type DebtWire, debtToWire } from './schemas/debt.ts';
import { CLOSED_EXAMPLE, HELD_EXAMPLE, PAID_EXAMPLE } from './schemas/examples.ts';
import { SettlementSchema, type SettlementWire } from './schemas/settlement.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace'>;
const notify = (severity: Severity, title: string): More => ({ notification: { severity, title } });
/** A marketplace that pays by hand reads from the event which settlement it must pay. */
const toMarketplace = { marketplace: true } as const;

const ofSettlement = (type: string, summary: string, example: SettlementWire, more: More) =>
  defineEvent({ type, summary, schema: SettlementSchema, id: 'settlement_id', example, ...more });

export const settlementClosed = ofSettlement(
  'settlement.closed',
  'A settlement period is over; its figures are final',
  CLOSED_EXAMPLE,
  {
    ...toMarketplace,
    ...notify(
      'info',
      'The settlement of {period_start} to {period_end} is closed: {payout_amount_minor} will be paid',
    ),
  },
);
export const settlementHeld = ofSettlement(
  'settlement.held',
  'A settlement is on hold, or the reasons to hold it have changed',
  HELD_EXAMPLE,
  {
    ...toMarketplace,
    ...notify(
      'critical',
      'The payout of {payout_amount_minor} for {period_start} to {period_end} is on hold: {hold_reasons}',
    ),
  },
);
export const settlementReleased = ofSettlement(
  'settlement.released',
  'A settlement is no longer on hold',
  CLOSED_EXAMPLE,
  {
    ...toMarketplace,
    ...notify(
      'info',
      'The payout of {payout_amount_minor} for {period_start} to {period_end} is no longer on hold',
    ),
  },
);
export const settlementCorrected = ofSettlement(
  'settlement.corrected',
  'The marketplace corrected a closed settlement; its figures stay, and the difference is a line of the open settlement',
  CLOSED_EXAMPLE,
  notify('warning', 'The settlement of {period_start} to {period_end} was corrected'),
);
export const payoutScheduled = ofSettlement(
  'payout.scheduled',
  'The payout of a settlement has a date, `expected_payout_on`',
  CLOSED_EXAMPLE,
  {},
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
  summary: 'The balance has been below zero for 30 or 60 days: nothing is paid until sales cover it',
  schema: DebtSchema,
  example: DEBT_EXAMPLE,
  marketplace: true,
  notification: {
    severity: 'warning',
    href: '/financials/balances',
    title: 'Your balance has been below zero since {negative_since}: {balance_minor}',
  },
});
export const balanceWrittenOff = defineEvent({
  type: 'balance.written_off',
  summary: 'The part of a debt of 180 days that no other money of the seller covers was written off',
  schema: DebtSchema,
  example: { ...DEBT_EXAMPLE, days: 180, written_off_minor: 50_735 },
  marketplace: true,
  notification: {
    severity: 'info',
    href: '/financials/balances',
    title: 'Your negative balance of {negative_since} was written off: {written_off_minor}',
  },
});

export const settlementEvents: readonly OutgoingEventDef[] = [
  settlementClosed,
  settlementHeld,
  settlementReleased,
  settlementPaid,
  settlementCorrected,
  payoutScheduled,
  balanceNegative,
  balanceWrittenOff,
];
