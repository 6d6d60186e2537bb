/** A seller's program on the types that openapi-typescript makes, with openapi-fetch. */
import createClient from 'openapi-fetch';
import type { paths } from './openapi-typescript.js';
import type { Access, Report } from './report.js';

const CSV =
  'seller_sku,title,price,quantity,identity_strategy,exempt_reason\nFETCH-1,Blue mug,24.99,50,exempt,handmade\n';

function given<T>(answer: { readonly data?: T; readonly error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export async function run({ url, seller, trader, wait }: Access): Promise<Report> {
  const client = createClient<paths>({ baseUrl: url, headers: bearer(seller) });
  const fed = given(
    await client.POST('/api/v1/products/feed-runs', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      headers: { 'content-type': 'text/csv' },
      body: CSV,
      bodySerializer: String,
    }),
  );
  const order = await wait(async () => {
    const query = { status: ['awaiting_acceptance' as const], limit: 1 };
    return given(await client.GET('/api/v1/orders', { params: { query } })).data[0];
  });
  const path = { order_id: order.order_id };
  const accepted = given(
    await client.POST('/api/v1/orders/{order_id}/accept', {
      params: { path },
      body: { version: order.version },
    }),
  );
  const again = await client.POST('/api/v1/orders/{order_id}/accept', { params: { path }, body: {} });
  const refused = again.error !== undefined && 'code' in again.error ? again.error.code : undefined;
  const paid = given(
    await client.GET('/api/v1/financials/settlements', {
      headers: bearer(trader),
      params: { query: { status: ['paid'], limit: 1 } },
    }),
  );
  const settlement = given(
    await client.GET('/api/v1/financials/settlements/{settlement_id}', {
      headers: bearer(trader),
      params: { path: { settlement_id: paid.data[0]?.settlement_id ?? '' } },
    }),
  );
  return {
    created: fed.counts.created,
    order_status: accepted.status,
    refused,
    settlement_status: settlement.status,
    payable_minor: settlement.payable_amount_minor,
  };
}
