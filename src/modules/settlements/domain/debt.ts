/** What becomes of a seller's debt as time passes. Source: docs/design/money.md#hold-reserve-debt. */

import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { lesserMinor, type Minor, minor, negated } from '../../../kernel/money.ts';

/** Days below zero after which the seller is told, and after which the debt is given up. */
export const REMIND_DAYS = [30, 60] as const;
export const WRITE_OFF_DAYS = 180;
export const DEBT_DAYS = [...REMIND_DAYS, WRITE_OFF_DAYS] as const;
export type DebtDays = (typeof DEBT_DAYS)[number];

/** Why the service posts it, and how the seller finds it. */
export const WRITE_OFF_REASON = 'negative_balance_write_off';

/**
 * The marks that a debt has passed and nobody was told of, the first one first.
 *
 * @param since first day below zero without a break
 * @param told marks of which the seller was told since then
 */
export const passedMarks = (since: string, today: string, told: readonly number[]): DebtDays[] =>
  DEBT_DAYS.filter((days) => addDays(since, days) <= today && !told.includes(days));

const ZERO = minor(0);

/**
 * What is given up of a debt: what no other money of the seller covers, held back or on its way to the bank.
 *
 * @param payable below zero: the debt
 * @param owed the debt and everything else that is still owed to the seller
 */
export function uncovered(payable: Minor, owed: Minor): Minor {
  if (payable >= 0n || owed >= 0n) return ZERO;
  return lesserMinor(negated(payable), negated(owed));
}
