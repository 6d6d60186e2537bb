/** The settlement that is still open. */
import { minorToJson } from '../../../kernel/money.ts';
import type { SettlementSchedule } from '../../../kernel/settlement-period.ts';
import type { AsOf } from '../domain/as-of.ts';
import { openPeriodOf, settlementIdOf } from '../domain/settlement.ts';
import { payableBy, settledThrough } from '../store/ledger-days.ts';
import type { Described } from './describe-figures.ts';

/** The open period of an instant, and what it would come to as things stood; null before the first line. */
export async function nextSettlement(of: Described, asOf: AsOf, schedule: SettlementSchedule) {
  const { db, sellerId, currency } = of;
  const { closed_through, first_on } = await settledThrough(db, sellerId, currency, asOf.wholeBefore);
  if (first_on === null) return null;
  const standing = { currency, closed_through, first_on, balance_minor: 0n };
  const { start, end } = openPeriodOf(standing, schedule);
  return {
    settlement_id: settlementIdOf(sellerId, currency, start),
    period_end: end,
    estimated_payable_minor: minorToJson(await payableBy(db, sellerId, currency, end, asOf)),
  };
}
