/** Forecasts as answers show them. */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import type { MissingComponent } from '../../../kernel/frame.ts';
import type { Need } from '../domain/forecast.ts';
import { type PolicyValues, resolvePolicy } from '../domain/policy.ts';
import { expectedFrom, quantileFrom, type Supply, supplyOutlook, totalFrom } from '../domain/reorder.ts';
import type { Forecast, ForecastRow } from '../schemas.ts';
import { ALL_PRODUCTS, type Sellable, type StoredModel } from '../store.ts';

/** Days of the list. */
export const HORIZON_DEFAULT = 28;
const SHARES = { p10: 0.1, p50: 0.5, p90: 0.9 } as const;
const DIGITS = { units: 100, factors: 10_000 };

const rounded = (value: number, unit: number): number => Math.round(value * unit) / unit;
export const roundedUnits = (value: number): number => rounded(value, DIGITS.units);

type Named = Pick<Sellable, 'product_id' | 'seller_sku'>;

const NOTHING = {
  ...{ expected_units: null, quantiles: null, method: null, seasonality: null, dispersion: null },
  ...{ history: null, stock: null, reorder: null },
} as const;

/** The row of a product without a forecast. */
export const emptyRow = (
  { product_id, seller_sku }: Named,
  status: 'insufficient_history' | 'not_computed',
  needs: readonly Need[] = [],
  horizon = HORIZON_DEFAULT,
): ForecastRow => ({
  ...{ product_id, seller_sku, status, horizon },
  ...NOTHING,
  needs: [...needs],
  missing_components: [],
});

/** Stock now and how the seller orders. */
export function supplyOf(
  { product_id, quantity_on_hand, quantity_reserved, quantity_owed, lead_time_days: product }: Sellable,
  policies: ReadonlyMap<string, PolicyValues>,
  settings: number | null,
): Supply & { readonly incoming_known: boolean } {
  const given = { ofProduct: policies.get(product_id), ofAll: policies.get(ALL_PRODUCTS) };
  const { values } = resolvePolicy({ ...given, product, settings });
  return {
    available: quantity_on_hand === null ? null : Math.max(0, quantity_on_hand - quantity_reserved),
    incoming: (quantity_owed ?? 0) + (values.incoming_units ?? 0),
    incoming_known: quantity_owed !== null || values.incoming_units !== null,
    lead_time_days: values.lead_time_days,
    review_days: values.review_days ?? 1,
    service_level_bps: values.service_level_bps ?? 0,
    pack_size: values.pack_size ?? 1,
  };
}

/** @param today the first day that is forecast */
export function forecastRow(
  { product_id, seller_sku }: Named,
  model: StoredModel,
  supply: ReturnType<typeof supplyOf>,
  today: string,
  horizon = HORIZON_DEFAULT,
): ForecastRow {
  const { dispersion, method, source, index, exposure_days, demand_units, capped_days } = model;
  const mean = totalFrom(model, today, horizon);
  const bound = (share: number): number => quantileFrom(model, today, horizon, share);
  const lacks: Partial<Record<MissingComponent, boolean>> = {
    annual_seasonality: true,
    backtest: model.backtest === null,
    incoming_stock: !supply.incoming_known,
    lead_time: supply.lead_time_days === null,
    stock_history: supply.available === null || !model.stock_known,
  };
  return {
    ...{ product_id, seller_sku, status: 'forecast', horizon },
    expected_units: roundedUnits(mean),
    quantiles: { p10: bound(SHARES.p10), p50: bound(SHARES.p50), p90: bound(SHARES.p90) },
    method,
    seasonality: { source, weekday_index: index.map((one) => rounded(one, DIGITS.factors)) },
    dispersion: rounded(dispersion, DIGITS.factors),
    history: { exposure_days, demand_units, capped_days },
    ...supplyOutlook(model, today, supply),
    needs: [],
    missing_components: (Object.keys(lacks) as MissingComponent[]).filter((name) => lacks[name]),
  };
}

export const dailyOf = (model: StoredModel, today: string, horizon: number): Forecast['daily'] =>
  expectedFrom(model, today, horizon).map((expected, offset) => ({
    day: addDays(today, offset),
    expected_units: roundedUnits(expected),
  }));
