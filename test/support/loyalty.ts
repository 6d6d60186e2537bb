/** The loyalty program for tests: its terms, and points as the marketplace books them. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { orderEvent } from './orders.ts';

export const TERMS = {
  version: 'terms-one',
  name: 'Marketplace points',
  effective_from: '2026-01-01',
  points_per_major: 200,
  notice_days: 30,
  terms_url: 'https://marketplace.example/loyalty',
  terms_sha256: 'a'.repeat(64),
};

type Owner = Pick<TestSeller, 'seller_id'>;

export const termsEvent = (app: TestApp, more: object = {}) => {
  const data = { ...TERMS, ...more };
  const event = orderEvent(app, { seller_id: '' }, 'loyalty.program_published', data.version, data);
  return { ...event, sellerid: null };
};

/** Publishes terms. @returns the status or the code of a rejection */
export async function publishTerms(app: TestApp, more: object = {}): Promise<string | undefined> {
  const [result] = await app.events(termsEvent(app, more));
  return result?.code ?? result?.status;
}

/** An event about points of a seller. */
export const pointsEvent = (app: TestApp, seller: Owner, kind: string, data: object, more: object = {}) =>
  orderEvent(
    app,
    seller,
    `loyalty.${kind}`,
    seller.seller_id,
    { transaction_id: randomUUID(), member_ref: 'mem_1', ...data },
    more,
  );

/** Sends an event about points. @returns the status or the code of a rejection */
export async function book(app: TestApp, seller: Owner, kind: string, data: object, more: object = {}) {
  const [result] = await app.events(pointsEvent(app, seller, kind, data, more));
  return result?.code ?? result?.status;
}

export interface Wallet {
  readonly points: Readonly<Record<string, number>>;
  readonly by_month: readonly object[];
  readonly value_minor: Readonly<Record<string, number>> | null;
  readonly fund_balance_minor: number;
  readonly difference_minor: number | null;
  readonly semantic_status: string;
}
export const walletOf = async (seller: Pick<TestSeller, 'call'>, as_of: string): Promise<Wallet> =>
  (await seller.call<Wallet>('GET', `/loyalty/wallet?as_of=${as_of}`)).body;
