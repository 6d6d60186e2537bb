import Type, { type Static } from 'typebox';
import { jsonOrNull, microsOfUnit, minor } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { ITEM_STATUSES, type OfferedItem } from '../../supply/index.ts';
import { amount, count, currency, ITEM_ID, id, SUPPLIER, supplier } from './parts.ts';

const text = (description: string) => Nullable(Type.String({ description }));

export const SupplierItem = Type.Object(
  {
    supplier_item_id: id('Id of the item, `sit_…`'),
    supplier,
    supplier_sku: Type.String({ description: 'The supplier’s name of it' }),
    title: Type.String({ description: 'What it is, in the supplier’s words' }),
    description: text('More words of the supplier'),
    brand: text('Its brand'),
    mpn: text('The manufacturer’s part number'),
    gtin14: text('Its GTIN in 14 digits'),
    category: text('Its category'),
    image_urls: Type.Array(Type.String(), { description: 'Images of the supplier' }),
    currency,
    pack_size: count('Units of a pack', 1),
    minimum_quantity: count('The fewest units of an order', 1),
    maximum_quantity: Nullable(count('The most units of an order; null: no limit', 1)),
    price_breaks: Type.Array(
      Type.Object(
        {
          min_quantity: count('From so many units on', 1),
          pack_price_minor: amount('Price of each pack, tax included'),
          unit_price_micros: amount(
            'Price of a unit in millionths of the currency’s unit, for comparison only; amounts follow from packs',
          ),
        },
        { title: 'SupplierPriceBreak', description: 'The price of a pack from a quantity on.' },
      ),
      { description: 'The break of the whole quantity holds for each of its packs' },
    ),
    rrp_minor: Nullable(amount('The retail price that the supplier recommends')),
    dropship: Nullable(
      Type.Object(
        {
          unit_cost_minor: amount('What you pay for a unit'),
          fee_minor: amount('What you pay for each order'),
        },
        { title: 'SupplierDropship', description: 'What the supplier asks when it ships to your buyers.' },
      ),
    ),
    available: Nullable(count('Units that the supplier has; null: not counted')),
    available_as_of: Nullable(Instant({ description: 'When it counted them' })),
    status: StringEnum(ITEM_STATUSES, {
      title: 'SupplierItemStatus',
      description: 'Whether the supplier still sells it',
    }),
    published_at: Instant({ description: 'When it was first published' }),
  },
  { title: 'SupplierItem', description: 'What a supplier sells. Its texts are those of the supplier.' },
);
type WireItem = Static<typeof SupplierItem>;

export const ITEM_EXAMPLE: WireItem = {
  ...{ supplier_item_id: ITEM_ID, supplier: SUPPLIER, supplier_sku: 'BC-MUG-BLU' },
  ...{ title: 'Stoneware mug, blue', description: null, brand: 'Bondi Clay', mpn: 'BC-1', gtin14: null },
  ...{ category: 'Home > Kitchen > Mugs', image_urls: [], currency: 'AUD' },
  ...{ pack_size: 12, minimum_quantity: 24, maximum_quantity: null },
  price_breaks: [
    { min_quantity: 24, pack_price_minor: 6_180, unit_price_micros: 5_150_000 },
    { min_quantity: 144, pack_price_minor: 5_945, unit_price_micros: 4_954_167 },
  ],
  ...{ rrp_minor: 2_499, dropship: { unit_cost_minor: 1_840, fee_minor: 250 } },
  ...{ available: 480, available_as_of: '2026-06-28T01:00:00.000Z', status: 'active' },
  published_at: '2026-06-28T01:00:00.000Z',
};

export function toWireItem(row: OfferedItem): WireItem {
  const { supplier_item_id, supplier_id, supplier_name, supplier_sku, title, description, brand } = row;
  const { mpn, gtin14, category, image_urls, currency, pack_size, price_breaks, rrp_minor, dropship } = row;
  const { minimum_quantity, maximum_quantity, available, available_as_of, status, published_at } = row;
  return {
    ...{ supplier_item_id, supplier: { supplier_id, name: supplier_name }, supplier_sku, title, description },
    ...{ brand, mpn, gtin14, category, image_urls: [...image_urls], currency },
    ...{ pack_size, minimum_quantity, maximum_quantity },
    price_breaks: price_breaks.map(({ min_quantity, pack_price_minor }) => {
      const micros = microsOfUnit(minor(pack_price_minor), pack_size, currency);
      return { min_quantity, pack_price_minor, unit_price_micros: Number(micros) };
    }),
    rrp_minor: jsonOrNull(rrp_minor),
    dropship: dropship === null ? null : { ...dropship },
    ...{ available, available_as_of, status, published_at },
  };
}
