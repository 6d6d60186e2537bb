import Type from 'typebox';
import { Nullable } from '../../../kernel/schema.ts';
import { LineKind, OrderLineStatus } from './enums.ts';
import { NullableInteger, NullableText, Units } from './parts.ts';

const textOrNull = (description: string) => Nullable(Type.String({ description }));
const minor = (description: string) => Type.Integer({ description });

const Quantities = Type.Object(
  {
    ordered: Units('awaiting + accepted_open + rejected + cancelled + shipped'),
    awaiting: Units('Units that wait for the seller’s answer'),
    accepted_open: Units('Units accepted and not dispatched yet'),
    rejected: Units('Units that the seller rejected'),
    cancelled: Units('Units cancelled after they were accepted'),
    shipped: Units('in_transit + delivered + lost'),
    in_transit: Units('Units handed to the carrier and not delivered yet'),
    delivered: Units('Units delivered to the buyer'),
    lost: Units('Units lost, or returned to the sender undelivered'),
    returned: Units('Delivered units that came back'),
  },
  { title: 'OrderQuantities', description: 'Where the units of a line are. The parts sum to `ordered`.' },
);

export const OrderLineSchema = Type.Object(
  {
    order_line_id: Type.String(),
    line_no: Units('Place of the line in the order, from 1'),
    kind: LineKind,
    product_id: textOrNull('Id of the product; null when the catalogue does not have the SKU'),
    seller_sku: NullableText,
    title: textOrNull('Title under which the buyer bought it'),
    gtin: textOrNull('Global trade item number as 14 digits, when the order was placed; null: none is known'),
    weight_g: Nullable(
      Type.Integer({
        description:
          'Weight of one unit in grams, from the attribute `weight_g` when the order was placed; null: not known',
      }),
    ),
    image_url: textOrNull('First picture of the product when the order was placed; null: there was none'),
    status: OrderLineStatus,
    quantity: Units('Units ordered; 1 for a shipping line'),
    unit_price_minor: Type.Integer(),
    gross_minor: Type.Integer(),
    discount_minor: minor('Share of the order’s discount that falls on the line, in minor units'),
    net_minor: Type.Integer(),
    platform_fee_bps: NullableInteger,
    refundable_minor: minor('What can still be refunded on the line, in minor units'),
    quantities: Quantities,
    quantity_packed: Units('Accepted units in parcels that are not dispatched'),
    quantity_reserved: Units('Units of the stock that the line holds'),
    quantity_supplied: Units('Open units that a supplier sends; you cannot accept or dispatch them'),
  },
  { title: 'OrderLine', description: 'One line of an order: goods, or shipping that the buyer paid.' },
);
