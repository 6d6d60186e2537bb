/** The suppliers beside the demo marketplace: who they are, what they sell, and how they behave. */
import { type CloudEvent, demoEvent, isoOf } from '../demo-event.ts';

export interface SupplierItem {
  readonly supplier_item_id: string;
  readonly supplier_sku: string;
  readonly title: string;
  readonly category: string;
  readonly pack_size: number;
  readonly minimum_quantity: number;
  readonly price_breaks: readonly { readonly min_quantity: number; readonly pack_price_minor: number }[];
  /** What a unit costs that the supplier sends to a buyer. */
  readonly unit_cost_minor: number;
  /** Units that it has when it is full; when they are sold, it makes as many again. */
  readonly units: number;
}

export interface SupplierShop {
  readonly supplier_id: string;
  readonly brand: string;
  readonly profile: object;
  readonly items: readonly SupplierItem[];
  readonly lead_time_days: number;
  /** How many of a hundred orders it rejects as out of stock, and how many it does not answer. */
  readonly rejects: number;
  readonly silent: number;
}

const FEE_MINOR = 250;
const item = (
  [id, supplier_sku, title, category]: readonly [string, string, string, string],
  [pack_size, minimum_quantity]: readonly [number, number],
  breaks: readonly (readonly [number, number])[],
  [unit_cost_minor, units]: readonly [number, number],
): SupplierItem => ({
  ...{ supplier_item_id: `sit_demo${id}`, supplier_sku, title, category, pack_size, minimum_quantity },
  price_breaks: breaks.map(([min_quantity, pack_price_minor]) => ({ min_quantity, pack_price_minor })),
  ...{ unit_cost_minor, units },
});

export const CLAY: SupplierShop = {
  supplier_id: 'sup_democlay',
  brand: 'Bondi Clay',
  profile: {
    ...{ name: 'Bondi Clay Works', about: 'Stoneware and lamps, made in Bondi.', currency: 'AUD' },
    ...{ categories: ['Home > Kitchen', 'Lighting > Lamps'], ships_from: { state: 'NSW', country: 'AU' } },
    ...{ minimum_order_minor: 15_000, flat_freight_minor: 1_450, free_freight_from_minor: 90_000 },
    ...{ lead_time_days: { min: 2, max: 5 }, payment_terms: 'net_14', status: 'active' },
  },
  items: [
    item(
      ['mug', 'BC-MUG-BLU', 'Stoneware mug, blue', 'Home > Kitchen > Mugs'],
      [12, 24],
      [
        [24, 6_180],
        [144, 5_945],
      ],
      [840, 240],
    ),
    item(
      ['lamp', 'BC-LAMP-CLAY', 'Clay table lamp', 'Lighting > Lamps'],
      [2, 4],
      [
        [4, 11_800],
        [20, 11_200],
      ],
      [6_450, 40],
    ),
    item(
      ['jug', 'BC-JUG-SAND', 'Stoneware jug in sand, 1 l', 'Home > Kitchen > Jugs'],
      [6, 12],
      [[12, 15_300]],
      [2_790, 60],
    ),
  ],
  ...{ lead_time_days: 4, rejects: 0, silent: 0 },
};

export const WAX: SupplierShop = {
  supplier_id: 'sup_demowax',
  brand: 'Gumtree',
  profile: {
    ...{ name: 'Gumtree Light & Wax', about: 'Candles of beeswax and eucalyptus.', currency: 'AUD' },
    ...{ categories: ['Home > Living > Candles'], ships_from: { state: 'VIC', country: 'AU' } },
    ...{ minimum_order_minor: 0, flat_freight_minor: null, lead_time_days: { min: 1, max: 3 } },
    ...{ payment_terms: 'prepaid', status: 'active' },
  },
  items: [
    item(
      ['pillar', 'GT-PILLAR', 'Beeswax pillar candle, 300 g', 'Home > Living > Candles'],
      [4, 8],
      [[8, 6_800]],
      [1_920, 48],
    ),
    item(
      ['gum', 'GT-GUM-220', 'Eucalyptus candle, 220 g', 'Home > Living > Candles'],
      [6, 12],
      [[12, 7_560]],
      [1_480, 90],
    ),
  ],
  ...{ lead_time_days: 3, rejects: 20, silent: 5 },
};

export const SUPPLIER_SHOPS: readonly SupplierShop[] = [CLAY, WAX];

const about = ({ supplier_id: subject }: SupplierShop, id: string, at: number) => ({ id, subject, at });

/** What a supplier publishes of itself. @param run part of the ids of the events */
export const published = (shop: SupplierShop, run: string, at: number): CloudEvent[] => [
  demoEvent({
    ...about(shop, `${run}-${shop.supplier_id}-profile`, at),
    ...{ type: 'supplier.profile_published', data: shop.profile },
  }),
  demoEvent({
    ...about(shop, `${run}-${shop.supplier_id}-items`, at),
    type: 'supplier.items_published',
    data: {
      items: shop.items.map(({ unit_cost_minor, units: _, ...one }) => ({
        ...{ ...one, brand: shop.brand, mpn: one.supplier_sku, status: 'active' },
        dropship: { unit_cost_minor, fee_minor: FEE_MINOR },
      })),
    },
  }),
];

/** What a supplier counts. @param sold units of each SKU that it has sold since it was full */
export const counted = (
  shop: SupplierShop,
  run: string,
  at: number,
  sold: ReadonlyMap<string, number> = new Map(),
): CloudEvent =>
  demoEvent({
    ...about(shop, `${run}-${shop.supplier_id}-count-${at}`, at),
    type: 'supplier.availability_changed',
    data: {
      as_of: isoOf(at),
      items: shop.items.map(({ supplier_sku, units }) => ({
        supplier_sku,
        available: units - ((sold.get(supplier_sku) ?? 0) % units),
      })),
    },
  });
