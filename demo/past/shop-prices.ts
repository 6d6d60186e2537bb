/** What the shop says about costs and prices, and what the marketplace sees of other sellers. */
import { PAST_PRODUCTS } from './past-shop.ts';

/** What units cost the shop, as its share of their prices. Of two products it does not know. */
const COST_SHARE = 0.42;
const COSTED = PAST_PRODUCTS.slice(0, 6);

/** @param day on which the costs begin to count */
export const costsFrom = (day: string) =>
  COSTED.map(({ seller_sku, price_minor }) => ({
    seller_sku,
    amount_minor: Math.round(price_minor * COST_SHARE),
    effective_from: day,
  }));

/** No price with a smaller margin is recommended; the candle has a floor. */
export const GUARDRAILS = [
  ...COSTED.map(({ seller_sku }) => ({ seller_sku, min_margin_bps: 2_500 })),
  { seller_sku: 'CANDLE-GUM', floor_minor: 2_900 },
];

export const PRICE_RULE = {
  name: 'Just below the others',
  priority: 10,
  scope: { all: true },
  strategy: 'match_lowest',
  params: { below_minor: 5 },
} as const;

/** The lowest offers of others. That of the candle is somebody's mistake. */
export const LOWEST_OFFERS: Readonly<Record<string, number>> = {
  'CUP-SAND': 1_795,
  'BOWL-FERN': 6_390,
  'PLATE-SET': 8_990,
  'CANDLE-GUM': 1,
};
