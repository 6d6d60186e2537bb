/** Computes at night the figures about buyers from all orders of a seller. */
import { addDays } from '../../kernel/australia/settlement-period.ts';
import { firstInstant } from '../../kernel/australia/sydney.ts';
import { rateBps } from '../../kernel/frame.ts';
import { currencyExponent } from '../../kernel/money.ts';
import type { NightStep } from '../../kernel/night-step.ts';
import { saveSnapshot } from '../facts/index.ts';
import { cohortsOf, lifetimeOf, segmentsOf, summaryOf } from './domain/figures.ts';
import { Tallying } from './domain/tally.ts';
import { NOTHING } from './schemas.ts';
import { ordersByBuyer } from './store.ts';

/**
 * Shares of orders with a known buyer, in basis points. Below the first, figures are partial; below the
 * second, there are none.
 */
const COVERED_WELL_BPS = 8_000;
const COVERED_MIN_BPS = 5_000;

/** What there is too little of. */
function needsOf(counted: number, coveredBps: number | null) {
  if (coveredBps === null) return [{ what: 'orders', have: counted, required: 1 }];
  if (coveredBps >= COVERED_MIN_BPS) return [];
  return [{ what: 'covered_orders_bps', have: coveredBps, required: COVERED_MIN_BPS }];
}

/** Whether all groups have too few buyers for an average. */
const areFew = (groups: readonly { readonly status: string }[]): boolean =>
  groups.every(({ status }) => status === 'insufficient_sample');

export const customerNight: NightStep = {
  name: 'customer',
  feature: 'customer_analytics',
  run: async (ctx, { through_on, standing: { currency } }) => {
    const today = addDays(through_on, 1);
    const tallying = new Tallying(through_on);
    let [counted, covered, foreign] = [0, 0, 0];
    for await (const rows of ordersByBuyer(ctx, new Date(firstInstant(today)).toISOString()))
      for (const { buyer, currency: paid, ...order } of rows) {
        if (paid !== currency) {
          foreign += 1;
          continue;
        }
        counted += 1;
        if (buyer === null) continue;
        covered += 1;
        tallying.add({ buyer, ...order });
      }
    const tally = tallying.end();
    const coveredBps = rateBps(covered, counted);
    const needs = needsOf(counted, coveredBps);
    const present = today.slice(0, 'YYYY-MM'.length);
    const segments = segmentsOf(tally);
    const cohorts = cohortsOf(tally, present);
    const value = lifetimeOf(tally, present);
    const summary = summaryOf(tally, coveredBps);
    const missing = [
      ...(coveredBps !== null && coveredBps < COVERED_WELL_BPS ? (['customer_identity'] as const) : []),
      ...(foreign > 0 ? (['other_currencies'] as const) : []),
    ];
    const figures = [
      ['summary', summary, summary.repeat_rate_bps === null],
      ['segments', { segments }, areFew(segments)],
      ['cohorts', cohorts, areFew(cohorts.cohorts)],
      ['lifetime-value', value, areFew([...value.by_cohort, ...value.by_segment])],
    ] as const;
    for (const [name, body, isFew] of figures)
      saveSnapshot(ctx, `customer-analytics.${name}.v1`, {
        facts_through_on: through_on,
        missing,
        ...(needs.length > 0
          ? { semantic_status: 'insufficient_history' as const }
          : isFew && missing.length === 0 && { semantic_status: 'insufficient_sample' as const }),
        body: {
          ...(needs.length > 0 ? { ...NOTHING[name], needs } : body),
          currency,
          currency_exponent: currencyExponent(currency),
        },
      });
  },
};
