/** What a night computes: a forecast for each product that was in demand in half a year. */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import type { Acting } from '../../../kernel/context.ts';
import type { MissingComponent } from '../../../kernel/frame.ts';
import type { NightStep } from '../../../kernel/night-step.ts';
import { type ProductSeries, readAllSeries, saveSnapshot, usedDays } from '../../facts/index.ts';
import { readTrading } from '../../sellers/index.ts';
import { chooseModel, needsOf, WINDOWS } from '../domain/forecast.ts';
import { type SellerIndex, sellerIndex } from '../domain/methods.ts';
import { totalFrom, weekdayOf } from '../domain/reorder.ts';
import { forecastEvents } from '../events.ts';
import type { SummaryBody } from '../schemas.ts';
import {
  dueBefore,
  type ForecastProduct,
  forecasts,
  forgetOthers,
  NEVER,
  policiesOf,
  type StoredModel,
  sellable,
  UNKNOWN,
} from '../store.ts';
import { emptyRow, forecastRow, roundedUnits, supplyOf } from './show.ts';

export const SUMMARY = 'forecasting.summary.v1';
export const PRODUCTS = 'forecasting.products.v1';

const SOON_DAYS = 14;
/** The days of more products are read twice; those of so many take 10 MB. */
const PRODUCTS_KEPT = 2_000;
const SUMMED_DAYS = [7, 14, 28] as const;

/** The days of a series with their first weekday. */
export const daysOf = ({ units, exposure, from }: Pick<ProductSeries, 'units' | 'exposure' | 'from'>) => ({
  ...{ units, exposure },
  weekday: weekdayOf(from),
});

/** How the weekdays of all products differ, for those that sell little, and the days of so many products as are kept. */
async function indexOfSeller(ctx: Acting, through: string) {
  const index = sellerIndex(WINDOWS);
  const kept: ProductSeries[][] = [];
  let products = 0;
  for await (const some of readAllSeries(ctx, through)) {
    for (const series of some) index.add(usedDays(daysOf(series)));
    products += some.length;
    if (products <= PRODUCTS_KEPT) kept.push(some);
    else kept.length = 0;
  }
  return { ofSeller: index.read(), all: products <= PRODUCTS_KEPT ? kept : readAllSeries(ctx, through) };
}

/** Sums over the products of a night. */
interface Totals {
  forecast: number;
  insufficient_history: number;
  readonly expected: number[];
  /** Null: known of no product. */
  reorder_due: number | null;
  soon: number | null;
  readonly missing: Set<MissingComponent>;
}

function modelOf(series: ProductSeries, ofSeller: SellerIndex) {
  const days = daysOf(series);
  const needs = needsOf(usedDays(days));
  if (needs.length > 0) return { needs, model: null };
  const model: StoredModel = { ...chooseModel(days, ofSeller), stock_known: series.days_unknown === 0 };
  return { needs, model };
}

function addUp(
  totals: Totals,
  { model, shown, reorder_due, stockout_on }: ForecastProduct,
  today: string,
): void {
  if (model === null) {
    totals.insufficient_history += 1;
    return;
  }
  totals.forecast += 1;
  for (const [at, days] of SUMMED_DAYS.entries())
    totals.expected[at] = (totals.expected[at] ?? 0) + totalFrom(model, today, days);
  if (reorder_due !== null) totals.reorder_due = (totals.reorder_due ?? 0) + Number(reorder_due);
  if (shown.stock !== null)
    totals.soon = (totals.soon ?? 0) + Number(stockout_on < addDays(today, SOON_DAYS));
  for (const name of shown.missing_components) totals.missing.add(name);
}

/** Forecasts some products, and says which of them are newly due. */
async function forecastSome(
  ctx: Acting,
  some: readonly ProductSeries[],
  { through, ofSeller, settings }: { through: string; ofSeller: SellerIndex; settings: number | null },
): Promise<ForecastProduct[]> {
  const ids = some.map(({ product_id }) => product_id);
  const today = addDays(through, 1);
  const [products, policies, due] = await Promise.all([
    sellable(ctx, ids),
    policiesOf(ctx, ids),
    dueBefore(ctx, ids),
  ]);
  const rows = some.flatMap((series): ForecastProduct[] => {
    const product = products.get(series.product_id);
    if (product === undefined) return [];
    const { product_id, seller_sku, category } = product;
    const { model, needs } = modelOf(series, ofSeller);
    const row = { product_id, seller_sku, category, model, through_on: through };
    if (model === null) {
      const shown = emptyRow(product, 'insufficient_history', needs);
      return [{ ...row, status: 'insufficient_history', reorder_due: null, ...UNKNOWN, shown }];
    }
    const shown = forecastRow(product, model, supplyOf(product, policies, settings), today);
    return [
      {
        ...{ ...row, status: 'forecast', shown },
        reorder_due: shown.reorder?.due ?? null,
        stockout_on: shown.stock?.stockout_on ?? NEVER,
        expected_units: shown.expected_units ?? 0,
      },
    ];
  });
  await forecasts.upsertMany(ctx, rows);
  const news = rows.filter(({ product_id, reorder_due }) => reorder_due && !due.has(product_id));
  const version = Math.floor(Date.parse(through) / 86_400_000);
  await ctx.emit(
    ...news.map(({ shown }) =>
      forecastEvents.reorderDue.of({ ...shown, facts_through_on: through }, { version }),
    ),
  );
  return rows;
}

function summaryOf({ forecast, insufficient_history, expected, reorder_due, soon }: Totals): SummaryBody {
  const products = { forecast, insufficient_history };
  if (forecast === 0) {
    const needs = [{ what: 'forecasts' as const, have: 0, required: 1 }];
    return { products, expected_units: null, reorder_due: null, stockout_in_14_days: null, needs };
  }
  const [week = 0, two = 0, four = 0] = expected.map(roundedUnits);
  return {
    products,
    expected_units: { '7': week, '14': two, '28': four },
    ...{ reorder_due, stockout_in_14_days: soon, needs: [] },
  };
}

async function run(ctx: Acting, through: string): Promise<void> {
  const { ofSeller, all } = await indexOfSeller(ctx, through);
  const { default_lead_time_days: settings } = await readTrading(ctx);
  const totals: Totals = {
    ...{ forecast: 0, insufficient_history: 0, reorder_due: null, soon: null },
    expected: [],
    missing: new Set(),
  };
  for await (const some of all)
    for (const row of await forecastSome(ctx, some, { through, ofSeller, settings }))
      addUp(totals, row, addDays(through, 1));
  await forgetOthers(ctx, through);
  const frame = {
    facts_through_on: through,
    missing: [...totals.missing],
    ...(totals.forecast === 0 && { semantic_status: 'insufficient_history' as const }),
  };
  const body = summaryOf(totals);
  saveSnapshot(ctx, SUMMARY, { ...frame, body });
  saveSnapshot(ctx, PRODUCTS, { ...frame, body: body.needs });
}

export const forecastNight: NightStep = {
  name: 'forecasting',
  feature: 'forecasting',
  run: (ctx, { through_on }) => run(ctx, through_on),
};
