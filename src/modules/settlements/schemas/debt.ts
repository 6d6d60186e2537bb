/** A balance below zero in events. */

import Type, { type Static } from 'typebox';
import { type Minor, minorToJson } from '../../../kernel/money.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { Amount, Day, Money, moneyOf } from '../../reconciliation/index.ts';
import { DEBT_DAYS, type DebtDays } from '../domain/debt.ts';

export const DebtSchema = Type.Object(
  {
    ...Money,
    balance_minor: Amount('Below zero: what is owed to the marketplace'),
    negative_since: Day('First day below zero without a break'),
    days: Type.Unsafe<DebtDays>({
      type: 'integer',
      enum: [...DEBT_DAYS],
      description: 'Days below zero that this event reports',
    }),
    write_off_on: Day('When the part that nothing else covers is written off'),
    written_off_minor: Nullable(Type.Integer({ description: 'What was written off; null before' })),
  },
  { title: 'NegativeBalance', description: 'An account below zero.' },
);
export type DebtWire = Static<typeof DebtSchema>;

interface Debt {
  readonly currency: string;
  readonly balance: Minor;
  readonly since: string;
  readonly days: DebtDays;
  readonly write_off_on: string;
}

export const debtToWire = ({ currency, balance, since, days, write_off_on }: Debt): DebtWire => ({
  ...moneyOf(currency),
  balance_minor: minorToJson(balance),
  negative_since: since,
  days,
  write_off_on,
  written_off_minor: null,
});
