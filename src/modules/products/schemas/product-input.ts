/** Bodies that create and change products. What a field may hold is said by `domain/fields`, once for all ways in. */
import Type, { type Static, type TProperties } from 'typebox';
import { described, Nullable } from '../../../kernel/schema.ts';
import { ProductCondition, ProductStatus } from './enums.ts';
import { NullableInteger, NullableText, TextMap } from './parts.ts';

/** Keys that answers carry and writes pass over, so that what was read can be sent back. */
const ignored = (...names: string[]): TProperties =>
  Object.fromEntries(
    names.map((name) => [name, Type.Optional(Type.Unknown({ description: 'Read-only; ignored' }))]),
  );

export const IdentityInput = Type.Object(
  {
    strategy: Type.String({
      description:
        'How the product is identified: product_id, global_id, mpn_brand or exempt; case does not matter',
    }),
    value: Type.Optional(
      Nullable(Type.String({ description: 'The global id as printed, or the product id' })),
    ),
    product_id: Type.Optional(NullableText),
    global_id: Type.Optional(Nullable(Type.String({ description: 'GTIN, EAN, UPC or ISBN as printed' }))),
    scheme: Type.Optional(Nullable(Type.String({ description: 'Kind of code: gtin, ean, upc, isbn …' }))),
    mpn: Type.Optional(NullableText),
    brand: Type.Optional(NullableText),
    reason: Type.Optional(
      Nullable(Type.String({ description: 'Why the product has no code, for example `handmade`' })),
    ),
    ...ignored('gtin14', 'source'),
  },
  {
    title: 'IdentityInput',
    description: 'How the product is identified; only the fields of the strategy count.',
  },
);

export const ImageInput = Type.Object(
  {
    url: Type.String({ description: 'Public address of the image, http or https' }),
    alt: Type.Optional(Nullable(Type.String({ description: 'Text for people who cannot see the image' }))),
    position: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Place among the images, from 1; defaults to the last' }),
    ),
    ...ignored('image_id', 'width', 'height', 'content_type', 'bytes', 'sha256'),
  },
  { title: 'ImageInput', description: 'An image by its address.' },
);

const fields = {
  title: Type.Optional(NullableText),
  description: Type.Optional(
    Nullable(Type.String({ description: 'Description for buyers; simple HTML is kept' })),
  ),
  brand: Type.Optional(NullableText),
  category: Type.Optional(NullableText),
  condition: Type.Optional(Nullable(ProductCondition)),
  identity: Type.Optional(Nullable(IdentityInput)),
  price_minor: Type.Optional(Nullable(Type.Integer({ description: 'Price in minor units, above zero' }))),
  compare_at_minor: Type.Optional(NullableInteger),
  currency: Type.Optional(Type.String({ description: 'Optional; must be the seller’s own currency' })),
  quantity_on_hand: Type.Optional(Nullable(Type.Integer({ description: 'Units on hand; null: not known' }))),
  quantity: Type.Optional(Nullable(Type.Integer({ description: 'The same as quantity_on_hand' }))),
  reorder_point: Type.Optional(NullableInteger),
  status: Type.Optional(ProductStatus),
  images: Type.Optional(Type.Array(ImageInput, { description: 'All images of the product, in order' })),
  attributes: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string | null>>>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'PATCH merges key by key, null removes a key',
    }),
  ),
  variation: Type.Optional(
    Nullable(
      Type.Object(
        {
          parent_sku: Type.String({ description: 'SKU that all variants of the product share' }),
          theme: Type.Optional(Type.String({ description: 'Names of the options, joined by `/`' })),
          values: described('The option of this variant for each name of the theme', TextMap),
        },
        { title: 'VariationInput', description: 'How this variant differs from the others of its family.' },
      ),
    ),
  ),
};

/** A new product, or the whole of one. */
export const ProductInput = Type.Object(
  { seller_sku: Type.String(), ...fields },
  { title: 'ProductInput', description: 'A new product, or the whole of one.' },
);

/** Some fields of a product. */
export const ProductChange = Type.Object(
  { seller_sku: Type.Optional(Type.String()), ...fields },
  { title: 'ProductChange', description: 'The fields of a product to change; others stay as they are.' },
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
