/** The overview of an account as the API shows it. */

import type { SettlementSchedule } from '../../../kernel/australia/settlement-period.ts';
import { minorToJson, sumMinor } from '../../../kernel/money.ts';
import type { AccountScope } from '../../reconciliation/index.ts';
import { negativeSince, openPeriodOf, settlementIdOf } from '../../settlements/index.ts';
import type { AsOf } from '../domain/as-of.ts';
import { hasLineOnItsDay, settledThrough } from '../store/figures.ts';
import { missingComponents, readBalances } from './read-account.ts';

const OVERVIEW_CONTRACT = 'financials.overview.v1';

/** The open period of an instant; undefined before the first line. */
async function nextSettlement(of: AccountScope, asOf: AsOf, schedule: SettlementSchedule) {
  const { seller_id, currency } = of;
  const { closed_through, first_on: earlier } = await settledThrough(of, asOf.wholeBefore);
  const isFirstDay = earlier === null && asOf.wholeBefore === asOf.day && (await hasLineOnItsDay(of, asOf));
  const first_on = isFirstDay ? asOf.day : earlier;
  if (first_on === null) return undefined;
  const { start, end } = openPeriodOf({ closed_through, first_on }, schedule);
  return { settlement_id: settlementIdOf(seller_id, currency, start), period_end: end };
}

/** Delivered sales, fees, pending and paid amounts at an instant. */
export async function readOverview(of: AccountScope, asOf: AsOf, schedule: SettlementSchedule) {
  const next = await nextSettlement(of, asOf, schedule);
  const { figures, view } = await readBalances(of, asOf, OVERVIEW_CONTRACT, next?.period_end);
  const owes = sumMinor([figures.in_hold, figures.available]) < 0n;
  const owedSince = async () =>
    // If the previous day did not end with a debt, the debt began on this day.
    (await negativeSince(of, of.currency, asOf.wholeBefore)) ?? asOf.day;
  return {
    ...view,
    next_settlement:
      next === undefined ? null : { ...next, estimated_payable_minor: minorToJson(figures.available_by) },
    negative_since: owes ? await owedSince() : null,
    missing_components: await missingComponents(of, figures, { start: null, end: asOf.day }),
    cache_status: 'live' as const,
    source_contract: OVERVIEW_CONTRACT,
  };
}
