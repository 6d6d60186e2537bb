/** When a debt gets an event or is written off. Source: docs/design/money.md#hold-reserve-debt. */

import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { lesserMinor, type Minor, minor, negated } from '../../../kernel/money.ts';

/** After these days below zero the seller gets an event, and then the debt is written off. */
const REMIND_DAYS = [30, 60] as const;
export const WRITE_OFF_DAYS = 180;
export const DEBT_DAYS = [...REMIND_DAYS, WRITE_OFF_DAYS] as const;
export type DebtDays = (typeof DEBT_DAYS)[number];

/** The reason code of the journal of a write-off. */
export const WRITE_OFF_REASON = 'negative_balance_write_off';

/**
 * The ages that a debt has reached and for which no event was sent, the lowest first.
 *
 * @param since the first of the days below zero without a break
 * @param sent the ages for which an event was sent since then
 */
export const passedMarks = (since: string, today: string, sent: readonly number[]): DebtDays[] =>
  DEBT_DAYS.filter((days) => addDays(since, days) <= today && !sent.includes(days));

const ZERO = minor(0);

/**
 * The amount to write off: the part of a debt that no reserve, settlement or payout of the seller covers.
 *
 * @param payable below zero: the debt
 * @param owed the debt and everything else that is still owed to the seller
 */
export function uncovered(payable: Minor, owed: Minor): Minor {
  if (payable >= 0n || owed >= 0n) return ZERO;
  return lesserMinor(negated(payable), negated(owed));
}
