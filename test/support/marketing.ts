/** Promotions for tests. */
import type { Answer, TestApp, TestSeller } from './app.ts';
import { callInternal } from './internal.ts';
import { orderEvent } from './orders.ts';

export interface Promotion {
  readonly promotion_id: string;
  readonly status: string;
  readonly version: number;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly end_reason: string | null;
  readonly used: Readonly<Record<'orders' | 'units' | 'discount_minor' | 'overspend_minor', number>>;
  readonly estimate: readonly Readonly<Record<string, unknown>>[];
  readonly code?: string;
  readonly [field: string]: unknown;
}
type App = Pick<TestApp, 'app' | 'events' | 'internalUrl' | 'internalToken'>;
export const MINUTE_MS = 60_000;
export const instant = ({ app }: Pick<TestApp, 'app'>, ahead: number): string =>
  new Date(app.services.now() + ahead).toISOString();

/** 15 % off everything, from in a minute until in ten days. */
export const draft = (app: Pick<TestApp, 'app'>, more: object = {}): object => ({
  ...{ name: 'Winter mugs', kind: 'percent_off', value_bps: 1_500, applies_to: { all: true } },
  ...{ starts_at: instant(app, MINUTE_MS), ends_at: instant(app, 10 * 86_400_000), budget_minor: 50_000 },
  ...more,
});
export const postPromotion = (app: Pick<TestApp, 'app'>, seller: TestSeller, more: object = {}) =>
  seller.call<Promotion>('POST', '/marketing/promotions', { json: draft(app, more) });

export async function makePromotion(app: Pick<TestApp, 'app'>, seller: TestSeller, more: object = {}) {
  const { status, body, text } = await postPromotion(app, seller, more);
  if (status !== 201) throw new Error(`promotion: ${status} ${text}`);
  return body;
}
type Named = Pick<Promotion, 'promotion_id'>;
export const readPromotion = async (seller: TestSeller, { promotion_id }: Named): Promise<Promotion> =>
  (await seller.call<Promotion>('GET', `/marketing/promotions/${promotion_id}`)).body;
export const moved = (
  seller: TestSeller,
  { promotion_id }: Named,
  verb: string,
): Promise<Answer<Promotion>> =>
  seller.call<Promotion>('POST', `/marketing/promotions/${promotion_id}/${verb}`, { json: {} });
export const changed = (seller: TestSeller, { promotion_id }: Named, json: object, headers = {}) =>
  seller.call<Promotion>('PATCH', `/marketing/promotions/${promotion_id}`, { json, headers });

/** Tells what the marketplace says of a promotion. @returns the status or the code of a rejection */
export async function said(
  app: App,
  seller: Pick<TestSeller, 'seller_id'>,
  { promotion_id }: Named,
  data: object,
  more: object = {},
): Promise<string | undefined> {
  const type = 'decision' in data ? 'promotion.decided' : 'promotion.stopped';
  const [result] = await app.events(orderEvent(app, seller, type, promotion_id, data, more));
  return result?.code ?? result?.status;
}
/** Moves a manual clock. */
export async function wait(app: App, ms: number): Promise<void> {
  const { status, text } = await callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: instant(app, ms) },
  });
  if (status !== 200) throw new Error(`clock: ${status} ${text}`);
}

/** A promotion that the marketplace has approved. */
export async function scheduled(app: App & TestApp, seller: TestSeller, more: object = {}) {
  const made = await makePromotion(app, seller, more);
  const { status, text } = await moved(seller, made, 'submit');
  if (status !== 200) throw new Error(`submit: ${status} ${text}`);
  if ((await said(app, seller, made, { decision: 'approved' })) !== 'applied')
    throw new Error('not approved');
  return made;
}
/** A promotion that has begun, on a manual clock. */
export async function running(app: App & TestApp, seller: TestSeller, more: object = {}) {
  const made = await scheduled(app, seller, more);
  await wait(app, MINUTE_MS);
  return made;
}

/** Requests of write routes by their ids. */
export const marketingSendings = (app: TestApp, sellerOf: () => TestSeller) => {
  const made = async () => ({ ids: { promotion_id: (await makePromotion(app, sellerOf())).promotion_id } });
  const submitted = async () => {
    const sending = await made();
    await moved(sellerOf(), sending.ids, 'submit');
    return sending;
  };
  return {
    'marketing.promotions.create': async () => ({ json: draft(app) }),
    ...{ 'marketing.promotions.update': made, 'marketing.promotions.delete': made },
    ...{ 'marketing.promotions.submit': made, 'marketing.promotions.withdraw': submitted },
    'marketing.promotions.end': async () => {
      const sending = await submitted();
      await said(app, sellerOf(), sending.ids, { decision: 'approved' });
      return sending;
    },
  };
};
