/**
 * What the service keeps of a store's order: amounts, states and lines. Nothing of a customer is read: no name, address,
 * e-mail, telephone, note, tag, address of a device or browser. Source: docs/design/channels.md#orders.
 */
import { currencyExponent, isCurrency, minorToJson, parseDecimal } from '../../../kernel/money.ts';
import { exactId, type Fields, instantOf, notAhead, shownText } from './read-values.ts';

export const STORE_ORDER_STATUSES = ['open', 'cancelled', 'closed'] as const;

export interface OrderLine {
  readonly external_variant_id: string | null;
  readonly sku: string | null;
  readonly quantity: number;
}
export interface OrderProjection {
  readonly external_order_id: string;
  readonly name: string | null;
  readonly status: (typeof STORE_ORDER_STATUSES)[number];
  readonly financial_status: string | null;
  readonly fulfillment_status: string | null;
  readonly currency: string | null;
  readonly total_minor: number | null;
  readonly test: boolean;
  readonly lines: readonly OrderLine[];
  readonly placed_at: string | null;
  readonly external_updated_at: string;
  readonly cancelled_at: string | null;
}

const LINES_MAX = 500;
const QUANTITY_MAX = 1_000_000_000;
/** The name is a number with the prefix and suffix of the store: `#1001`. A longer text may be anything. */
const NAME = /^(?=.*\d)[\p{L}\p{N}#_./-]{1,32}$/u;
/** States are words of the platform. */
const WORD = /^[a-z_]{1,40}$/;

const matching = (value: unknown, pattern: RegExp): string | null =>
  typeof value === 'string' && pattern.test(value) ? value : null;

function lineOf({ variant_id, sku, quantity }: Fields): OrderLine {
  const known = typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity >= 0;
  return {
    external_variant_id: exactId(variant_id) ?? null,
    sku: typeof sku === 'string' && sku !== '' ? shownText(sku) : null,
    quantity: known ? Math.min(quantity, QUANTITY_MAX) : 0,
  };
}

function totalOf(text: unknown, currency: string | null): number | null {
  if (typeof text !== 'string' || currency === null) return null;
  const amount = parseDecimal(text, currencyExponent(currency));
  return typeof amount === 'bigint' ? minorToJson(amount) : null;
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** @returns undefined if the body is no order */
export function projectOrder(body: Fields, now: number): OrderProjection | undefined {
  const { id, line_items: items, updated_at, currency: code } = body;
  const external_order_id = exactId(id);
  const external_updated_at = instantOf(updated_at);
  if (external_order_id === undefined || external_updated_at === null || !Array.isArray(items))
    return undefined;
  const currency = typeof code === 'string' && isCurrency(code) ? code : null;
  const cancelled_at = instantOf(body['cancelled_at']);
  return {
    external_order_id,
    name: matching(body['name'], NAME),
    status: cancelled_at !== null ? 'cancelled' : instantOf(body['closed_at']) !== null ? 'closed' : 'open',
    financial_status: matching(body['financial_status'], WORD),
    fulfillment_status: matching(body['fulfillment_status'], WORD),
    currency,
    total_minor: totalOf(body['total_price'], currency),
    test: body['test'] === true,
    lines: items.filter(isObject).slice(0, LINES_MAX).map(lineOf),
    placed_at: instantOf(body['created_at']),
    external_updated_at: notAhead(external_updated_at, now),
    cancelled_at,
  };
}
