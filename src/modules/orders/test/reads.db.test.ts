import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  apply,
  type Order,
  orderEvent,
  placeOrder,
  post,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();

interface List {
  readonly data: readonly Order[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
  readonly applied: Readonly<Record<string, unknown>>;
  readonly resume_since: string | null;
}
const list = async (seller: TestSeller, query: string) =>
  (await seller.call<List>('GET', `/orders?${query}`)).body;
const ids = async (seller: TestSeller, query: string): Promise<string[]> =>
  (await list(seller, query)).data.map(({ order_id }) => order_id);

test('orders are listed newest first, page by page, and only the seller’s own', async () => {
  const seller = await app.seller();
  const other = await app.seller();
  const { sku } = await stocked(seller, 100);
  const placed: string[] = [];
  for (let n = 0; n < 5; n += 1) placed.unshift(await placeOrder(app, seller, [{ sku }]));
  expect(await ids(seller, '')).toEqual(placed);
  expect(await ids(other, '')).toEqual([]);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { data, page } = await list(seller, `limit=2${cursor}`);
    seen.push(...data.map(({ order_id }) => order_id));
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(seen).toEqual(placed);
  const { page } = await list(seller, 'limit=2');
  const foreign = await other.call('GET', `/orders?limit=2&cursor=${page.next_cursor}`);
  const refiltered = await seller.call('GET', `/orders?limit=2&status=closed&cursor=${page.next_cursor}`);
  expect([foreign.status, refiltered.status]).toEqual([422, 422]);
});

test('resuming at resume_since misses no order that changed during the read', async () => {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 100);
  const start = new Date(app.app.services.now()).toISOString();
  const slow = await placeOrder(app, seller, [{ sku }]);
  const quick = await placeOrder(app, seller, [{ sku }]);
  const read = await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const text = "update sales_order set attention = '{late}', updated_at = $2 where order_id = $1";
    await db.run({ text, values: [slow, new Date(app.app.services.now()).toISOString()] });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await post(seller, `${quick}/accept`);
    return list(seller, `updated_since=${start}&limit=1`);
  });
  expect(read.data.map(({ order_id }) => order_id)).toEqual([quick]);
  expect(await ids(seller, `updated_since=${String(read.data[0]?.['updated_at'])}`)).not.toContain(slow);
  const resumed = await list(seller, `updated_since=${read.resume_since}`);
  expect(resumed.data.find(({ order_id }) => order_id === slow)?.attention).toEqual(['late']);
  const second = await list(seller, `updated_since=${start}&limit=1&cursor=${read.page.next_cursor}`);
  expect([second.resume_since, (await list(seller, '')).resume_since]).toEqual([null, null]);
});

test('every filter works, and the answer lists the applied filters', async () => {
  const seller = await app.seller();
  const mug = await stocked(seller, 100, { title: 'Café mug' });
  const bowl = await stocked(seller, 1, { title: 'Bowl' });
  const start = new Date(app.app.services.now()).toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const waiting = await placeOrder(app, seller, [{ sku: mug.sku, title: 'Café mug' }], {
    order_number: 'WAIT-1',
  });
  const accepted = await placeOrder(app, seller, [{ sku: mug.sku }]);
  await post(seller, `${accepted}/accept`);
  const oversold = await placeOrder(app, seller, [{ sku: bowl.sku, quantity: 3 }]);
  const between = new Date(app.app.services.now()).toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const shipped = await placeOrder(app, seller, [{ sku: mug.sku }]);
  await post(seller, `${shipped}/accept`);
  await shipAll(seller, shipped);

  expect(await ids(seller, 'status=awaiting_acceptance')).toEqual([oversold, waiting]);
  expect(await ids(seller, 'status=accepted&status=shipped')).toEqual([shipped, accepted]);
  expect(await ids(seller, 'line_status=shipped')).toEqual([shipped]);
  expect(await ids(seller, 'attention=oversold')).toEqual([oversold]);
  expect(await ids(seller, `sku=${bowl.sku}`)).toEqual([oversold]);
  expect(await ids(seller, 'reference=WAIT-1')).toEqual([waiting]);
  expect(await ids(seller, `reference=${shipped}`)).toEqual([shipped]);
  expect(await ids(seller, 'q=cafe%20wait')).toEqual([waiting]);
  expect(await ids(seller, `created_since=${between}`)).toEqual([shipped]);
  expect(await ids(seller, `created_since=${start}&created_before=${between}`)).toEqual([
    oversold,
    accepted,
    waiting,
  ]);
  const soon = new Date(app.app.services.now() + 10 * 86_400_000).toISOString();
  expect(await ids(seller, `dispatch_by_before=${soon}`)).toEqual([accepted]);
  expect(await ids(seller, `dispatch_by_before=${start}`)).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const since = new Date(app.app.services.now()).toISOString();
  await post(seller, `${waiting}/accept`);
  expect(await ids(seller, `updated_since=${since}`)).toEqual([waiting]);
  expect(await ids(seller, `updated_since=${start}`)).toEqual([waiting, shipped, oversold, accepted]);
  expect(await ids(seller, 'payment_status=pending&status=shipped')).toEqual([shipped]);
  const paid = { charge_id: 'ch_filter', captured_minor: 2_000, provider_fee_minor: 1 };
  await apply(app, orderEvent(app, seller, 'order.payment_captured', shipped, paid));
  expect(await ids(seller, 'payment_status=captured')).toEqual([shipped]);
  expect(await ids(seller, 'payment_status=pending')).toEqual([oversold, accepted, waiting]);
  expect((await list(seller, 'status=closed&sku=none')).applied).toEqual({ status: ['closed'], sku: 'none' });
  for (const query of ['status=lost', 'attention=x', 'created_since=today', 'nonsense=1', 'limit=0'])
    expect((await seller.call('GET', `/orders?${query}`)).status, query).toBe(422);
});

test('queues count what needs the seller', async () => {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 3);
  const waiting = await placeOrder(app, seller, [{ sku }]);
  const accepted = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${accepted}/accept`);
  const shipped = await placeOrder(app, seller, [{ sku }]);
  await post(seller, `${shipped}/accept`);
  await shipAll(seller, shipped);
  await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await apply(
    app,
    orderEvent(app, seller, 'order.cancel_requested', waiting, {
      request_id: `crq_${waiting}`,
      lines: [{ order_line_no: 1, quantity: 1 }],
    }),
    orderEvent(app, seller, 'order.delivered', shipped, {}),
    orderEvent(app, seller, 'return.requested', shipped, {
      return_id: `rtn_${shipped}`,
      lines: [{ order_line_no: 1, quantity: 1, reason: 'damaged' }],
    }),
    orderEvent(app, seller, 'dispute.opened', shipped, { dispute_id: `dp_${shipped}`, amount_minor: 100 }),
  );
  const { body } = await seller.call('GET', '/orders/queues');
  expect(body).toMatchObject({
    to_accept: 2,
    to_dispatch: 1,
    late: 0,
    cancel_requests: 1,
    returns_to_answer: 1,
    oversold: 1,
    disputes: 1,
  });
});

test('the published machine is the one that decides', async () => {
  const seller = await app.seller();
  const { body } = await seller.call<{
    machines: { name: string; transitions: { event: string; from: string[] }[] }[];
    invariants: string[];
  }>('GET', '/orders/state-machine');
  expect(body.machines.map(({ name }) => name)).toEqual([
    'order',
    'shipment',
    'cancel_request',
    'return',
    'refund',
    'dispute',
  ]);
  const accept = body.machines[0]?.transitions.find(({ event }) => event === 'accept');
  expect(accept?.from).toEqual(['awaiting_acceptance', 'partially_shipped']);
  expect(body.invariants[0]).toBe('ordered = awaiting + accepted_open + rejected + cancelled + shipped');
});
