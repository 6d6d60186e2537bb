/** The settlement that is still open. */

import type { SettlementSchedule } from '../../../kernel/australia/settlement-period.ts';
import type { AccountScope } from '../../reconciliation/index.ts';
import { openPeriodOf, settlementIdOf } from '../../settlements/index.ts';
import type { AsOf } from '../domain/as-of.ts';
import { hasLineOnItsDay, settledThrough } from '../store/figures.ts';

/** The open period of an instant; undefined before the first line. */
export async function nextSettlement(
  { db, sellerId, currency }: AccountScope,
  asOf: AsOf,
  schedule: SettlementSchedule,
) {
  const { closed_through, first_on: earlier } = await settledThrough(
    db,
    sellerId,
    currency,
    asOf.wholeBefore,
  );
  const isFirstDay =
    earlier === null &&
    asOf.wholeBefore === asOf.day &&
    (await hasLineOnItsDay(db, sellerId, currency, asOf));
  const first_on = isFirstDay ? asOf.day : earlier;
  if (first_on === null) return undefined;
  const standing = { currency, closed_through, first_on, balance_minor: 0n };
  const { start, end } = openPeriodOf(standing, schedule);
  return { settlement_id: settlementIdOf(sellerId, currency, start), period_end: end };
}
