import Type, { type Static } from 'typebox';
import { currencyExponent, jsonOrNull, minorToJson } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { trackedExample, trackedSchema } from '../../../kernel/tracked.ts';
import { trackingUrl } from '../../shipping/index.ts';
import { goodsOfLine, totalOf } from '../domain/priced.ts';
import { outstanding } from '../domain/purchase.ts';
import { PURCHASE_STATUSES, purchaseMachine } from '../domain/purchase-machine.ts';
import type { FactRow, LineRow, LinesDigest, Purchase, PurchaseRow } from '../store/orders.ts';
import {
  amount,
  count,
  currency,
  day,
  ITEM_ID,
  id,
  LINE_ID,
  LINES_MAX,
  note,
  PRODUCT_ID,
  quantity,
  ShipTo,
  SUPPLIER,
  supplier,
  words,
} from './parts.ts';

export const SCOPE = 'purchasing_not_financial_records';
export const CloseReason = StringEnum(['not_coming', 'found_elsewhere', 'defective', 'other'] as const, {
  ...{ title: 'PurchaseCloseReason', description: 'Why you closed it' },
});
const ATTENTION = ['answer_overdue', 'delivery_overdue', 'unmapped_line'] as const;

const product = Nullable(id('The product of yours that the units become, `prd_…`; null: none'));
const requestedOn = Nullable(day('The day on which you need the goods'));
const reference = Nullable(words(100, 'Your own name of the order'));
const shipTo = Nullable(ShipTo);

const LineInput = Type.Object(
  {
    supplier_item_id: id('The item of the supplier, `sit_…`'),
    quantity: quantity('Units: whole packs, from `minimum_quantity` on'),
    product_id: Type.Optional(product),
  },
  { title: 'PurchaseLineInput', description: 'An item to order.' },
);
const lineInputs = Type.Array(LineInput, {
  ...{ minItems: 1, maxItems: LINES_MAX },
  description: 'What is ordered',
});
const optional = { requested_on: requestedOn, ship_to: shipTo, reference, note };
export const PurchaseInput = Type.Object(
  {
    supplier_id: id('The supplier, `sup_…`'),
    lines: lineInputs,
    ...Type.Partial(Type.Object(optional)).properties,
  },
  { title: 'PurchaseOrderInput', description: 'A new purchase order.' },
);
export type PurchaseInput = Static<typeof PurchaseInput>;
export const PurchaseChange = Type.Partial(Type.Object({ lines: lineInputs, ...optional }), {
  title: 'PurchaseOrderChange',
  description: 'The fields to change; `lines` replaces all lines.',
  minProperties: 1,
});
export type PurchaseChange = Static<typeof PurchaseChange>;

export const purchaseStatus = StringEnum(PURCHASE_STATUSES, {
  title: 'PurchaseOrderStatus',
  description: 'Where the order stands; it follows from the quantities of its lines',
});
const Line = Type.Object(
  {
    purchase_line_id: id('Id of the line, `pol_…`'),
    line_no: count('Number of the line, from 1', 1),
    supplier_item_id: id('The item of the supplier'),
    supplier_sku: Type.String({ description: 'The supplier’s name of it' }),
    title: Type.String({ description: 'What it is, in the supplier’s words' }),
    product_id: product,
    seller_sku: Nullable(Type.String({ description: 'Your SKU of the product' })),
    pack_size: count('Units of a pack', 1),
    pack_price_minor: amount('Price of each pack, tax included'),
    goods_minor: amount('Price of all packs that were ordered'),
    quantities: Type.Object(
      {
        ordered: count('Units that were ordered: unconfirmed + confirmed + received + cancelled', 1),
        unconfirmed: count('Units that the supplier has not answered'),
        confirmed: count('Units that the supplier has accepted and you have not received'),
        received: count('Good units that you have received'),
        cancelled: count('Units that do not come'),
        shipped: count('Units that the supplier says it has shipped'),
        rejected_at_receipt: count('Units that arrived and were not good'),
      },
      { title: 'PurchaseQuantities', description: 'Units of a line.' },
    ),
    promised_on: Nullable(day('The day that the supplier has promised')),
  },
  { title: 'PurchaseLine', description: 'An item that is ordered.' },
);
const Shipment = Type.Object(
  {
    supplier_shipment_id: Type.String({ description: 'The supplier’s name of the shipment' }),
    lines: Type.Array(
      Type.Object(
        { line_no: count('Number of the line', 1), quantity: count('Units', 1) },
        { title: 'PurchaseShipmentLine', description: 'Units of a line in a shipment.' },
      ),
      { description: 'What it has' },
    ),
    carrier: Nullable(Type.String({ description: 'The carrier, in the supplier’s words' })),
    tracking_number: Nullable(Type.String({ description: 'Number of the parcel' })),
    tracking_url: Nullable(Type.String({ description: 'Where a known carrier shows the parcel' })),
    shipped_at: Instant({ description: 'When the supplier sent it' }),
    expected_on: Nullable(day('When the supplier expects its arrival')),
  },
  { title: 'PurchaseShipment', description: 'Goods on their way, as the supplier says. They move no stock.' },
);

const summary = {
  number: Type.String({ description: 'Number of the order; numbers rise and may have gaps' }),
  status: purchaseStatus,
  supplier,
  origin: StringEnum(['manual', 'quote'], {
    title: 'PurchaseOrigin',
    description: '`quote`: made from an awarded quote, whose terms hold instead of those of the catalogue',
  }),
  rfq_id: Nullable(id('The request for quotation that it comes from')),
  ...{ reference, note, currency },
  currency_exponent: count('Decimal places of the currency'),
  goods_minor: amount('Price of all goods, tax included'),
  freight_minor: Nullable(amount('Freight; null: not stated, which is not zero')),
  freight_cap_minor: Nullable(amount('The most that you pay for freight that is not stated')),
  total_minor: Nullable(amount('Goods and freight; null while the freight is not stated')),
  payment_terms: Nullable(Type.String({ description: 'When the supplier wants to be paid' })),
  ship_to: shipTo,
  requested_on: requestedOn,
  answer_by: Nullable(
    Instant({
      description: 'Until when the supplier may answer; what it has not answered then is cancelled',
    }),
  ),
  submitted_at: Nullable(Instant({ description: 'When you submitted it' })),
  closed_at: Nullable(Instant({ description: 'When you closed it' })),
  close_reason: Nullable(CloseReason),
  attention: Type.Array(
    StringEnum(ATTENTION, { title: 'PurchaseAttention', description: 'Why you should look at the order' }),
    { description: 'Why you should look at the order' },
  ),
  allowed_actions: Type.Array(Type.String(), { description: 'What you can do now' }),
  missing_components: Type.Array(Type.String(), {
    description: '`freight` if the supplier does not state it',
  }),
  scope: Type.Literal(SCOPE, { description: 'These amounts are not financial records of the marketplace' }),
};
const named = { kind: 'por_', one: 'purchase order' } as const;
export const PurchaseSummary = trackedSchema(
  'purchase_order_id',
  { ...named, title: 'PurchaseOrderSummary', description: 'A purchase order without its lines.' },
  summary,
);
export const PurchaseOrder = trackedSchema(
  'purchase_order_id',
  { ...named, title: 'PurchaseOrder', description: 'An order of goods from a supplier.' },
  {
    ...summary,
    lines: Type.Array(Line, { description: 'What is ordered' }),
    shipments: Type.Array(Shipment, {
      description: 'What the supplier says it has shipped, the oldest first',
    }),
  },
);
type WireSummary = Static<typeof PurchaseSummary>;
/** A purchase order as the API and the events show it. */
export type WirePurchase = Static<typeof PurchaseOrder>;

export const PURCHASE_INPUT_EXAMPLE: PurchaseInput = {
  supplier_id: SUPPLIER.supplier_id,
  lines: [{ supplier_item_id: ITEM_ID, quantity: 144, product_id: PRODUCT_ID }],
};
export const SUMMARY_EXAMPLE: WireSummary = trackedExample('purchase_order_id', 'por_', {
  ...{ number: 'PO-000042', status: 'confirmed' as const, supplier: SUPPLIER, origin: 'manual' as const },
  ...{ rfq_id: null, reference: null, note: null, currency: 'AUD', currency_exponent: 2 },
  ...{ goods_minor: 71_340, freight_minor: 3_850, freight_cap_minor: null, total_minor: 75_190 },
  payment_terms: 'net_14',
  ship_to: {
    ...{ line1: '12 Harbour Street', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
  },
  ...{ requested_on: null, answer_by: '2026-07-03T14:00:00.000Z', submitted_at: '2026-06-28T01:00:00.000Z' },
  ...{ closed_at: null, close_reason: null, attention: [], allowed_actions: ['cancel', 'receive', 'close'] },
  ...{ missing_components: [], scope: SCOPE as typeof SCOPE },
});
export const PURCHASE_EXAMPLE: WirePurchase = {
  ...SUMMARY_EXAMPLE,
  lines: [
    {
      ...{ purchase_line_id: LINE_ID, line_no: 1, supplier_item_id: ITEM_ID, supplier_sku: 'BC-MUG-BLU' },
      ...{ title: 'Stoneware mug, blue', product_id: PRODUCT_ID, seller_sku: 'MUG-BLU', pack_size: 12 },
      ...{ pack_price_minor: 5_945, goods_minor: 71_340, promised_on: '2026-08-03' },
      quantities: {
        ...{ ordered: 144, unconfirmed: 0, confirmed: 132, received: 0, cancelled: 12, shipped: 100 },
        rejected_at_receipt: 0,
      },
    },
  ],
  shipments: [
    {
      ...{ supplier_shipment_id: 's-1', lines: [{ line_no: 1, quantity: 100 }], carrier: 'startrack' },
      ...{ tracking_number: 'ABC123', tracking_url: null, shipped_at: '2026-07-01T01:00:00.000Z' },
      expected_on: '2026-07-03',
    },
  ],
};
export const ORDER_PARAMS = Type.Object({
  purchase_order_id: Type.String({ description: `Id of the purchase order, \`por_…\`` }),
});

export const numberOf = (number: number): string => `PO-${String(number).padStart(6, '0')}`;

/** What a list shows of lines that were read. */
const digestOf = ({ order, lines }: Purchase): LinesDigest => {
  const promised = lines.flatMap((line) =>
    outstanding(line) > 0 && line.promised_on !== null ? [line.promised_on] : [],
  );
  return {
    purchase_order_id: order.purchase_order_id,
    unmapped: lines.some(({ product_id }) => product_id === null),
    unconfirmed: lines.some(({ unconfirmed }) => unconfirmed > 0),
    promised_on: promised.sort()[0] ?? null,
  };
};

/** @param now RFC 3339 @param today the day in Sydney */
export function toSummary(
  row: PurchaseRow,
  digest: LinesDigest | undefined,
  now: string,
  today: string,
): WireSummary {
  const { purchase_order_id, supplier_id, supplier_name: name, status, goods_minor, freight_minor } = row;
  const isOpen = purchaseMachine.allows('receive', status);
  const isLate = isOpen && row.answer_by !== null && row.answer_by <= now && digest?.unconfirmed === true;
  const isOverdue = isOpen && digest?.promised_on != null && digest.promised_on < today;
  const { origin, rfq_id, reference, note: said, payment_terms, ship_to, requested_on, answer_by } = row;
  const { submitted_at, closed_at, close_reason, version, created_at, updated_at } = row;
  return {
    ...{ purchase_order_id, number: numberOf(row.number), status, supplier: { supplier_id, name } },
    ...{ origin, rfq_id, reference, note: said, currency: row.currency },
    currency_exponent: currencyExponent(row.currency),
    ...{ goods_minor: minorToJson(goods_minor), freight_minor: jsonOrNull(freight_minor) },
    freight_cap_minor: jsonOrNull(row.freight_cap_minor),
    total_minor: jsonOrNull(totalOf(goods_minor, freight_minor)),
    ...{ payment_terms, ship_to: ship_to as WireSummary['ship_to'], requested_on, answer_by, submitted_at },
    ...{ closed_at, close_reason },
    attention: [
      ...(isLate ? (['answer_overdue'] as const) : []),
      ...(isOverdue ? (['delivery_overdue'] as const) : []),
      ...(digest?.unmapped === true ? (['unmapped_line'] as const) : []),
    ],
    // Closing twice changes nothing, so it is offered once.
    allowed_actions: purchaseMachine
      .eventsFrom(status, 'seller')
      .filter((action) => action !== 'close' || closed_at === null),
    missing_components: freight_minor === null ? ['freight'] : [],
    ...{ scope: SCOPE, version, created_at, updated_at },
  };
}

const toLine = (line: LineRow, skus: ReadonlyMap<string, string>): WirePurchase['lines'][number] => {
  const { purchase_line_id, line_no, supplier_item_id, supplier_sku, title, product_id, pack_size } = line;
  const { ordered, unconfirmed, confirmed, received, cancelled, shipped, rejected_at_receipt } = line;
  return {
    ...{ purchase_line_id, line_no, supplier_item_id, supplier_sku, title, product_id },
    seller_sku: product_id === null ? null : (skus.get(product_id) ?? null),
    ...{ pack_size, pack_price_minor: minorToJson(line.pack_price_minor) },
    goods_minor: minorToJson(goodsOfLine(line)),
    quantities: { ordered, unconfirmed, confirmed, received, cancelled, shipped, rejected_at_receipt },
    promised_on: line.promised_on,
  };
};

const toShipments = ({ fact }: FactRow): WirePurchase['shipments'] => {
  if (fact.kind !== 'shipped') return [];
  const { supplier_shipment_id, lines, carrier, tracking_number, shipped_at, expected_on } = fact;
  const tracking_url =
    carrier === null || tracking_number === null ? null : trackingUrl(carrier, tracking_number);
  return [
    {
      ...{ supplier_shipment_id, lines: lines.map((line) => ({ ...line })), carrier, tracking_number },
      ...{ tracking_url, shipped_at, expected_on },
    },
  ];
};

/** @param skus SKUs of the lines' products by their ids */
export const toPurchase = (
  purchase: Purchase,
  skus: ReadonlyMap<string, string>,
  now: string,
  today: string,
): WirePurchase => ({
  ...toSummary(purchase.order, digestOf(purchase), now, today),
  lines: purchase.lines.map((line) => toLine(line, skus)),
  shipments: purchase.facts.flatMap(toShipments),
});
