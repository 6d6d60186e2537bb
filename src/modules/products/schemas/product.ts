/** The product in the API. Source: docs/design/feeds-and-imports.md#products. */
import Type, { type Static } from 'typebox';
import { described, documentedAs, Extended, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { IDENTITY_STRATEGIES } from '../domain/product.ts';
import { HIDDEN_REASONS } from '../domain/visibility.ts';
import { CurationState, ProductOrigin, ProductStatus } from './enums.ts';
import { Finding, IdentityResolution, NullableInteger, NullableText, TextMap } from './parts.ts';

export const Image = Type.Object(
  {
    image_id: Type.String(),
    url: Type.String({ description: 'URL as it was given; for an upload, a path of this service' }),
    alt: Nullable(Type.String({ description: 'Text for people who cannot see the image' })),
    position: Type.Integer({ description: 'From 1, without gaps' }),
    width: Nullable(Type.Integer({ description: 'Width in pixels; null when unknown' })),
    height: Nullable(Type.Integer({ description: 'Height in pixels; null when unknown' })),
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
      { title: 'IdentityByProductId', description: 'Identified by the product id of this service.' },
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
      { title: 'IdentityByMpnBrand', description: 'Identified by manufacturer part number and brand.' },
    ),
    Type.Object(
      {
        strategy: strategy('exempt'),
        reason: Nullable(Type.String({ description: 'Why the product has no code' })),
        source: StringEnum(['seller', 'file'], { description: 'Who stated that the product has no code' }),
        mpn,
      },
      { title: 'IdentityExempt', description: 'A product that has no code.' },
    ),
  ],
  {
    title: 'ProductIdentity',
    description: 'How a product is identified: the strategy and its fields.',
    discriminator: { propertyName: 'strategy' },
  },
);

/** Answers are checked against this flat form; the API description shows the union. */
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
    values: described('The value of this variant for each option of the theme', TextMap),
  },
  { title: 'Variation', description: 'How this variant differs from the other variants.' },
);

/** The fields that the marketplace may review. */
const reviewed = {
  title: NullableText,
  description: Nullable(Type.String({ description: 'Description for buyers; simple HTML' })),
  brand: NullableText,
  category: NullableText,
  identity: Nullable(Identity),
  images: Type.Array(Image, { description: 'Images in the order in which buyers see them' }),
};

const fields = {
  product_id: Type.String(),
  seller_sku: NullableText,
  ...reviewed,
  condition: NullableText,
  external_key: Nullable(
    Type.String({ description: 'Key of the product in the file from which it was imported' }),
  ),
  price_minor: Nullable(
    Type.Integer({ description: 'Price in minor units; null for a draft without a price' }),
  ),
  compare_at_minor: NullableInteger,
  currency: Type.String(),
  currency_exponent: Type.Integer(),
  quantity_available: Nullable(
    Type.Integer({ description: 'Units on hand minus reserved units, at least 0; null when unknown' }),
  ),
  quantity_reserved: Type.Integer({ description: 'Units reserved for open orders' }),
  quantity_on_hand: NullableInteger,
  reorder_point: NullableInteger,
  shipping_profile_id: NullableText,
  attributes: described('Custom attributes, for example `colour`', TextMap),
  variation: Nullable(Variation),
  status: ProductStatus,
  curation: Type.Object(
    {
      state: CurationState,
      reasons: Type.Array(
        Type.Object({
          code: Type.String({ description: 'Code of the reason' }),
          detail: Nullable(Type.String({ description: 'The reason, for people' })),
        }),
        { description: 'Reasons of the decision' },
      ),
    },
    { title: 'ProductCuration', description: 'The marketplace’s review of the product.' },
  ),
  visible: Type.Boolean({
    description: 'Whether buyers can see the product; `hidden_reasons` says why not',
  }),
  hidden_reasons: Type.Array(
    StringEnum(HIDDEN_REASONS, {
      title: 'HiddenReason',
      description:
        '`seller_closed`: a holiday closing with mode `hide`. `not_approved`: no version is approved. `content_missing`: the approved one has no title or identity',
    }),
    { description: 'Everything that keeps buyers from seeing the product; empty: they see it' },
  ),
  live: Nullable(
    Type.Object(
      {
        version: Type.Integer({ description: 'The version that the marketplace approved' }),
        ...reviewed,
        approved_at: Instant({ description: 'When the marketplace approved it' }),
      },
      {
        title: 'LiveProductVersion',
        description:
          'The approved version, which buyers see. Null: none is approved, or the product is suspended.',
      },
    ),
  ),
  issues: Type.Array(
    Type.Object(
      {
        code: Type.String({ description: 'Code of the issue' }),
        severity: Type.String({ description: 'Severity that the marketplace gave' }),
        attribute: Nullable(
          Type.String({ description: 'Field that the issue is about; null for the whole product' }),
        ),
        message: Type.String({ description: 'The issue, for people' }),
      },
      { title: 'ProductIssue', description: 'A problem that the marketplace found with the product.' },
    ),
    { description: 'Problems that the marketplace found' },
  ),
  source: Type.Object(
    {
      origin: ProductOrigin,
      run_id: NullableText,
      row: Nullable(Type.Integer({ description: 'Number of the data row, from 1; null outside feeds' })),
    },
    { title: 'ProductSource', description: 'The last write of the product.' },
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

export const WrittenProduct = Extended(
  Product,
  {
    warnings: Type.Array(Finding, { description: 'Findings that did not stop the write' }),
    identity_resolution: Nullable(IdentityResolution),
  },
  { title: 'WrittenProduct', description: 'A product after a write, with warnings.' },
);
