/** A dropship order on the wire: as the seller sees it, and as its supplier does. */
import Type, { type Static } from 'typebox';
import { currencyExponent, jsonOrNull, type Minor } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { ATTENTIONS } from '../domain/attention.ts';
import { compare, DROPSHIP_STATUSES, type Fact, type ShipFact } from '../domain/fold.ts';
import type { DropshipOrder } from '../store/dropship-orders.ts';
import { Supplier } from './listing.ts';

const units = (description: string) => Type.Integer({ description });
const textOrNull = (description: string) => Nullable(Type.String({ description }));
const costOrNull = (description: string) =>
  Nullable(Type.Integer({ description: `${description}; null: you may not read costs` }));

export const DropshipStatusSchema = StringEnum(DROPSHIP_STATUSES, {
  title: 'DropshipOrderStatus',
  description: 'The first that holds for some units; `accepted`: the supplier will send some',
});
export const DropshipAttention = StringEnum(ATTENTIONS, {
  title: 'DropshipOrderAttention',
  description:
    '`with_seller`: the supplier gave units back, so act on them in the order. `late`: accepted and not sent in time. `shipped_after_cancel`: the supplier sent units that the order has no more',
});

const Quantities = Type.Object(
  {
    routed: units('queued + sent + accepted_open + shipped + returned + cancelled'),
    queued: units('Units of which the supplier does not know yet'),
    sent: units('Units that wait for the supplier’s answer'),
    accepted_open: units('Units that the supplier will send'),
    shipped: units('Units in parcels of the supplier'),
    returned: units('Units that the supplier gave back: they are ordinary units of the order'),
    cancelled: units('Units that were cancelled, rejected or taken over'),
    shipped_after_cancel: units('Units that the supplier sent and the order had no more; in no other figure'),
  },
  { title: 'DropshipQuantities', description: 'Where the units of a line are.' },
);

const Line = Type.Object(
  {
    order_line_id: Type.String(),
    line_no: units('Place of the line in the order, from 1'),
    product_id: Type.String(),
    seller_sku: textOrNull('Your SKU'),
    listing_id: Type.String({ description: 'The listing under which the units were sold, `dsl_…`' }),
    supplier_item_id: Type.String(),
    supplier_sku: Type.String({ description: 'The supplier’s own SKU' }),
    title: textOrNull('Title under which the buyer bought it'),
    quantities: Quantities,
    unit_cost_minor: costOrNull('What the supplier asks for a unit, tax included'),
  },
  { title: 'DropshipOrderLine', description: 'Units of a line of the order.' },
);

const ShipmentLine = Type.Object(
  { order_line_id: Type.String(), quantity: units('Units in the parcel') },
  { title: 'DropshipShipmentLine', description: 'Units in a parcel.' },
);
const Shipment = Type.Object(
  {
    supplier_shipment_id: Type.String({ description: 'The supplier’s own id of the parcel' }),
    shipment_id: textOrNull('The parcel of the order; null: the order had none of its units any more'),
    lines: Type.Array(ShipmentLine, { description: 'Units in the parcel' }),
    carrier: Type.String(),
    tracking_number: Type.String(),
    tracking_url: textOrNull('Where the buyer follows the parcel; null: the carrier is not known'),
    shipped_at: Instant({ description: 'When the supplier sent it' }),
  },
  { title: 'DropshipShipment', description: 'A parcel of the supplier.' },
);

const id = Type.String({ description: 'Id of the dropship order, `dso_…`' });
export const DropshipOrderSchema = Type.Object(
  {
    dropship_order_id: id,
    order_id: Type.String(),
    order_number: Type.String(),
    supplier: Supplier,
    status: DropshipStatusSchema,
    attention: Type.Array(DropshipAttention, { description: 'Why you should look at it' }),
    sent_at: Nullable(Instant({ description: 'When the supplier was asked first; null: not yet' })),
    respond_by: Nullable(Instant({ description: 'Units without an answer by then go back to you' })),
    act_by: Nullable(
      Instant({ description: 'By when you act on units that the supplier gave back; null: there are none' }),
    ),
    lines: Type.Array(Line, { description: 'One for each line of the order with such units' }),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    fee_minor: costOrNull('What the supplier asks for the whole order, tax included'),
    freight_minor: Nullable(
      Type.Integer({ description: 'Freight, tax included; null: not stated, or you may not read costs' }),
    ),
    shipments: Type.Array(Shipment, { description: 'Parcels of the supplier' }),
    allowed_actions: Type.Array(
      StringEnum(['take_over'], {
        title: 'DropshipAction',
        description: '`take_over`: send units yourself of which the supplier does not know yet',
      }),
      { description: 'What you can do now' },
    ),
    version: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'DropshipOrder', description: 'Units of one order that one supplier sends.' },
);
export type WireDropshipOrder = Static<typeof DropshipOrderSchema>;

const isShip = (fact: Fact): fact is ShipFact => fact.kind === 'ship';

/** A parcel with its newest carrier and number. */
export function parcelOf(facts: readonly Fact[], told: ShipFact) {
  const { supplier_shipment_id: name } = told;
  const [newest = told] = facts
    .filter((one) => one.kind === 'correct_parcel')
    .filter((one) => one.supplier_shipment_id === name)
    .toSorted((a, b) => compare(b.told_at, a.told_at));
  const { carrier, tracking_number, tracking_url, told_at } = newest;
  return { carrier, tracking_number, tracking_url, told_at };
}

function shipmentsOf(facts: readonly Fact[]): WireDropshipOrder['shipments'] {
  return facts.filter(isShip).map((told) => {
    const { told_at: _, ...parcel } = parcelOf(facts, told);
    return {
      ...{ supplier_shipment_id: told.supplier_shipment_id, shipment_id: told.shipment_id },
      lines: told.lines.map(({ order_line_id, units: quantity }) => ({ order_line_id, quantity })),
      ...parcel,
      shipped_at: told.at,
    };
  });
}

/** @param readsCosts whether the reader may know what the supplier asks */
export function dropshipOrderToWire(
  { row, lines, facts }: DropshipOrder,
  readsCosts = true,
): WireDropshipOrder {
  const { supplier_id, supplier_name: name, currency } = row;
  const cost = (amount: Minor | null) => (readsCosts ? jsonOrNull(amount) : null);
  return {
    ...{ dropship_order_id: row.dropship_order_id, order_id: row.order_id, order_number: row.order_number },
    ...{ supplier: { supplier_id, name }, status: row.status, attention: [...row.attention] },
    ...{ sent_at: row.sent_at, respond_by: row.respond_by, act_by: row.act_by },
    lines: lines.map((line) => ({
      ...{ order_line_id: line.order_line_id, line_no: line.line_no, product_id: line.product_id },
      ...{ seller_sku: line.seller_sku, listing_id: line.listing_id },
      ...{ supplier_item_id: line.supplier_item_id, supplier_sku: line.supplier_sku, title: line.title },
      quantities: {
        ...{ routed: line.routed, queued: line.queued, sent: line.sent, accepted_open: line.accepted_open },
        ...{ shipped: line.shipped, returned: line.returned, cancelled: line.cancelled },
        shipped_after_cancel: line.shipped_after_cancel,
      },
      unit_cost_minor: cost(line.unit_cost_minor),
    })),
    ...{ currency, currency_exponent: currencyExponent(currency) },
    ...{ fee_minor: cost(row.fee_minor), freight_minor: cost(row.freight_minor) },
    shipments: shipmentsOf(facts),
    allowed_actions: lines.some(({ queued }) => queued > 0) ? ['take_over'] : [],
    ...{ version: row.version, created_at: row.created_at, updated_at: row.updated_at },
  };
}

const SupplierLine = Type.Object(
  {
    line_no: units('Names the line in the supplier’s answers'),
    supplier_item_id: Type.String(),
    supplier_sku: Type.String({ description: 'The supplier’s own SKU' }),
    title: textOrNull('Title under which the buyer bought it'),
    quantity: units('Units'),
  },
  { title: 'SupplierOrderLine', description: 'Units that a supplier is asked about.' },
);
const AskedLine = Type.Object(
  {
    ...SupplierLine.properties,
    unit_cost_minor: Type.Integer({
      description: 'The published cost of a unit in minor units; no answer may ask more',
    }),
  },
  { title: 'SupplierOrderAskedLine', description: 'Units that a supplier is asked to send.' },
);
const shared = {
  dropship_order_id: id,
  supplier_id: Type.String({ description: 'The supplier that gets it' }),
  lines: Type.Array(SupplierLine, { description: 'The units' }),
  version: Type.Integer(),
};

/** What a supplier is asked, with no more of the buyer than it needs for an answer. */
export const SupplierOrder = Type.Object(
  {
    ...shared,
    lines: Type.Array(AskedLine, { description: 'The units that the supplier is asked to send' }),
    respond_by: Instant({ description: 'An answer of a later time does not count' }),
    currency: Type.String(),
    fee_minor: Type.Integer({ description: 'The published fee of an order, in minor units' }),
    destination: Type.Object(
      {
        state: textOrNull('State or territory'),
        postcode: textOrNull('Postcode'),
        country: textOrNull('Country, ISO 3166-1 alpha-2 code'),
      },
      { description: 'Where the units go, without name and street' },
    ),
    buyer: Type.Object({ alias: textOrNull('A pseudonym') }, { description: 'Who has bought them' }),
  },
  { title: 'SupplierOrder', description: 'What a supplier is asked to send, without name and street.' },
);

const part = (description: string) => Type.Optional(Type.String({ description }));
/** Where accepted units go. Suppliers get neither e-mail nor telephone. */
export const SupplierAddress = Type.Object(
  {
    ...shared,
    ship_to: Type.Object({
      name: part('Name of the receiver'),
      company: part('Organisation of the receiver'),
      line1: part('First line of the address'),
      line2: part('Second line of the address'),
      city: part('City or suburb'),
      state: part('State or territory'),
      postcode: part('Postcode'),
      country: part('Country, ISO 3166-1 alpha-2 code'),
      delivery_note: part('What the buyer tells the carrier'),
      authority_to_leave: Type.Optional(
        Type.Boolean({ description: 'Whether the carrier may leave the parcel without a signature' }),
      ),
    }),
  },
  { title: 'SupplierAddress', description: 'The address for units that the supplier has accepted.' },
);
export const ADDRESS_PARTS = Object.keys(SupplierAddress.properties.ship_to.properties);

export const CancelRequest = Type.Object(
  {
    ...shared,
    request_id: Type.String({ description: 'Unique in the dropship order' }),
    reason: StringEnum(['order_cancelled', 'no_answer'], {
      title: 'SupplierCancelReason',
      description: 'The order has closed the units, or the supplier did not answer in time',
    }),
  },
  { title: 'SupplierCancelRequest', description: 'Units that the supplier shall not send.' },
);

const supplier_id = 'sup_01j0000000000000000000000';
const dropship_order_id = 'dso_01j0000000000000000000000';
const order_line_id = 'oli_06fh5m2k9x0008m1q4t7v2w5y8';
const item = { supplier_item_id: 'sit_01j0000000000000000000000', supplier_sku: 'BC-MUG-BLU' };
const NONE = { queued: 0, sent: 0, accepted_open: 0, shipped: 0, returned: 0, cancelled: 0 };
export const DROPSHIP_EXAMPLE: WireDropshipOrder = {
  ...{ dropship_order_id, order_id: 'ord_06fh5m2k9x0008m1q4t7v2w5y8', order_number: '1002' },
  supplier: { supplier_id, name: 'Bondi Clay Works' },
  ...{ status: 'accepted', attention: [], sent_at: '2026-06-28T01:02:00.000Z' },
  ...{ respond_by: '2026-06-28T13:02:00.000Z', act_by: null },
  lines: [
    {
      ...{ order_line_id, line_no: 1, product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8', seller_sku: 'MUG-BLU' },
      ...{ listing_id: 'dsl_01j0000000000000000000000', ...item, title: 'Stoneware mug, blue' },
      quantities: { routed: 4, ...NONE, accepted_open: 2, shipped: 2, shipped_after_cancel: 0 },
      unit_cost_minor: 1_840,
    },
  ],
  ...{ currency: 'AUD', currency_exponent: 2, fee_minor: 250, freight_minor: 0 },
  shipments: [
    {
      ...{ supplier_shipment_id: 's-9', shipment_id: 'shp_06fh5m2k9x0008m1q4t7v2w5y8' },
      lines: [{ order_line_id, quantity: 2 }],
      ...{ carrier: 'australia_post', tracking_number: '2JD020603601000931508' },
      tracking_url: 'https://auspost.com.au/mypost/track/details/2JD020603601000931508',
      shipped_at: '2026-06-28T03:00:00.000Z',
    },
  ],
  allowed_actions: [],
  ...{ version: 4, created_at: '2026-06-28T01:00:00.000Z', updated_at: '2026-06-28T03:00:00.000Z' },
};
const SUPPLIER_LINE = { line_no: 1, ...item, title: 'Stoneware mug, blue', quantity: 4 };
const SUPPLIER_PART = { dropship_order_id, supplier_id, lines: [SUPPLIER_LINE], version: 2 };
export const SUPPLIER_ORDER_EXAMPLE: Static<typeof SupplierOrder> = {
  ...SUPPLIER_PART,
  lines: [{ ...SUPPLIER_LINE, unit_cost_minor: 1_840 }],
  ...{ respond_by: '2026-06-28T13:02:00.000Z', currency: 'AUD', fee_minor: 250 },
  destination: { state: 'NSW', postcode: '2000', country: 'AU' },
  buyer: { alias: 'buyer_9f2' },
};
export const ADDRESS_EXAMPLE: Static<typeof SupplierAddress> = {
  ...SUPPLIER_PART,
  ship_to: {
    ...{ name: 'Mia Chen', line1: '1 George Street', city: 'Sydney', state: 'NSW', postcode: '2000' },
    country: 'AU',
  },
};
export const CANCEL_EXAMPLE: Static<typeof CancelRequest> = {
  ...SUPPLIER_PART,
  ...{ request_id: 'cancel_waiting:3', reason: 'order_cancelled' },
};
