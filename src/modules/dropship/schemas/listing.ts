import Type, { type Static } from 'typebox';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { LISTING_STATUSES } from '../domain/listing-machine.ts';
import { PAUSED_REASONS } from '../domain/mirror.ts';

export const BUFFER_DEFAULT = 5;
const BUFFER_MAX = 1_000;

export const ListingStatusSchema = StringEnum(LISTING_STATUSES, {
  title: 'DropshipListingStatus',
  description: '`paused`: nothing is for sale; open orders go on',
});
export const PausedReasonSchema = StringEnum(PAUSED_REASONS, {
  title: 'DropshipPausedReason',
  description:
    'Why nothing is for sale. `availability_stale`: the supplier has not counted for 24 hours. `availability_unknown`: it does not count the item',
});
const minor = (description: string) => Type.Integer({ description });
const minorOrNull = (description: string) => Nullable(minor(description));

export const Supplier = Type.Object(
  { supplier_id: Type.String(), name: Type.String({ description: 'Name of the supplier' }) },
  { title: 'SupplierName', description: 'A supplier and its name.' },
);

export const Listing = Type.Object(
  {
    listing_id: Type.String({ description: 'Id of the listing, `dsl_…`' }),
    product_id: Type.String(),
    supplier_item_id: Type.String(),
    supplier: Supplier,
    status: ListingStatusSchema,
    paused_reasons: Type.Array(PausedReasonSchema, { description: 'Empty while it is active' }),
    buffer_units: Type.Integer({ description: 'Units of the supplier’s count that are never for sale' }),
    on_hand_reported: Nullable(
      Type.Integer({
        description: 'What the supplier has counted last; 0 after it rejected units as out of stock',
      }),
    ),
    as_of: Nullable(Instant({ description: 'When the supplier counted; null: never' })),
    pending: Type.Integer({ description: 'Promised units that the count does not show yet' }),
    available: Type.Integer({
      description: 'Units for sale: the count less the buffer and the pending units',
    }),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    cost: described(
      'What the supplier asks, tax included, as it has published last',
      Type.Object({
        unit_cost_minor: minor('For each unit, in minor units'),
        fee_minor: minor('For each order, in minor units'),
      }),
    ),
    price_minor: minorOrNull('The live price of the product, in minor units; null: it has none'),
    net_minor: minorOrNull(
      'What the price leaves of one unit after the known fees of `POST /fees/estimates`',
    ),
    margin_minor: minorOrNull('Net less the unit cost and the fee for one unit; may be negative'),
    margin_bps: Nullable(
      Type.Integer({ description: 'Margin by price, in hundredths of a per cent; may be negative' }),
    ),
    missing_components: Type.Array(Type.String(), {
      description: 'What is not known before a sale and is in no figure: `payment_processing`',
    }),
    version: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'DropshipListing', description: 'A product of the seller that a supplier counts and ships.' },
);
export type WireListing = Static<typeof Listing>;

const buffer = Type.Integer({
  minimum: 0,
  maximum: BUFFER_MAX,
  description: 'Units of the supplier’s count that are never for sale, because other sellers sell them too',
});

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }));
const NewProduct = Type.Object(
  {
    seller_sku: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The product’s SKU in your catalogue',
    }),
    title: text(500, 'Default: the title of the item'),
    price_minor: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Price in minor units; without one the product cannot be active',
      }),
    ),
    category: text(400, 'Default: the category of the item'),
  },
  {
    title: 'DropshipProduct',
    description: 'A draft of a product with the title, brand and GTIN of the item.',
  },
);

const fields = {
  supplier_item_id: Type.String({ maxLength: 100, description: 'An item with `dropship`' }),
  product_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Your product; or send `product` to make a draft' }),
  ),
  product: Type.Optional(NewProduct),
  buffer_units: Type.Optional(described(`Default: ${BUFFER_DEFAULT}`, buffer)),
};
export const ListingInput = Type.Object(fields, {
  title: 'DropshipListingInput',
  description: 'An item of a supplier, and the product that sells it.',
});
export type ListingBody = Static<typeof ListingInput>;
export const ListingChange = Type.Object(
  { buffer_units: buffer },
  { title: 'DropshipListingChange', description: 'The buffer of a listing.' },
);

const COST = { unit_cost_minor: 1_840, fee_minor: 250 };
export const LISTING_EXAMPLE: WireListing = {
  listing_id: 'dsl_01j0000000000000000000000',
  product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
  supplier_item_id: 'sit_01j0000000000000000000000',
  supplier: { supplier_id: 'sup_01j0000000000000000000000', name: 'Bondi Clay Works' },
  status: 'active',
  paused_reasons: [],
  ...{ buffer_units: 5, on_hand_reported: 20, as_of: '2026-06-28T01:00:00.000Z', pending: 4, available: 11 },
  ...{ currency: 'AUD', currency_exponent: 2, cost: COST },
  ...{ price_minor: 3_499, net_minor: 3_119, margin_minor: 1_029, margin_bps: 2_941 },
  missing_components: ['payment_processing'],
  version: 1,
  created_at: '2026-06-28T00:00:00.000Z',
  updated_at: '2026-06-28T00:00:00.000Z',
};
