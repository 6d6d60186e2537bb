/** What the suppliers of the demo answer to what sellers ask and order. The same question gets the same answer. */
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
}

/** The supplier that an object names. */
export function shopOf({ supplier }: Json): SupplierShop | undefined {
  const id = isObject(supplier) ? supplier['supplier_id'] : undefined;
  return SUPPLIER_SHOPS.find(({ supplier_id }) => supplier_id === id);
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

type Answers = (shop: SupplierShop, event: OutboxEvent, object: Json, random: Random) => SupplierAnswer[];

/** Answers by the type of the event. */
export const ANSWERS: Readonly<Record<string, Answers>> = { 'rfq.opened': quoted };
