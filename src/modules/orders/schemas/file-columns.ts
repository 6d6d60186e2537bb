/** Columns of the files of orders, refunds and returns. Amounts are decimals in the currency of their row. */
import type { CsvColumn, CsvValue } from '../../../kernel/csv-writer.ts';
import { formatAmount, type Minor } from '../../../kernel/money.ts';
import { linesOfShipment, type Order, type OrderLine, shippedOf } from '../domain/order.ts';
import type { ListedPart } from '../store/list-parts.ts';

export interface FileOrder {
  readonly order: Order;
}
/** A line of an order. */
interface FileLine extends FileOrder {
  readonly line: OrderLine;
}
export const splitOrder = ({ order }: FileOrder): FileLine[] => order.lines.map((line) => ({ order, line }));

type Reader<Row> = (row: Row) => CsvValue;
const columnsOf =
  <Row>(kind: CsvColumn<Row>['kind']) =>
  (columns: Readonly<Record<string, Reader<Row>>>): CsvColumn<Row>[] =>
    Object.entries(columns).map(([name, value]) => ({ name, kind, value }));

const amount = ({ head }: Order, value: Minor): string => formatAmount(value, head.currency);

const SHIP_TO = [
  'name',
  'company',
  'line1',
  'line2',
  'city',
  'state',
  'postcode',
  'country',
  'phone',
  'email',
  'delivery_note',
] as const;
/** The marketplace sends the address as it likes; only texts are written. */
const shipTo = Object.fromEntries(
  SHIP_TO.map((name): [string, Reader<FileLine>] => [
    `ship_to_${name}`,
    ({ order }) => {
      const value = order.head.ship_to[name];
      return typeof value === 'string' ? value : null;
    },
  ]),
);

/** Texts of the parcels that carry units of the line, each once. */
const ofParcels =
  (field: 'carrier' | 'tracking_number'): Reader<FileLine> =>
  ({ order, line }) => {
    const parcels = order.shipments.filter(
      ({ shipment_id, status }) =>
        status !== 'cancelled' &&
        linesOfShipment(order, shipment_id).some(
          (one) => one.order_line_id === line.order_line_id && one.quantity > 0,
        ),
    );
    return [...new Set(parcels.flatMap((parcel) => parcel[field] ?? []))].join(' ') || null;
  };

const lineTexts = columnsOf<FileLine>('text');
const lineDates = columnsOf<FileLine>('date');
const lineNumbers = columnsOf<FileLine>('number');
const lineAmounts = columnsOf<FileLine>('decimal');

/** One row for each line of an order, shipping included, so that `net` adds up to `order_total`. */
export const ORDER_COLUMNS: readonly CsvColumn<FileLine>[] = [
  ...lineTexts({
    order_id: ({ order }) => order.head.order_id,
    external_order_id: ({ order }) => order.head.external_order_id,
    order_number: ({ order }) => order.head.order_number,
    status: ({ order }) => order.head.status,
    payment_status: ({ order }) => order.head.payment_status,
    refund_status: ({ order }) => order.head.refund_status,
  }),
  ...lineDates({
    placed_at: ({ order }) => order.head.placed_at,
    accepted_at: ({ order }) => order.head.accepted_at,
    dispatch_by: ({ order }) => order.head.dispatch_by,
    delivered_at: ({ order }) => order.head.delivered_at,
    updated_at: ({ order }) => order.head.updated_at,
  }),
  ...lineTexts({
    buyer_alias: ({ order }) => order.head.buyer_alias,
    customer_ref: ({ order }) => order.head.customer_ref,
    ...shipTo,
    order_line_id: ({ line }) => line.order_line_id,
  }),
  ...lineNumbers({ line_no: ({ line }) => line.line_no }),
  ...lineTexts({
    kind: ({ line }) => line.kind,
    product_id: ({ line }) => line.product_id,
    seller_sku: ({ line }) => line.seller_sku,
    title: ({ line }) => line.title,
    line_status: ({ line }) => line.status,
    carriers: ofParcels('carrier'),
    tracking_numbers: ofParcels('tracking_number'),
  }),
  ...lineNumbers({
    quantity: ({ line }) => (line.kind === 'item' ? line.ordered : 1),
    awaiting: ({ line }) => line.awaiting,
    accepted_open: ({ line }) => line.accepted_open,
    rejected: ({ line }) => line.rejected,
    cancelled: ({ line }) => line.cancelled,
    shipped: ({ line }) => shippedOf(line),
    delivered: ({ line }) => line.delivered,
    returned: ({ line }) => line.returned,
  }),
  ...lineAmounts({
    unit_price: ({ order, line }) => amount(order, line.unit_price_minor),
    gross: ({ order, line }) => amount(order, line.gross_minor),
    discount: ({ order, line }) => amount(order, line.discount_minor),
    net: ({ order, line }) => amount(order, line.net_minor),
    order_total: ({ order }) => amount(order, order.head.total_minor),
  }),
  ...lineTexts({ currency: ({ order }) => order.head.currency }),
];

/** A line of a refund or of a return. */
interface PartLine<K extends 'refunds' | 'returns'> extends ListedPart<K> {
  readonly line: Order[K extends 'refunds' ? 'refund_lines' : 'return_lines'][number];
}
type RefundFileLine = PartLine<'refunds'>;
type ReturnFileLine = PartLine<'returns'>;
export const splitRefund = (row: ListedPart<'refunds'>): RefundFileLine[] =>
  row.order.refund_lines
    .filter(({ refund_id }) => refund_id === row.part.refund_id)
    .map((line) => ({ ...row, line }));
export const splitReturn = (row: ListedPart<'returns'>): ReturnFileLine[] =>
  row.order.return_lines
    .filter(({ return_id }) => return_id === row.part.return_id)
    .map((line) => ({ ...row, line }));

const soldAs = ({ order, line }: RefundFileLine | ReturnFileLine): OrderLine | undefined =>
  order.lines.find(({ order_line_id }) => order_line_id === line.order_line_id);

const refundTexts = columnsOf<RefundFileLine>('text');
/** One row for each line of a refund. */
export const REFUND_COLUMNS: readonly CsvColumn<RefundFileLine>[] = [
  ...refundTexts({
    refund_id: ({ part }) => part.refund_id,
    external_refund_id: ({ part }) => part.external_refund_id,
    order_id: ({ part }) => part.order_id,
    order_number: ({ order }) => order.head.order_number,
    status: ({ part }) => part.status,
    requested_by: ({ part }) => part.requested_by,
    reason: ({ part }) => part.reason,
    failure_code: ({ part }) => part.failure_code,
  }),
  ...columnsOf<RefundFileLine>('date')({
    created_at: ({ part }) => part.created_at,
    settled_at: ({ part }) => part.settled_at,
  }),
  ...refundTexts({
    order_line_id: ({ line }) => line.order_line_id,
    kind: (row) => soldAs(row)?.kind ?? null,
    seller_sku: (row) => soldAs(row)?.seller_sku ?? null,
    title: (row) => soldAs(row)?.title ?? null,
  }),
  ...columnsOf<RefundFileLine>('number')({ quantity: ({ line }) => line.quantity }),
  ...columnsOf<RefundFileLine>('decimal')({
    amount: ({ order, line }) => amount(order, line.amount_minor),
    refund_amount: ({ order, part }) => amount(order, part.amount_minor),
  }),
  ...refundTexts({ currency: ({ order }) => order.head.currency }),
];

const returnTexts = columnsOf<ReturnFileLine>('text');
const returnNumbers = columnsOf<ReturnFileLine>('number');
/** One row for each line of a return. */
export const RETURN_COLUMNS: readonly CsvColumn<ReturnFileLine>[] = [
  ...returnTexts({
    return_id: ({ part }) => part.return_id,
    external_return_id: ({ part }) => part.external_return_id,
    order_id: ({ part }) => part.order_id,
    order_number: ({ order }) => order.head.order_number,
    status: ({ part }) => part.status,
    refusal_reason: ({ part }) => part.refusal_reason,
  }),
  ...columnsOf<ReturnFileLine>('date')({
    requested_at: ({ part }) => part.requested_at,
    respond_by: ({ part }) => part.respond_by,
    answered_at: ({ part }) => part.answered_at,
    received_at: ({ part }) => part.received_at,
    inspected_at: ({ part }) => part.inspected_at,
    closed_at: ({ part }) => part.closed_at,
  }),
  ...returnTexts({
    order_line_id: ({ line }) => line.order_line_id,
    seller_sku: (row) => soldAs(row)?.seller_sku ?? null,
    title: (row) => soldAs(row)?.title ?? null,
    reason: ({ line }) => line.reason,
    note: ({ line }) => line.note,
  }),
  ...returnNumbers({
    quantity: ({ line }) => line.quantity,
    received: ({ line }) => line.received,
    restocked: ({ line }) => line.restocked,
  }),
  ...columnsOf<ReturnFileLine>('boolean')({
    compliant: ({ line }) => line.compliant,
  }),
];
