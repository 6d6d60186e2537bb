/** Deliveries of stores, in tests: sends them by hand, and reads what became of them. */
import { randomUUID } from 'node:crypto';
import { signBody } from '../../demo/store-platform/sign.ts';
import type { TestSeller } from './app.ts';
import { afterJobs } from './jobs.ts';
import { connectStore, newShop, SECRET, type Stores } from './store-platform.ts';

export const RECEIVER = '/api/v1/webhooks/shopify';

export interface Decided {
  readonly delivery_id: string;
  readonly topic: string;
  readonly status: string;
  readonly reason: string | null;
  readonly object_key: string;
  readonly webhook_id: string;
  readonly triggered_at: string | null;
  readonly decision: Readonly<Record<string, unknown>>;
  readonly changes: readonly { readonly field: string }[];
}
export interface StoreOrder {
  readonly store_order_id: string;
  readonly external_order_id: string;
  readonly status: string;
  readonly financial_status: string | null;
  readonly total_minor: number;
  readonly lines: readonly { readonly product_id: string | null }[];
}

interface Sent {
  readonly topic?: string;
  readonly shop?: string;
  readonly webhookId?: string;
  readonly eventId?: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Sends a body as a store would, or as somebody who holds one of its deliveries. */
export const poster =
  (stores: Stores) =>
  (body: string, { topic = 'orders/create', shop = newShop(), ...more }: Sent = {}) =>
    stores.call<{ code: string; detail: { loc: string[] }[] }>('POST', RECEIVER, {
      headers: {
        'content-type': 'application/json',
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': shop,
        'x-shopify-webhook-id': more.webhookId ?? randomUUID(),
        'x-shopify-event-id': more.eventId ?? randomUUID(),
        'x-shopify-hmac-sha256': signBody(more.secret ?? SECRET, body),
        ...more.headers,
      },
      body,
    });

export const logOf = async ({ call }: TestSeller, query = '') =>
  (await call<{ data: Decided[] }>('GET', `/channels/deliveries?limit=200&${query}`)).body.data;
/** The decisions of a seller, once so many are made. */
export const decided = (seller: TestSeller, count: number) =>
  afterJobs(
    seller,
    async () => (await logOf(seller)).filter(({ status }) => status !== 'received'),
    ({ length }) => length >= count,
  );
export const ordersOf = async ({ call }: TestSeller) =>
  (await call<{ data: StoreOrder[] }>('GET', '/channels/orders')).body.data;

/** A new seller whose store shows its orders. */
export async function shopWithOrders(stores: Stores) {
  const seller = await stores.seller();
  return { seller, ...(await connectStore(stores, seller, { order_visibility: true })) };
}
