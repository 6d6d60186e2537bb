/** A seller's program on the client that @hey-api/openapi-ts makes. */
import { createClient } from './hey-api/client/index.js';
import {
  financialsSettlementsGet,
  financialsSettlementsList,
  ordersAccept,
  ordersList,
  productsFeedRunsCreate,
} from './hey-api/sdk.gen.js';
import type { Access, Report } from './report.js';

export async function run({ url, seller, trader, wait }: Access): Promise<Report> {
  const client = createClient({ baseUrl: url, auth: seller, throwOnError: true });
  const fed = await productsFeedRunsCreate({
    client,
    throwOnError: true,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    body: [
      {
        seller_sku: 'HEY-1',
        title: 'Blue mug',
        price: '24.99',
        quantity: 50,
        identity_strategy: 'exempt',
        exempt_reason: 'handmade',
      },
    ],
  });
  const order = await wait(async () => {
    const { data } = await ordersList({
      client,
      throwOnError: true,
      query: { status: ['awaiting_acceptance'], limit: 1 },
    });
    return data.data[0];
  });
  const accepted = await ordersAccept({
    client,
    throwOnError: true,
    path: { order_id: order.order_id },
    body: { version: order.version },
  });
  const again = await ordersAccept({ client, path: { order_id: order.order_id }, throwOnError: false });
  const refused = again.error !== undefined && 'code' in again.error ? again.error.code : undefined;
  const settlements = await financialsSettlementsList({
    client,
    auth: trader,
    throwOnError: true,
    query: { status: ['paid'], limit: 1 },
  });
  const settlement = await financialsSettlementsGet({
    client,
    auth: trader,
    throwOnError: true,
    path: { settlement_id: settlements.data.data[0]?.settlement_id ?? '' },
  });
  return {
    created: fed.data.counts.created,
    order_status: accepted.data.status,
    refused,
    settlement_status: settlement.data.status,
    payable_minor: settlement.data.payable_amount_minor,
  };
}
