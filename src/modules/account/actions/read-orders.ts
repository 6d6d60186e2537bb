/** The figures of orders as the API shows them. */

import { lessMinor, minorToJson, negated, sumMinor } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { isDelivery } from '../../ledger/index.ts';
import type { AccountScope } from '../../reconciliation/index.ts';
import { allJson, feeComponentsOf } from '../../settlements/index.ts';
import { statusOfLine, sumByBucket, sumByType } from '../domain/order-figures.ts';
import {
  type ChargedBy,
  type EntryPosition,
  type FirstLine,
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

export interface OrderStatement extends ChargedBy {
  readonly order_id: string;
  readonly lines: readonly Line[];
}

/** Components that an order should have and that were not recorded. */
const missingOf = ({ lines, fee_captured }: OrderStatement) =>
  !fee_captured && lines.some(({ type }) => isDelivery(type)) ? (['payment_processing'] as const) : [];

export function orderStatementJson(statement: OrderStatement, today: string) {
  const { order_id, lines, fee_schedule_version } = statement;
  const [first] = lines;
  if (first === undefined) throw new Error(`${order_id} has no lines`);
  const { gross, fees, adjustments } = sumByBucket(lines);
  return {
    order_id,
    order_number: first.order_number,
    posted_on: first.posted_on,
    available_on: first.available_on,
    status: statusOfLine(first, today),
    settlement_id: first.settlement_id,
    currency: first.currency,
    gross_order_amount_minor: minorToJson(gross),
    marketplace_fees_minor: minorToJson(negated(fees)),
    adjustments_minor: minorToJson(adjustments),
    net_payout_minor: minorToJson(lessMinor(sumMinor([gross, adjustments]), negated(fees))),
    fee_components: allJson(feeComponentsOf(sumByType(lines))),
    missing_components: [...missingOf(statement)],
    fee_schedule_version,
    lines: lines.map((line) => lineJson(line, today)),
  };
}

/** For an order that exists only in the ledger. */
const UNKNOWN: ChargedBy = { fee_schedule_version: null, fee_captured: false };

/** Orders with all their posted lines, including lines in hold. An order without lines is left out. */
export async function readOrders(at: SellerDb, orderIds: readonly string[]): Promise<OrderStatement[]> {
  const lines = Map.groupBy(await linesOfOrders(at, orderIds), ({ order_id }) => order_id);
  const terms = await termsOfOrders(at, orderIds);
  return orderIds.flatMap((order_id) => {
    const own = lines.get(order_id);
    return own === undefined ? [] : [{ order_id, lines: own, ...(terms.get(order_id) ?? UNKNOWN) }];
  });
}

/** How a list of orders reads a page: sorted by the first line of each order, the latest first. */
export const orderList = {
  read: (
    of: AccountScope,
    filter: OrderFilter,
    after: readonly (string | number)[] | undefined,
    limit: number,
  ) => listOrdersWithLines(of, filter, after as EntryPosition | undefined, limit),
  position: ({ posted_on, position }: FirstLine): EntryPosition => [posted_on, position],
};
