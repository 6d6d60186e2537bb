/** The overview of an account on the wire. */

import type { SettlementSchedule } from '../../../kernel/australia/settlement-period.ts';
import { minorToJson, sumMinor } from '../../../kernel/money.ts';
import type { AccountScope } from '../../reconciliation/index.ts';
import { negativeSince } from '../../settlements/index.ts';
import type { AsOf } from '../domain/as-of.ts';
import { nextSettlement } from './next-settlement.ts';
import { missingComponents, readBalances } from './read-account.ts';

export const OVERVIEW_CONTRACT = 'financials.overview.v1';

/** Delivered sales, fees, pending and paid amounts at an instant. */
export async function readOverview(of: AccountScope, asOf: AsOf, schedule: SettlementSchedule) {
  const next = await nextSettlement(of, asOf, schedule);
  const { figures, view } = await readBalances(of, asOf, OVERVIEW_CONTRACT, next?.period_end);
  const owes = sumMinor([figures.in_hold, figures.available]) < 0n;
  const owedSince = async () =>
    // A debt that no earlier day ended with began on this day.
    (await negativeSince({ db: of.db, seller_id: of.sellerId }, of.currency, asOf.wholeBefore)) ?? asOf.day;
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
