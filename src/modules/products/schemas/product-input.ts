/** Bodies that create and change products. `domain/fields` has the rules of the fields, for requests and feeds. */
import Type, { type Static, type TProperties } from 'typebox';
import { described, FIELD_HINTS, IGNORED_FIELD, Nullable } from '../../../kernel/schema.ts';
import { ProductCondition, ProductStatus } from './enums.ts';
import { NullableInteger, NullableText, TextMap } from './parts.ts';

/** Keys of answers that writes ignore, so that a client can send back what it has read. */
const ignored = (...names: string[]): TProperties =>
  Object.fromEntries(
    names.map((name) => [
      name,
      Type.Optional(Type.Unknown({ description: 'Read-only; ignored', [IGNORED_FIELD]: true })),
    ]),
  );

/** Columns of the feed, and names of other platforms, with the fields of a product that they mean here. */
const HINTS: Readonly<Record<string, string>> = {
  sku: 'seller_sku',
  name: 'title',
  compare_at_price: 'compare_at_minor',
  stock: 'quantity_on_hand',
  image_urls: 'images',
  image_url: 'images',
  identity_strategy: 'identity.strategy',
  global_id: 'identity.global_id',
  gtin: 'identity.global_id',
  barcode: 'identity.global_id',
  product_id: 'identity.product_id',
  mpn: 'identity.mpn',
  exempt_reason: 'identity.reason',
  parent_sku: 'variation.parent_sku',
};

export const IdentityInput = Type.Object(
  {
    strategy: Type.String({
      description:
        'How the product is identified: `product_id`, `global_id`, `mpn_brand` or `exempt`; case does not matter',
    }),
    value: Type.Optional(
      Nullable(Type.String({ description: 'The global id as printed, or the product id, by strategy' })),
    ),
    product_id: Type.Optional(NullableText),
    global_id: Type.Optional(Nullable(Type.String({ description: 'GTIN, EAN, UPC or ISBN as printed' }))),
    scheme: Type.Optional(Nullable(Type.String({ description: 'Kind of code: gtin, ean, upc, isbn …' }))),
    mpn: Type.Optional(NullableText),
    brand: Type.Optional(NullableText),
    reason: Type.Optional(
      Nullable(
        Type.String({
          description:
            'Why the product has no global id, for example `handmade`. Feeds call this column `exempt_reason`',
        }),
      ),
    ),
    ...ignored('gtin14', 'source'),
  },
  {
    [FIELD_HINTS]: {
      ...{ identity_strategy: 'strategy', exempt_reason: 'reason', exemption_reason: 'reason' },
      ...{ gtin: 'global_id', ean: 'global_id', upc: 'global_id', isbn: 'global_id', barcode: 'global_id' },
    },
    title: 'IdentityInput',
    description:
      'How the product is identified. Fields of other strategies are ignored; a global id beside an exemption is an error.',
  },
);

const ImageInput = Type.Object(
  {
    url: Type.String({ description: 'Public URL of the image, http or https' }),
    alt: Type.Optional(Nullable(Type.String({ description: 'Text for people who cannot see the image' }))),
    position: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Position among the images, from 1; defaults to the end' }),
    ),
    ...ignored('image_id', 'width', 'height', 'content_type', 'bytes', 'sha256'),
  },
  { title: 'ImageInput', description: 'An image by its URL.' },
);

const fields = {
  title: Type.Optional(NullableText),
  description: Type.Optional(
    Nullable(Type.String({ description: 'Description for buyers; simple HTML is allowed' })),
  ),
  brand: Type.Optional(NullableText),
  category: Type.Optional(NullableText),
  condition: Type.Optional(Nullable(ProductCondition)),
  identity: Type.Optional(Nullable(IdentityInput)),
  price_minor: Type.Optional(Nullable(Type.Integer({ description: 'Price in minor units, above zero' }))),
  compare_at_minor: Type.Optional(NullableInteger),
  currency: Type.Optional(
    Type.String({ description: 'Must be the currency of the seller; this is the default' }),
  ),
  quantity_on_hand: Type.Optional(
    Nullable(Type.Integer({ description: 'Units on hand; null when unknown' })),
  ),
  quantity: Type.Optional(Nullable(Type.Integer({ description: 'Same as `quantity_on_hand`' }))),
  reorder_point: Type.Optional(NullableInteger),
  shipping_profile_id: Type.Optional(NullableText),
  status: Type.Optional(ProductStatus),
  images: Type.Optional(Type.Array(ImageInput, { description: 'All images of the product, in order' })),
  attributes: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string | null>>>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'Custom attributes. PATCH merges them key by key; null removes a key',
    }),
  ),
  variation: Type.Optional(
    Nullable(
      Type.Object(
        {
          parent_sku: Type.String({ description: 'SKU that all variants of the product share' }),
          theme: Type.Optional(Type.String({ description: 'Names of the options, joined by `/`' })),
          values: described('The value of this variant for each option of the theme', TextMap),
        },
        { title: 'VariationInput', description: 'How this variant differs from the other variants.' },
      ),
    ),
  ),
};

export const ProductInput = Type.Object(
  { seller_sku: Type.String(), ...fields },
  { title: 'ProductInput', description: 'All fields of a product.', [FIELD_HINTS]: HINTS },
);

export const ProductChange = Type.Object(
  { seller_sku: Type.Optional(Type.String()), ...fields },
  {
    title: 'ProductChange',
    description: 'The fields to change; the others are not changed.',
    [FIELD_HINTS]: HINTS,
  },
);
export type ProductBody = Static<typeof ProductChange>;

export const PRODUCT_INPUT_EXAMPLE: ProductBody = {
  seller_sku: 'MUG-BLU',
  title: 'Blue stoneware mug, 350 ml',
  description: '<p>Thrown and glazed by hand.</p>',
  brand: 'Harbour Clay',
  category: 'Home > Kitchen > Mugs',
  condition: 'new',
  identity: { strategy: 'exempt', reason: 'handmade' },
  price_minor: 2499,
  quantity_on_hand: 12,
  reorder_point: 3,
  images: [{ url: 'https://cdn.example.com/mug-blue.jpg', alt: 'Blue mug' }],
  attributes: { colour: 'Blue' },
};
