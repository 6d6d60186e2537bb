/** Bodies that create and change products. What a field may hold is said by `domain/fields`, once for all ways in. */
import Type, { type Static, type TProperties } from 'typebox';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { CONDITIONS, PRODUCT_STATUSES } from '../domain/row.ts';
import { NullableInteger, NullableText, TextMap } from './parts.ts';

/** Keys that answers carry and writes pass over, so that what was read can be sent back. */
const ignored = (...names: string[]): TProperties =>
  Object.fromEntries(
    names.map((name) => [name, Type.Optional(Type.Unknown({ description: 'Read-only; passed over' }))]),
  );

export const IdentityInput = Type.Object(
  {
    strategy: Type.String({
      description: 'product_id, global_id, mpn_brand or exempt, in any case (`MPN_BRAND`)',
    }),
    value: Type.Optional(
      Nullable(Type.String({ description: 'The global id as printed, or the product id' })),
    ),
    product_id: Type.Optional(NullableText),
    global_id: Type.Optional(NullableText),
    scheme: Type.Optional(NullableText),
    mpn: Type.Optional(NullableText),
    brand: Type.Optional(NullableText),
    reason: Type.Optional(NullableText),
    ...ignored('gtin14', 'source'),
  },
  { title: 'IdentityInput' },
);

export const ImageInput = Type.Object(
  {
    url: Type.String(),
    alt: Type.Optional(NullableText),
    position: Type.Optional(Type.Integer({ minimum: 1 })),
    ...ignored('image_id', 'width', 'height', 'content_type', 'bytes', 'sha256'),
  },
  { title: 'ImageInput' },
);

const fields = {
  title: Type.Optional(NullableText),
  description: Type.Optional(NullableText),
  brand: Type.Optional(NullableText),
  category: Type.Optional(NullableText),
  condition: Type.Optional(Nullable(StringEnum(CONDITIONS))),
  identity: Type.Optional(Nullable(IdentityInput)),
  price_minor: Type.Optional(Nullable(Type.Integer({ description: 'Minor units, above zero' }))),
  compare_at_minor: Type.Optional(NullableInteger),
  currency: Type.Optional(Type.String({ description: 'Must be the seller’s own; it needs not be sent' })),
  quantity_on_hand: Type.Optional(Nullable(Type.Integer({ description: 'Null: not known' }))),
  quantity: Type.Optional(Nullable(Type.Integer({ description: 'The same as quantity_on_hand' }))),
  reorder_point: Type.Optional(NullableInteger),
  status: Type.Optional(StringEnum(PRODUCT_STATUSES)),
  images: Type.Optional(Type.Array(ImageInput)),
  attributes: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string | null>>>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'PATCH merges key by key, null removes a key',
    }),
  ),
  variation: Type.Optional(
    Nullable(
      Type.Object({ parent_sku: Type.String(), theme: Type.Optional(Type.String()), values: TextMap }),
    ),
  ),
};

/** A new product, or the whole of one. */
export const ProductInput = Type.Object({ seller_sku: Type.String(), ...fields }, { title: 'ProductInput' });

/** Some fields of a product. */
export const ProductChange = Type.Object(
  { seller_sku: Type.Optional(Type.String()), ...fields },
  { title: 'ProductChange' },
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
