/** The shop that has traded on the demo marketplace for a while: its owner and its products. */
import { atRate, formatDecimal, minor, minorToJson } from '../../src/kernel/money.ts';

export interface ShopProduct {
  readonly seller_sku: string;
  readonly title: string;
  readonly category: string;
  readonly price_minor: number;
}

export const PAST_OWNER = 'june@example.com';
/** A business number with valid check digits that the register has not issued. */
export const PAST_SHOP = { business_name: 'Wattle Lane Homewares', tax_id: '60123456741' } as const;
/** The areas that the marketplace has enabled for it. */
export const PAST_FLAGS = ['audit', 'marketing', 'marketplace-intel', 'pricing'];
/** Where its parcels come from. */
export const PAST_SHOP_ADDRESS = {
  line1: '18 Wattle Lane',
  city: 'Castlemaine',
  state: 'VIC',
  postcode: '3450',
  country: 'AU',
} as const;
/** What the marketplace must know of the business. */
export const PAST_BUSINESS = {
  legal_name: 'June Harper',
  entity_type: 'sole_trader',
  abn: PAST_SHOP.tax_id,
  registered_address: PAST_SHOP_ADDRESS,
} as const;
/** The prefix of the ids of past orders; later orders have another one. */
export const PAST_ORDER_PREFIX = 'ord_past';

/** Units of each product; more than the staff ever dispatches. */
export const PAST_STOCK = 20_000;

const product = (seller_sku: string, title: string, category: string, price_minor: number): ShopProduct => ({
  seller_sku,
  title,
  category,
  price_minor,
});

export const PAST_PRODUCTS: readonly ShopProduct[] = [
  product('CUP-SAND', 'Espresso cup in sand, 80 ml', 'Home > Kitchen > Mugs', 1_850),
  product('BOWL-FERN', 'Serving bowl in fern, 28 cm', 'Home > Kitchen > Bowls', 6_400),
  product('PLATE-SET', 'Dinner plates, set of four', 'Home > Kitchen > Plates', 9_995),
  product('LINEN-TEA', 'Linen tea towel, 50 x 70 cm', 'Home > Kitchen > Textiles', 2_495),
  product('VASE-TALL', 'Tall vase in ash, 32 cm', 'Home > Living > Vases', 8_900),
  product('THROW-WOOL', 'Merino throw, 130 x 180 cm', 'Home > Living > Textiles', 18_900),
  product('CANDLE-GUM', 'Eucalyptus candle, 220 g', 'Home > Living > Candles', 3_290),
  product('LAMP-CLAY', 'Clay table lamp', 'Lighting > Lamps', 14_950),
];

/** A product that the marketplace rejects, so it is never sold. */
export const PAST_REJECTED = product('TRAY-OAK', 'Oak tray', 'Home', 5_900);

/** Products that suppliers send, with the items that they are; the first one is sold in the past. */
export const PAST_SUPPLIED = [
  {
    product: product('JUG-SAND', 'Stoneware jug in sand, 1 l', 'Home > Kitchen > Jugs', 4_990),
    supplier_item_id: 'sit_demojug',
  },
  {
    product: product('CANDLE-PILLAR', 'Beeswax pillar candle, 300 g', 'Home > Living > Candles', 3_690),
    supplier_item_id: 'sit_demopillar',
  },
] as const;

/** The shop's promotion. Its id is known only when the shop has made it. */
export const PAST_PROMOTION = {
  name: 'A warm living room',
  kind: 'percent_off',
  value_bps: 1_000,
  applies_to: { categories: ['Home > Living'] },
  budget_minor: 100_000,
} as const;

/** What the promotion takes off a line. */
export const promotedMinor = ({ category }: ShopProduct, gross_minor: number): number =>
  category.startsWith(PAST_PROMOTION.applies_to.categories[0])
    ? minorToJson(atRate(minor(gross_minor), PAST_PROMOTION.value_bps))
    : 0;

const COLUMNS =
  'seller_sku,title,identity_strategy,exempt_reason,category,condition,price,quantity,reorder_point';

/** A catalogue as a file of the feed contract. @param units of each product */
const catalogueOf = (products: readonly ShopProduct[], units: number): string =>
  [
    COLUMNS,
    ...products.map(({ seller_sku, title, category, price_minor }) => {
      const price = formatDecimal(minor(price_minor));
      return `${seller_sku},"${title}",exempt,handmade,${category},new,${price},${units},50`;
    }),
    '',
  ].join('\r\n');
/** The shop's catalogue when it opens. */
export const PAST_CATALOGUE = catalogueOf([...PAST_PRODUCTS, PAST_REJECTED], PAST_STOCK);
/** What suppliers send. The shop has none of it. */
export const SUPPLIED_CATALOGUE = catalogueOf(
  PAST_SUPPLIED.map(({ product: one }) => one),
  0,
);
