/** A seller for the tests of deliveries. */
import { expect } from 'vitest';
import type { TestSeller } from './app.ts';

/** Long, because the machine may be busy. */
export const POLL = { timeout: 20_000, interval: 20 };

export interface ShownEndpoint {
  readonly endpoint_id: string;
  readonly secret: string;
  readonly status: string;
  readonly disabled_reason: string | null;
}

export interface ShownAttempt {
  readonly attempt: number;
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly response_head: string | null;
}

export interface ShownDelivery {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number | null;
  readonly object_id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly trigger: string;
  readonly attempt_count: number;
  readonly next_attempt_at: string | null;
  readonly last_error: string | null;
  readonly attempts: readonly ShownAttempt[];
}

/** A seller that signs in again when the manual clock has passed the end of its token. */
export function lasting(seller: TestSeller): TestSeller {
  let current = seller;
  return {
    ...seller,
    call: async (method, path, options) => {
      const answer = await current.call<never>(method, path, options);
      if (answer.status !== 401) return answer;
      current = await current.renew();
      return current.call<never>(method, path, options);
    },
  };
}

export async function addEndpoint(
  seller: TestSeller,
  url: string,
  more: Record<string, unknown> = {},
): Promise<ShownEndpoint> {
  const json = { url, event_types: ['product.*'], ...more };
  const answer = await seller.call<ShownEndpoint>('POST', '/webhooks/endpoints', { json });
  if (answer.status !== 201) throw new Error(`endpoint: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Adds a draft; its event is `product.created`. */
export async function addProduct(seller: TestSeller, sku: string): Promise<string> {
  const json = { seller_sku: sku, status: 'draft', title: `Teapot ${sku}` };
  const answer = await seller.call<{ product_id: string }>('POST', '/products', { json });
  if (answer.status !== 201) throw new Error(`product: ${answer.status} ${answer.text}`);
  return answer.body.product_id;
}

/** Newest first. */
export async function deliveriesOf(seller: TestSeller, query = ''): Promise<readonly ShownDelivery[]> {
  const path = `/webhooks/deliveries?limit=200${query}`;
  return (await seller.call<{ data: ShownDelivery[] }>('GET', path)).body.data;
}

export const readDelivery = async (seller: TestSeller, id: string | undefined): Promise<ShownDelivery> =>
  (await seller.call<ShownDelivery>('GET', `/webhooks/deliveries/${id}`)).body;

export const readEndpoint = async (seller: TestSeller, id: string): Promise<ShownEndpoint> =>
  (await seller.call<ShownEndpoint>('GET', `/webhooks/endpoints/${id}`)).body;

/** Runs an action on an endpoint, and throws when it is refused. */
export async function act(seller: TestSeller, id: string, action: string): Promise<ShownEndpoint> {
  const answer = await seller.call<ShownEndpoint>('POST', `/webhooks/endpoints/${id}/${action}`);
  if (answer.status >= 300) throw new Error(`${action}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Waits until this many deliveries have a status. */
export const untilDeliveries = (seller: TestSeller, status: string, count: number): Promise<void> =>
  expect
    .poll(async () => (await deliveriesOf(seller, `&status=${status}`)).length, POLL)
    .toBe(count)
    .then(() => undefined);

/** Waits until every event so far has its number. */
export async function untilNumbered(seller: TestSeller, sequence: number): Promise<void> {
  const last = async () =>
    (await seller.call<{ last_sequence: number }>('GET', '/webhooks/events?limit=1')).body.last_sequence;
  await expect.poll(last, POLL).toBeGreaterThanOrEqual(sequence);
}
