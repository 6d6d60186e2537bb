import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { firstInstant, sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import type { SellerCursor, SellerDb } from '../../../platform/db/table.ts';
import { exposureOf, type Outage, type Series, type Span } from '../domain/series.ts';
import { type Demand, demandOf, factState, outagesOf } from '../store/series.ts';
import { DAYS_KEPT, DAYS_READ, daysBetween } from './fill-facts.ts';

const PRODUCTS_AT_ONCE = 500;
/** Outages are kept for 400 days after their end (src/modules/platform/jobs.ts). */
const OUTAGES_KEPT_MS = 400 * 86_400_000;

/** A product with its days, from the first in which it existed or was in demand. */
export interface ProductSeries extends Series {
  readonly product_id: string;
  /** The first of its days. */
  readonly from: string;
  /** How many of the first days lie before its outages are known. They count as exposed. */
  readonly days_unknown: number;
}

interface Window {
  readonly from: string;
  readonly days: readonly Span[];
  /** Milliseconds. */
  readonly stockKnownFrom: number;
}

function windowOf(from: string, to: string, stockKnownFrom: string | null, keptFrom = -Infinity): Window {
  const days = daysBetween(from, to).map((day) => ({
    start: firstInstant(day),
    next: firstInstant(addDays(day, 1)),
  }));
  const recordedFrom = stockKnownFrom === null ? -Infinity : Date.parse(stockKnownFrom);
  return { from, days, stockKnownFrom: Math.max(recordedFrom, keptFrom) };
}

const toOutage = ({
  from_at,
  to_at,
}: {
  readonly from_at: string;
  readonly to_at: string | null;
}): Outage => ({
  from: Date.parse(from_at),
  to: to_at === null ? Infinity : Date.parse(to_at),
});

function seriesOf(window: Window, { product_id, created_at, demand }: Demand, outages: readonly Outage[]) {
  const all = Array<number>(window.days.length).fill(0);
  for (const [offset, units] of demand ?? []) all[offset] = units;
  const created = Date.parse(created_at);
  const since = window.days.findIndex(({ next }, at) => next > created || (all[at] ?? 0) > 0);
  const first = since < 0 ? all.length : since;
  const days = window.days.slice(first);
  return {
    product_id,
    from: addDays(window.from, first),
    units: all.slice(first),
    exposure: exposureOf(days, outages),
    days_unknown:
      created < window.stockKnownFrom ? days.filter(({ start }) => start < window.stockKnownFrom).length : 0,
  };
}

async function withOutages(at: SellerDb, window: Window, rows: readonly Demand[]): Promise<ProductSeries[]> {
  const [start, next] = [window.days[0]?.start ?? 0, window.days.at(-1)?.next ?? 0];
  const found = await outagesOf(
    at,
    rows.map(({ product_id }) => product_id),
    new Date(start).toISOString(),
    new Date(next).toISOString(),
  );
  const byProduct = Map.groupBy(found, ({ product_id }) => product_id);
  const ofAll = byProduct.get('') ?? [];
  return rows.map((row) =>
    seriesOf(window, row, [...ofAll, ...(byProduct.get(row.product_id) ?? [])].map(toOutage)),
  );
}

/** The last 182 days of all products that were in demand in them, in the order of their ids. */
export async function* readAllSeries(at: SellerCursor, through: string): AsyncGenerator<ProductSeries[]> {
  const from = addDays(through, 1 - DAYS_READ);
  const state = await factState(at);
  const window = windowOf(from, through, state?.stock_known_from ?? null);
  const rows = demandOf(at.seller_id, from, through);
  for await (const some of at.db.cursor(rows, PRODUCTS_AT_ONCE)) yield withOutages(at, window, some);
}

/**
 * The days of some products.
 *
 * @param asked default: the last 182 days that are counted, and are still kept
 * @returns none before the first night of the seller
 */
export async function readSeries(
  at: Pick<Acting, 'db' | 'seller_id' | 'now'>,
  productIds: readonly string[],
  asked: { readonly from?: string | undefined; readonly to?: string | undefined } = {},
): Promise<ProductSeries[]> {
  const state = await factState(at);
  if (state?.through_on == null || productIds.length === 0) return [];
  const { through_on } = state;
  const to = asked.to !== undefined && asked.to < through_on ? asked.to : through_on;
  const usual = [addDays(to, 1 - DAYS_READ), addDays(sydneyDate(at.now()), -DAYS_KEPT)].sort()[1] ?? to;
  const from = asked.from ?? usual;
  const rows = await at.db.all(demandOf(at.seller_id, from, to, productIds));
  const keptFrom = at.now() - OUTAGES_KEPT_MS;
  return withOutages(at, windowOf(from, to, state.stock_known_from, keptFrom), rows);
}
