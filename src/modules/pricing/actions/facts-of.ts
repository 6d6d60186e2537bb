/** What decides the prices of a seller: its fees, and the facts of its products. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { rateOf } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { scheduleOfOrder } from '../../fees/index.ts';
import type { Facts } from '../domain/evaluate.ts';
import type { Fees } from '../domain/margin.ts';
import { capturedSince, type lastPass, offerOf, type PricedRow } from '../store/products.ts';

const DAY_MS = 86_400_000;
const PROCESSING_DAYS = 90;
/** A rate of fewer paid orders says too little. */
const ORDERS_MIN = 30;

/** What payment providers keep, counted from the paid orders; null: not known. */
async function countProcessing(at: SellerDb, currency: string, now: number): Promise<number | null> {
  const since = new Date(now - PROCESSING_DAYS * DAY_MS).toISOString();
  const paid = await capturedSince(at, currency, since);
  return paid !== undefined && paid.orders >= ORDERS_MIN ? rateOf(paid.fees, paid.captured) : null;
}

/**
 * The fees of a sale today. Payment processing is that of the last pass.
 *
 * @param now milliseconds
 * @param last the last pass that has counted payment processing; undefined: it is counted now
 */
export async function readFees(
  at: SellerDb,
  currency: string,
  now: number,
  last: Awaited<ReturnType<typeof lastPass>>,
): Promise<Fees> {
  const schedule = await scheduleOfOrder(at.db, currency, sydneyDate(now));
  const processing_bps =
    last?.currency === currency ? last.processing_bps : await countProcessing(at, currency, now);
  return { schedule, processing_bps };
}

export const factsOf = (row: PricedRow): Facts => ({ ...row, competition: offerOf(row) });
