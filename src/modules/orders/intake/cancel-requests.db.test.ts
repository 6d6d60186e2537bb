/** A buyer asks to cancel, and the marketplace cancels itself: in every order. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { apply, orderEvent, placeOrder, post, stocked } from '../../../../test/support/orders.ts';
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
