/** The figures of orders on the wire. */

import { lessMinor, minorToJson, negated, sumMinor } from '../../../kernel/money.ts';
import type { AccountScope } from '../../reconciliation/index.ts';
import { feeComponentsOf } from '../../settlements/index.ts';
import { statusOfLine, sumByBucket, sumByType } from '../domain/order-figures.ts';
import {
  type ChargedBy,
  type EntryPosition,
  type Line,
  linesOfOrders,
  listOrdersWithLines,
  type OrderFilter,
  termsOfOrders,
} from '../store/statement-lines.ts';

/** A line of the statement on a Sydney day. */
export const lineJson = (line: Line, today: string) => ({
  transaction_id: line.entry_id,
  type: line.type,
  component: line.component,
  bucket: line.bucket,
  order_line_id: line.order_line_id,
  sku: line.seller_sku,
  quantity: line.quantity,
  amount_minor: minorToJson(line.amount),
  rate_bps: line.rate_bps,
  posted_on: line.posted_on,
  available_on: line.available_on,
  occurred_at: line.occurred_at,
  related_id: line.related_id,
  description: line.description,
  late: line.late,
  status: statusOfLine(line, today),
  settlement_id: line.settlement_id,
});

export const feeComponentsJson = (lines: readonly Line[]) => {
  const parts = feeComponentsOf(sumByType(lines));
  return {
    platform_fee_minor: minorToJson(parts.platform_fee_minor),
    loyalty_program_fund_minor: minorToJson(parts.loyalty_program_fund_minor),
    seller_order_fee_minor: minorToJson(parts.seller_order_fee_minor),
    payment_processing_minor: minorToJson(parts.payment_processing_minor),
    fee_credits_minor: minorToJson(parts.fee_credits_minor),
  };
};

export interface OrderStatement extends ChargedBy {
  readonly order_id: string;
  readonly lines: readonly Line[];
}

/** Components that an order should have and that were not recorded. */
const missingOf = ({ lines, fee_captured }: OrderStatement) =>
  !fee_captured && lines.some(({ type }) => type === 'sale') ? (['payment_processing'] as const) : [];

export function orderStatementJson(statement: OrderStatement, today: string) {
  const { order_id, lines, fee_schedule_version } = statement;
  const [first] = lines;
  if (first === undefined) throw new Error(`${order_id} has no lines`);
  const { gross, fees, adjustments } = sumByBucket(lines);
  return {
    order_id,
    posted_on: first.posted_on,
    available_on: first.available_on,
    status: statusOfLine(first, today),
    settlement_id: first.settlement_id,
    currency: first.currency,
    gross_order_amount_minor: minorToJson(gross),
    marketplace_fees_minor: minorToJson(negated(fees)),
    adjustments_minor: minorToJson(adjustments),
    net_payout_minor: minorToJson(lessMinor(sumMinor([gross, adjustments]), negated(fees))),
    fee_components: feeComponentsJson(lines),
    missing_components: [...missingOf(statement)],
    fee_schedule_version,
    lines: lines.map((line) => lineJson(line, today)),
  };
}

/** For an order that exists only in the ledger. */
const UNKNOWN: ChargedBy = { fee_schedule_version: null, fee_captured: false };

/** Orders with every line that was ever posted for them, those in hold too; an order without any is left out. */
export async function readOrders(
  { db, sellerId }: Pick<AccountScope, 'db' | 'sellerId'>,
  orderIds: readonly string[],
): Promise<OrderStatement[]> {
  const lines = Map.groupBy(await linesOfOrders(db, sellerId, orderIds), ({ order_id }) => order_id);
  const terms = await termsOfOrders(db, sellerId, orderIds);
  return orderIds.flatMap((order_id) => {
    const own = lines.get(order_id);
    return own === undefined ? [] : [{ order_id, lines: own, ...(terms.get(order_id) ?? UNKNOWN) }];
  });
}

export interface OrderPage {
  readonly orders: readonly OrderStatement[];
  /** Where the next page begins; undefined after the last. */
  readonly next: EntryPosition | undefined;
}

/** One page of orders by their first line, the latest first. */
export async function pageOfOrders(
  of: AccountScope,
  filter: Omit<OrderFilter, 'currency'>,
  after: EntryPosition | undefined,
  limit: number,
): Promise<OrderPage> {
  const { db, sellerId, currency } = of;
  const found = await listOrdersWithLines(db, sellerId, { ...filter, currency }, after, limit);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const orders = await readOrders(
    of,
    page.map(({ order_id }) => order_id),
  );
  return {
    orders,
    next: found.length > limit && last !== undefined ? [last.posted_on, last.position] : undefined,
  };
}
