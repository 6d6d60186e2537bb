/** A buyer asks to cancel, and the marketplace cancels itself: in every order. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  apply,
  eventTypesOf,
  orderEvent,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { permuter } from '../../../../test/support/permutations.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const { endsAlike } = permuter(app, seller);

test('what the marketplace cancels after the buyer asked for it is not given up twice', {
  timeout: 120_000,
}, async () => {
  const units = (quantity: number) => ({ lines: [{ order_line_no: 1, quantity }] });
  const [answered, rest] = await endsAlike((event, placed) => [
    placed,
    event('order.cancel_requested', { request_id: 'crq_xa', ...units(1) }, 1),
    event('order.cancelled', { ...units(1), by: 'buyer' }, 2),
    event('order.cancel_requested', { request_id: 'crq_xb', ...units(1) }, 3),
  ]);
  expect(rest).toEqual([]);
  expect(answered.cancel_requests).toMatchObject([
    { request_id: 'crq_xa', status: 'void', lines: [{ quantity: 1, undecided: 0 }] },
    { request_id: 'crq_xb', status: 'open', lines: [{ quantity: 1, undecided: 1 }] },
  ]);
  const [partly] = await endsAlike((event, placed) => [
    placed,
    event('order.cancel_requested', { request_id: 'crq_xc', ...units(2) }, 1),
    event('order.cancelled', { ...units(1), by: 'marketplace' }, 2),
  ]);
  expect(partly.cancel_requests).toMatchObject([{ status: 'open', lines: [{ quantity: 2, undecided: 1 }] }]);
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  const asked = { request_id: 'crq_xd', ...units(2) };
  await apply(app, orderEvent(app, seller, 'order.cancel_requested', id, asked));
  await apply(app, orderEvent(app, seller, 'order.cancelled', id, { ...units(1), by: 'marketplace' }));
  const granted = await post(seller, `${id}/cancel-requests/crq_xd/accept`);
  expect(granted.body.lines[0]?.quantities).toMatchObject({ cancelled: 2, awaiting: 1 });
});

test('a cancellation answers the oldest request before it, whichever is told last', {
  timeout: 120_000,
}, async () => {
  const units = (quantity: number) => ({ lines: [{ order_line_no: 1, quantity }] });
  const [one, rest] = await endsAlike((event, placed) => [
    placed,
    event('order.cancel_requested', { request_id: 'crq_xa', ...units(1) }, 1),
    event('order.cancel_requested', { request_id: 'crq_xb', ...units(1) }, 2),
    event('order.cancelled', { ...units(1), by: 'buyer' }, 3),
  ]);
  expect(rest).toEqual([]);
  expect(one.cancel_requests).toMatchObject([
    { request_id: 'crq_xa', status: 'void' },
    { request_id: 'crq_xb', status: 'open', lines: [{ undecided: 1 }] },
  ]);
  const [both] = await endsAlike((event, placed) => [
    placed,
    event('order.cancel_requested', { request_id: 'crq_xa', ...units(1) }, 1),
    event('order.cancelled', { ...units(1), by: 'buyer' }, 2),
    event('order.cancel_requested', { request_id: 'crq_xb', ...units(1) }, 3),
    event('order.cancelled', { ...units(1), by: 'buyer' }, 4),
  ]);
  expect(both.cancel_requests.map(({ status }) => status)).toEqual(['void', 'void']);
});

test('a request that is open again, since its answer was that of an older one, is told again', async () => {
  const { sku } = await stocked(seller, 5);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  const lines = [{ order_line_no: 1, quantity: 1 }];
  const start = app.app.services.now();
  const at = (minute: number) => ({ time: new Date(start + minute * 60_000).toISOString() });
  const asked = (request_id: string, minute: number) =>
    orderEvent(app, seller, 'order.cancel_requested', id, { request_id, lines }, at(minute));
  await apply(app, orderEvent(app, seller, 'order.cancelled', id, { lines, by: 'buyer' }, at(3)));
  await apply(app, asked('crq_xb', 2));
  expect(await eventTypesOf(app, seller, id)).not.toContain('order.cancel_requested');
  await apply(app, asked('crq_xa', 1));
  const told = (await eventTypesOf(app, seller, id)).filter((type) => type === 'order.cancel_requested');
  expect(told).toHaveLength(1);
  const granted = await post(seller, `${id}/cancel-requests/crq_xb/accept`);
  expect(granted.body.lines[0]?.quantities).toMatchObject({ cancelled: 2, awaiting: 1 });
});

test('a cancellation of some that is told after a later one of all has been carried out', async () => {
  const { sku } = await stocked(seller, 5);
  const lines = [{ order_line_no: 1, quantity: 1 }];
  for (const turned of [false, true]) {
    const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
    const { body } = await post(seller, `${id}/accept`);
    const order_line_id = body.lines[0]?.order_line_id;
    await shipAll(seller, id, { lines: [{ order_line_id, quantity: 1 }] });
    const start = app.app.services.now();
    const cancelled = (data: object, minute: number) =>
      orderEvent(app, seller, 'order.cancelled', id, data, {
        time: new Date(start + minute * 60_000).toISOString(),
      });
    const events = [cancelled({ lines, by: 'buyer' }, 1), cancelled({ by: 'buyer' }, 2)];
    const results = await app.events(...(turned ? events.reverse() : events));
    expect(results.map(({ status }) => status)).toEqual(['applied', turned ? 'stale' : 'applied']);
    expect((await readOrder(seller, id)).lines[0]?.quantities).toMatchObject({ cancelled: 2, in_transit: 1 });
  }
});
