/** The product on the wire. Source: docs/design/feeds-and-imports.md#products. */
import Type, { type Static } from 'typebox';
import { Instant, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { CURATION_STATES, IDENTITY_STRATEGIES, SOURCE_ORIGINS } from '../domain/product.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';
import { Finding, IdentityResolution, NullableInteger, NullableText, TextMap } from './parts.ts';

export const Image = Type.Object(
  {
    image_id: Type.String(),
    url: Type.String({ description: 'As given; the service’s own path for an upload' }),
    alt: NullableText,
    position: Type.Integer({ description: 'From 1, without gaps' }),
    width: NullableInteger,
    height: NullableInteger,
    content_type: NullableText,
    bytes: NullableInteger,
    sha256: NullableText,
  },
  { title: 'ProductImage' },
);

export const Identity = Type.Object(
  {
    strategy: StringEnum(IDENTITY_STRATEGIES),
    value: Type.Optional(Type.String({ description: 'The code as entered, or the product id' })),
    scheme: Type.Optional(Type.String()),
    gtin14: Type.Optional(Type.String({ description: 'Canonical form of a global id' })),
    mpn: Type.Optional(Type.String()),
    brand: Type.Optional(Type.String()),
    reason: Type.Optional(NullableText),
    source: Type.Optional(StringEnum(['seller', 'file'])),
  },
  { title: 'ProductIdentity', description: 'The chosen strategy and exactly the keys that belong to it' },
);

const fields = {
  product_id: Type.String(),
  seller_sku: NullableText,
  title: NullableText,
  description: NullableText,
  brand: NullableText,
  category: NullableText,
  condition: NullableText,
  external_key: Nullable(
    Type.String({ description: 'Key of the product in the file that it was imported from' }),
  ),
  identity: Nullable(Identity),
  price_minor: NullableInteger,
  compare_at_minor: NullableInteger,
  currency: Type.String(),
  currency_exponent: Type.Integer(),
  quantity_available: Nullable(
    Type.Integer({ description: 'On hand less reserved, never below zero; null: not known' }),
  ),
  quantity_reserved: Type.Integer({ description: 'Units that open orders hold' }),
  quantity_on_hand: NullableInteger,
  reorder_point: NullableInteger,
  images: Type.Array(Image),
  attributes: TextMap,
  variation: Nullable(Type.Object({ parent_sku: Type.String(), theme: Type.String(), values: TextMap })),
  status: StringEnum(PRODUCT_STATUSES),
  curation: Type.Object({
    state: StringEnum(CURATION_STATES),
    reasons: Type.Array(Type.Object({ code: Type.String(), detail: NullableText })),
  }),
  visible: Type.Boolean({
    description: 'Buyers can find it: it is active and a version of it is approved',
  }),
  issues: Type.Array(
    Type.Object({
      code: Type.String(),
      severity: Type.String(),
      attribute: NullableText,
      message: Type.String(),
    }),
  ),
  source: Type.Object({
    origin: StringEnum(SOURCE_ORIGINS),
    run_id: NullableText,
    row: NullableInteger,
  }),
  version: Type.Integer(),
  created_at: Instant(),
  updated_at: Instant(),
};

export const Product = Type.Object(fields, { title: 'Product' });
export type WireProduct = Static<typeof Product>;

export const ProductPage = Page(Product);

/** A written product with what the service has to say about the write. */
export const WrittenProduct = Type.Object(
  {
    ...fields,
    warnings: Type.Array(Finding),
    identity_resolution: Nullable(IdentityResolution),
  },
  { title: 'WrittenProduct' },
);
