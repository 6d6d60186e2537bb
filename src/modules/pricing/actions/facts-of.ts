/** What decides the prices of a seller: its fees, and the facts of its products. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { rateOf } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { scheduleOfOrder } from '../../fees/index.ts';
import type { Facts } from '../domain/evaluate.ts';
import type { Fees } from '../domain/margin.ts';
import { capturedSince, offerOf, type PricedRow } from '../store/products.ts';

const DAY_MS = 86_400_000;
const PROCESSING_DAYS = 90;
/** A rate of fewer paid orders says too little. */
const ORDERS_MIN = 30;

/** The fees of a sale today. @param now milliseconds */
export async function readFees(at: SellerDb, currency: string, now: number): Promise<Fees> {
  const schedule = await scheduleOfOrder(at.db, currency, sydneyDate(now));
  const since = new Date(now - PROCESSING_DAYS * DAY_MS).toISOString();
  const paid = await capturedSince(at, currency, since);
  const known = paid !== undefined && paid.orders >= ORDERS_MIN;
  return { schedule, processing_bps: known ? rateOf(paid.fees, paid.captured) : null };
}

export const factsOf = (row: PricedRow): Facts => ({ ...row, competition: offerOf(row) });
