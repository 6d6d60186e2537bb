/** The product on the wire. Source: docs/design/feeds-and-imports.md#products. */
import Type, { type Static } from 'typebox';
import {
  described,
  documentedAs,
  Extended,
  Instant,
  Nullable,
  Page,
  StringEnum,
} from '../../../kernel/schema.ts';
import { IDENTITY_STRATEGIES } from '../domain/product.ts';
import { CurationState, ProductOrigin, ProductStatus } from './enums.ts';
import { Finding, IdentityResolution, NullableInteger, NullableText, TextMap } from './parts.ts';

export const Image = Type.Object(
  {
    image_id: Type.String(),
    url: Type.String({ description: 'As given; the service’s own path for an upload' }),
    alt: Nullable(Type.String({ description: 'Text for people who cannot see the image' })),
    position: Type.Integer({ description: 'From 1, without gaps' }),
    width: Nullable(Type.Integer({ description: 'Width in pixels; null until known' })),
    height: Nullable(Type.Integer({ description: 'Height in pixels; null until known' })),
    content_type: NullableText,
    bytes: NullableInteger,
    sha256: NullableText,
  },
  { title: 'ProductImage', description: 'An image of a product.' },
);

const mpn = Type.Optional(Type.String());
const strategy = <const S extends string>(name: S) =>
  Type.Literal(name, { description: 'How the product is identified' });
const IdentityByStrategy = Type.Union(
  [
    Type.Object(
      {
        strategy: strategy('product_id'),
        value: Type.String({ description: 'Id of the product' }),
        mpn,
      },
      { title: 'IdentityByProductId', description: 'Identified by the id of the service.' },
    ),
    Type.Object(
      {
        strategy: strategy('global_id'),
        value: Type.String({ description: 'The code as entered' }),
        scheme: Type.String({ description: 'Kind of code, for example `GTIN-13`' }),
        gtin14: Type.String({ description: 'Canonical form of the code' }),
        mpn,
      },
      { title: 'IdentityByGlobalId', description: 'Identified by a GTIN, EAN, UPC or ISBN.' },
    ),
    Type.Object(
      { strategy: strategy('mpn_brand'), mpn: Type.String(), brand: Type.String() },
      { title: 'IdentityByMpnBrand', description: 'Identified by part number and brand.' },
    ),
    Type.Object(
      {
        strategy: strategy('exempt'),
        reason: Nullable(Type.String({ description: 'Why the product has no code' })),
        source: StringEnum(['seller', 'file'], { description: 'Who said that it has none' }),
        mpn,
      },
      { title: 'IdentityExempt', description: 'A product without a code.' },
    ),
  ],
  {
    title: 'ProductIdentity',
    description: 'How a product is identified: the strategy and exactly the keys that belong to it.',
    discriminator: { propertyName: 'strategy' },
  },
);

/** Written key by key as it is; the description tells the strategies apart. */
export const Identity = documentedAs(
  IdentityByStrategy,
  Type.Object({
    strategy: StringEnum(IDENTITY_STRATEGIES),
    value: Type.Optional(Type.String()),
    scheme: Type.Optional(Type.String()),
    gtin14: Type.Optional(Type.String()),
    mpn: Type.Optional(Type.String()),
    brand: Type.Optional(Type.String()),
    reason: Type.Optional(NullableText),
    source: Type.Optional(StringEnum(['seller', 'file'])),
  }),
);

const Variation = Type.Object(
  {
    parent_sku: Type.String({ description: 'SKU that all variants of the product share' }),
    theme: Type.String({ description: 'Names of the options, joined by `/`, for example `Colour/Size`' }),
    values: described('The option of this variant for each name of the theme', TextMap),
  },
  { title: 'Variation', description: 'How this variant differs from the others of its family.' },
);

const fields = {
  product_id: Type.String(),
  seller_sku: NullableText,
  title: NullableText,
  description: Nullable(Type.String({ description: 'Description for buyers; simple HTML' })),
  brand: NullableText,
  category: NullableText,
  condition: NullableText,
  external_key: Nullable(
    Type.String({ description: 'Key of the product in the file that it was imported from' }),
  ),
  identity: Nullable(Identity),
  price_minor: Nullable(Type.Integer({ description: 'Price in minor units; null for a draft without one' })),
  compare_at_minor: NullableInteger,
  currency: Type.String(),
  currency_exponent: Type.Integer(),
  quantity_available: Nullable(
    Type.Integer({ description: 'On hand less reserved, never below zero; null: not known' }),
  ),
  quantity_reserved: Type.Integer({ description: 'Units that open orders hold' }),
  quantity_on_hand: NullableInteger,
  reorder_point: NullableInteger,
  images: Type.Array(Image, { description: 'Images in the order in which buyers see them' }),
  attributes: described('The seller’s own facts, for example `colour`', TextMap),
  variation: Nullable(Variation),
  status: ProductStatus,
  curation: Type.Object(
    {
      state: CurationState,
      reasons: Type.Array(
        Type.Object({
          code: Type.String({ description: 'Reason for programs' }),
          detail: Nullable(Type.String({ description: 'Reason for people' })),
        }),
        { description: 'Why the marketplace decided so' },
      ),
    },
    { title: 'ProductCuration', description: 'The marketplace’s review of the product.' },
  ),
  visible: Type.Boolean({
    description: 'Buyers can find it: it is active and a version of it is approved',
  }),
  issues: Type.Array(
    Type.Object(
      {
        code: Type.String({ description: 'What is wrong, for programs' }),
        severity: Type.String({ description: 'How grave it is, in the marketplace’s words' }),
        attribute: Nullable(Type.String({ description: 'Field that it is about; null: the whole product' })),
        message: Type.String({ description: 'What is wrong, for people' }),
      },
      { title: 'ProductIssue', description: 'Something that the marketplace found wrong with the product.' },
    ),
    { description: 'What the marketplace found wrong' },
  ),
  source: Type.Object(
    {
      origin: ProductOrigin,
      run_id: NullableText,
      row: Nullable(Type.Integer({ description: 'Number of the data row, from 1; null outside a file' })),
    },
    { title: 'ProductSource', description: 'What last wrote the product.' },
  ),
  version: Type.Integer(),
  created_at: Instant(),
  updated_at: Instant(),
};

export const Product = Type.Object(fields, {
  title: 'Product',
  description: 'A product of the seller’s catalogue.',
});
export type WireProduct = Static<typeof Product>;

export const ProductPage = Page(Product);

/** A written product with what the service has to say about the write. */
export const WrittenProduct = Extended(
  Product,
  {
    warnings: Type.Array(Finding, { description: 'What was found that did not stop the write' }),
    identity_resolution: Nullable(IdentityResolution),
  },
  { title: 'WrittenProduct', description: 'A product after a write, with what was found.' },
);
