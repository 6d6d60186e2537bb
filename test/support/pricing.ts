/** Shops with recommended prices. */
import type { TestApp, TestSeller } from './app.ts';
import { callInternal } from './internal.ts';
import { apply, orderEvent, stocked } from './orders.ts';

export interface PricedRow {
  readonly product_id: string;
  readonly seller_sku: string;
  readonly effective_floor_minor: number | null;
  readonly competition: { readonly featured_minor: number | null } | null;
  readonly evaluation: {
    readonly status: string;
    readonly code: string | null;
    readonly target_minor: number | null;
  };
  readonly change: { path: string; body: { price_minor: number }; if_match: string } | null;
  readonly steps: readonly { code: string; value: number | null }[];
}
export interface PricedList {
  readonly data: PricedRow[];
  readonly cache_status: string;
  readonly semantic_status: string;
  readonly retry_after_seconds?: number;
  readonly missing_components: string[];
}

const OFFER = {
  currency: 'AUD',
  condition: 'new',
  offers_count: 7,
  featured_minor: null,
  featured_is_own: false,
};
const RULE = {
  name: 'Just below',
  priority: 10,
  scope: { all: true },
  strategy: 'match_lowest',
  params: { below_minor: 1 },
};
const iso = (ms: number) => new Date(ms).toISOString();

/** What tests of pricing do, with a service whose clock is moved by hand. */
export function pricing(app: TestApp) {
  const now = () => app.app.services.now();

  async function moveBy(ms: number): Promise<void> {
    const { status, text } = await callInternal(app, 'POST', '/internal/v1/clock', {
      body: { now: iso(now() + ms) },
    });
    if (status !== 200) throw new Error(text);
  }
  /** Lets the pass of the last changes run. */
  const passes = () => moveBy(60_000);

  const shop = (plan: 'Small' | 'Big' = 'Big', account_flags: readonly string[] = ['pricing']) =>
    app.seller({ plan, account_flags });

  /** A product that buyers see. */
  async function shown(seller: TestSeller, price_minor = 2_499, more: object = {}) {
    const { sku, product_id } = await stocked(seller, 50, { price_minor, ...more });
    const { body } = await seller.call<{ version: number }>('GET', `/products/${product_id}`);
    const data = { decision: 'approved', reviewed_version: body.version, reasons: [] };
    await apply(app, orderEvent(app, seller, 'product.curation_decided', product_id, data));
    return { sku, product_id };
  }

  const observed = (seller: TestSeller, product_id: string, lowest_minor: number | null, more: object = {}) =>
    orderEvent(app, seller, 'price.observed', product_id, {
      ...OFFER,
      lowest_minor,
      observed_at: iso(now()),
      ...more,
    });
  const list = async (seller: TestSeller, query = '') =>
    (await seller.call<PricedList>('GET', `/pricing/products?${query}`)).body;
  const get = async (seller: TestSeller, id: string) =>
    (await seller.call<PricedRow>('GET', `/pricing/products/${id}`)).body;
  const limit = (seller: Pick<TestSeller, 'call'>, id: string, json: object, headers = {}) =>
    seller.call<{ version: number; code: string }>('PUT', `/pricing/products/${id}/guardrails`, {
      json,
      headers,
    });
  const rule = (seller: Pick<TestSeller, 'call'>, more: object = {}) =>
    seller.call<{ rule_id: string; code: string; matched_products: number | null }>(
      'POST',
      '/pricing/rules',
      {
        json: { ...RULE, ...more },
      },
    );
  const costs = (seller: TestSeller, id: string, amount_minor: number | null) =>
    seller.call('PUT', `/profitability/unit-costs/${id}`, {
      json: { amount_minor, effective_from: '2026-07-01' },
    });
  return { now, moveBy, passes, shop, shown, observed, list, get, limit, rule, costs };
}
