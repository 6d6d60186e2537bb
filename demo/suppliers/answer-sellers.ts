/** What the suppliers of the demo answer to what sellers ask and order. The same question gets the same answer. */
import { sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { searchWords } from '../../src/kernel/fold-text.ts';
import { atRate, minor, minorToJson } from '../../src/kernel/money.ts';
import type { OutboxEvent } from '../../src/marketplace/store/outbox-events.ts';
import { isObject, type Json, listOf, textOf as text } from '../shop-owner.ts';
import type { Random } from '../trade/random.ts';
import { SUPPLIER_SHOPS, type SupplierItem, type SupplierShop } from './shops.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

export interface SupplierAnswer {
  readonly afterMs: number;
  readonly type: string;
  readonly data: object;
  /** Units of each SKU that the answer accepts. */
  readonly sold?: ReadonlyMap<string, number>;
}

/** The supplier that an object names. */
export function shopOf({ supplier, supplier_id }: Json): SupplierShop | undefined {
  const id = isObject(supplier) ? supplier['supplier_id'] : supplier_id;
  return SUPPLIER_SHOPS.find((shop) => shop.supplier_id === id);
}

/** 3 % below its tier. */
const QUOTED_BPS = 9_700;
const QUOTE_VALID_MS = 14 * DAY;
const quotedMinor = (price: number): number => minorToJson(atRate(minor(price), QUOTED_BPS));

/** The item that a line asks for: by its SKU, else the one with most of the words. */
function itemFor({ items }: SupplierShop, { supplier_sku, description }: Json): SupplierItem | undefined {
  const named = items.find((one) => one.supplier_sku === supplier_sku);
  if (named !== undefined) return named;
  const words = searchWords(text(description)).filter((word) => word.length > 3);
  const hits = ({ title }: SupplierItem) =>
    words.filter((word) => searchWords(title).some((own) => own.startsWith(word.replace(/s$/, '')))).length;
  const [best] = items.toSorted((a, b) => hits(b) - hits(a));
  return best !== undefined && hits(best) > 0 ? best : undefined;
}

/** A quote for the lines that it can deliver; without one it declines. */
function quoted(
  shop: SupplierShop,
  { created_at }: OutboxEvent,
  rfq: Json,
  random: Random,
): SupplierAnswer[] {
  const { supplier_id, lead_time_days } = shop;
  const afterMs = random.between(5 * SECOND, 15 * SECOND);
  const lines = listOf(rfq['lines']).flatMap((line) => {
    const item = itemFor(shop, line);
    if (item === undefined) return [];
    const { supplier_sku, pack_size, minimum_quantity, price_breaks } = item;
    const breaks = price_breaks.map((one) => ({
      ...one,
      pack_price_minor: quotedMinor(one.pack_price_minor),
    }));
    const terms = { pack_size, minimum_quantity, maximum_quantity: null, price_breaks: breaks };
    return [{ line_no: line['line_no'], supplier_sku, ...terms, lead_time_days }];
  });
  if (lines.length === 0) {
    const data = { supplier_id, quote_ref: null, reason: 'We sell nothing like it.' };
    return [{ afterMs, type: 'quote_withdrawn', data }];
  }
  const profile: Json = { ...shop.profile };
  const valid_until = new Date(Date.parse(created_at) + QUOTE_VALID_MS).toISOString();
  const freight = {
    freight_minor: profile['flat_freight_minor'] ?? null,
    free_freight_from_minor: profile['free_freight_from_minor'] ?? null,
  };
  const data = { supplier_id, quote_ref: 'q-1', valid_until, lines, ...freight, note: 'Ex stock.' };
  return [{ afterMs, type: 'quoted', data }];
}

const unitsOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const dayAfter = (at: number, days: number): string => sydneyDate(at + days * DAY);
const soldIn = (lines: readonly { readonly sku: string; readonly accepted: number }[]) =>
  new Map(lines.map(({ sku, accepted }) => [sku, accepted]));
const PARCEL_AFTER_MS = 60 * SECOND;
/** Freight that the profile does not state. */
const FREIGHT_MINOR = 1_200;
const trackingOf = (random: Random): string => `2JD${random.between(1_000_000, 9_999_999)}`;

/** The supplier accepts all units, or rejects all as out of stock, or says nothing. */
function decide({ rejects, silent }: SupplierShop, random: Random): 'accept' | 'reject' | 'silence' {
  if (random.percent(silent)) return 'silence';
  return random.percent(rejects) ? 'reject' : 'accept';
}

function orderAnswered(shop: SupplierShop, { created_at }: OutboxEvent, order: Json, random: Random) {
  const decision = decide(shop, random);
  if (decision === 'silence') return [];
  const at = Date.parse(created_at);
  const afterMs = random.between(5 * SECOND, 15 * SECOND);
  const accepts = decision === 'accept';
  const day = dayAfter(at, shop.lead_time_days);
  const ordered = listOf(order['lines']).map(({ line_no, supplier_sku, quantities }) => ({
    ...{ line_no, sku: text(supplier_sku) },
    units: isObject(quantities) ? unitsOf(quantities['ordered']) : 0,
  }));
  const cap = order['freight_cap_minor'];
  const freight =
    order['freight_minor'] !== null || typeof cap !== 'number'
      ? {}
      : { freight_minor: Math.min(FREIGHT_MINOR, cap) };
  const answer = {
    ...{ afterMs, type: 'order_answered' },
    sold: soldIn(ordered.map(({ sku, units }) => ({ sku, accepted: accepts ? units : 0 }))),
    data: {
      answer_id: 'a-1',
      lines: ordered.map(({ line_no, units }) => ({
        ...{ line_no, accepted: accepts ? units : 0, declined: accepts ? 0 : units },
        ...(accepts ? { promised_on: day } : { reason: 'out_of_stock' }),
      })),
      ...freight,
    },
  };
  if (!accepts) return [answer];
  const shippedMs = afterMs + PARCEL_AFTER_MS;
  const parcel = {
    ...{ supplier_shipment_id: 's-1', carrier: 'startrack', tracking_number: trackingOf(random) },
    lines: ordered.map(({ line_no, units }) => ({ line_no, quantity: units })),
    ...{ shipped_at: new Date(at + shippedMs).toISOString(), expected_on: day },
  };
  return [answer, { afterMs: shippedMs, type: 'order_shipped', data: parcel }];
}

/** Units of a request to cancel, in the form of the supplier's event. */
const cancelledOf = ({ request_id, lines }: Json) => ({
  cancel_id: request_id,
  lines: listOf(lines).map(({ line_no, quantity }) => ({ line_no, quantity })),
  reason: 'requested',
});

function dropshipAnswered(shop: SupplierShop, _: OutboxEvent, order: Json, random: Random) {
  const decision = decide(shop, random);
  if (decision === 'silence') return [];
  const accepts = decision === 'accept';
  const asked = listOf(order['lines']).map(({ line_no, supplier_sku, quantity, unit_cost_minor }) => ({
    ...{ line_no, sku: text(supplier_sku), units: unitsOf(quantity), unit_cost_minor },
  }));
  const data = {
    answer_id: `a-${String(order['version'])}`,
    lines: asked.map(({ line_no, units, unit_cost_minor }) => ({
      ...{ line_no, accepted: accepts ? units : 0, rejected: accepts ? 0 : units },
      ...(accepts ? { unit_cost_minor } : { reason: 'out_of_stock' }),
    })),
    ...{ fee_minor: order['fee_minor'], freight_minor: 0 },
  };
  const sold = soldIn(asked.map(({ sku, units }) => ({ sku, accepted: accepts ? units : 0 })));
  return [{ afterMs: random.between(5 * SECOND, 15 * SECOND), type: 'dropship_answered', data, sold }];
}

/** The supplier knows the address, so it sends a parcel. */
function dropshipShipped(_shop: SupplierShop, { created_at }: OutboxEvent, order: Json, random: Random) {
  const data = {
    ...{ supplier_shipment_id: `s-${String(order['version'])}`, carrier: 'australia_post' },
    ...{ tracking_number: trackingOf(random) },
    lines: listOf(order['lines']).map(({ line_no, quantity }) => ({ line_no, quantity })),
    shipped_at: new Date(Date.parse(created_at) + PARCEL_AFTER_MS).toISOString(),
  };
  return [{ afterMs: PARCEL_AFTER_MS, type: 'dropship_shipped', data }];
}

type Answers = (shop: SupplierShop, event: OutboxEvent, object: Json, random: Random) => SupplierAnswer[];
const cancelled =
  (type: string): Answers =>
  (_shop, _event, object) => [{ afterMs: 2 * SECOND, type, data: cancelledOf(object) }];

/** Answers by the type of the event. */
export const ANSWERS: Readonly<Record<string, Answers>> = {
  'rfq.opened': quoted,
  'purchase_order.submitted': orderAnswered,
  'purchase_order.cancel_requested': cancelled('order_cancelled'),
  'dropship_order.sent': dropshipAnswered,
  'dropship_order.address_released': dropshipShipped,
  'dropship_order.cancel_requested': cancelled('dropship_cancelled'),
};
