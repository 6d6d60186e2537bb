/** Replays what the shop buys from suppliers, and lets them answer as those of the live demo do. */
import { isoOf } from '../demo-event.ts';
import { isObject, type Json, listOf, textOf } from '../shop-owner.ts';
import { CLAY, WAX } from '../suppliers/shops.ts';
import { PAST_SHOP_ADDRESS, PAST_SUPPLIED, SUPPLIED_CATALOGUE } from './past-shop.ts';
import type { PastStep, SupplyAct } from './past-step.ts';
import { APPROVED, decideProducts, post, type Replay } from './replay.ts';

const REPLY_MS = 5 * 86_400_000;
const ORDERS = '/wholesale/purchase-orders';

async function idsOf({ owner }: Replay): Promise<ReadonlyMap<string, unknown>> {
  const products = listOf((await owner.get('/products?limit=200')).body);
  return new Map(products.map(({ seller_sku, product_id }) => [textOf(seller_sku), product_id]));
}

/** Asks both suppliers. */
async function ask(replay: Replay, at: number, key: string, title: string, lines: readonly object[]) {
  const { state, postcode } = PAST_SHOP_ADDRESS;
  const rfq = await post(replay, '/sourcing/rfqs', key, {
    ...{ title, lines, suppliers: [CLAY.supplier_id, WAX.supplier_id] },
    ...{ reply_by: isoOf(at + REPLY_MS), ship_to: { state, postcode } },
  });
  await post(replay, `/sourcing/rfqs/${textOf(rfq['rfq_id'])}/open`, `${key}-open`, {});
}

async function request(replay: Replay, at: number): Promise<void> {
  const ids = await idsOf(replay);
  await ask(replay, at, 'past-rfq', 'Lamps and candles', [
    { description: 'Clay table lamp', product_id: ids.get('LAMP-CLAY'), quantity: 12 },
    { description: 'Eucalyptus candle, 220 g', product_id: ids.get('CANDLE-GUM'), quantity: 48 },
  ]);
}

const requestAgain = (replay: Replay, at: number): Promise<void> =>
  ask(replay, at, 'past-rfq-again', 'Mugs and candles for the market', [
    { description: 'Stoneware mug, blue', quantity: 96 },
    { description: 'Beeswax pillar candle', quantity: 24 },
  ]);

const isOf =
  ({ supplier_id }: typeof CLAY) =>
  ({ supplier }: Json): boolean =>
    isObject(supplier) && supplier['supplier_id'] === supplier_id;

/** The lamps are awarded, and ordered as quoted. */
async function award(replay: Replay): Promise<void> {
  const { owner } = replay;
  const [rfq] = listOf((await owner.get('/sourcing/rfqs')).body);
  const path = `/sourcing/rfqs/${textOf(rfq?.['rfq_id'])}`;
  const quote = listOf((await owner.get(`${path}/quotes`)).body).find(isOf(CLAY));
  const lines = [{ line_no: 1, quote_id: quote?.['quote_id'], quantity: 12 }];
  const awarded = await post(replay, `${path}/award`, 'past-award', { lines });
  const [draft] = listOf(awarded['purchase_orders']);
  await post(replay, `${ORDERS}/${textOf(draft?.['purchase_order_id'])}/submit`, 'past-award-submit', {});
}

/** One lamp of twelve is broken, and the shop does not want another one. */
async function receive(replay: Replay, at: number): Promise<void> {
  const { owner } = replay;
  const order = listOf((await owner.get(ORDERS)).body).find(({ origin }) => origin === 'quote');
  const path = `${ORDERS}/${textOf(order?.['purchase_order_id'])}`;
  const { body } = await owner.get(path);
  const [line] = isObject(body) ? listOf(body['lines']) : [];
  const rejected = [{ quantity: 1, reason: 'damaged' }];
  await post(replay, `${path}/receipts`, 'past-receipt', {
    ...{ reference: 'DKT-1042', received_at: isoOf(at) },
    lines: [{ purchase_line_id: line?.['purchase_line_id'], good: 11, rejected }],
  });
  await post(replay, `${path}/close`, 'past-close', { reason: 'defective' });
}

async function reorder(replay: Replay): Promise<void> {
  const product_id = (await idsOf(replay)).get('LAMP-CLAY');
  const order = await post(replay, ORDERS, 'past-reorder', {
    ...{ supplier_id: CLAY.supplier_id, reference: 'Lamps for spring' },
    lines: [{ supplier_item_id: 'sit_demolamp', quantity: 20, product_id }],
  });
  await post(replay, `${ORDERS}/${textOf(order['purchase_order_id'])}/submit`, 'past-reorder-submit', {});
}

/** Sells what suppliers send. */
async function list(replay: Replay, at: number): Promise<void> {
  await post(replay, '/products/feed-runs', 'past-supplied', SUPPLIED_CATALOGUE);
  const skus = new Set<unknown>(PAST_SUPPLIED.map(({ product }) => product.seller_sku));
  await decideProducts(replay, at, ({ seller_sku }) => (skus.has(seller_sku) ? APPROVED : undefined));
  const ids = await idsOf(replay);
  for (const { product, supplier_item_id } of PAST_SUPPLIED) {
    const { seller_sku } = product;
    const listing = { supplier_item_id, product_id: ids.get(seller_sku) };
    await post(replay, '/dropship/listings', `past-listing-${seller_sku}`, listing);
  }
}

type SupplyStep = PastStep & { readonly kind: 'supply' };
const ACTS: Readonly<Record<SupplyAct, (replay: Replay, at: number) => Promise<void>>> = {
  ...{ request, award, receive, list, reorder, request_again: requestAgain },
};

/** The shop acts, if it does, and the suppliers after it. */
export async function runSupply(replay: Replay, { at, act, suppliers }: SupplyStep): Promise<void> {
  if (act !== undefined) await ACTS[act](replay, at);
  await replay.suppliersDo(suppliers, at);
}
