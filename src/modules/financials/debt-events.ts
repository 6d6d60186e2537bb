/** What a seller is told whose balance stays below zero. */
import { defineEvent } from '../../kernel/events.ts';
import { minor } from '../../kernel/money.ts';
import { DebtSchema, type DebtWire, debtToWire } from './schemas/debt.ts';

const EXAMPLE: DebtWire = debtToWire({
  currency: 'AUD',
  balance: minor(-50_735),
  since: '2026-07-24',
  days: 30,
  write_off_on: '2027-01-20',
});

export const debtEvents = [
  defineEvent({
    type: 'balance.negative',
    summary: 'The balance has been below zero for 30 or 60 days: nothing is paid until sales make up for it',
    schema: DebtSchema,
    example: EXAMPLE,
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
    example: { ...EXAMPLE, days: 180, written_off_minor: 50_735 },
    marketplace: true,
    notification: {
      severity: 'info',
      title: 'What your balance owed since {negative_since} was written off',
    },
  }),
];
