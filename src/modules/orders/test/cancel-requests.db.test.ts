/** Cancel requests of the buyer and cancellations by the marketplace, in every order of their events. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  apply,
  eventTypesOf,
  orderEvent,
  placeOrder,
  post,
  readOrder,
  type Shipment,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { permuter } from '../../../../test/support/permutations.ts';

// Deadlines count in Sydney days: with the system's clock, the events of one sequence may fall on two of them.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const seller = await app.seller({ plan: 'Small', address: true });
const { endsAlike } = permuter(app, seller);

test('units that the marketplace cancels after the buyer’s request are cancelled once', async () => {
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

test('a cancellation answers the oldest earlier request, whichever arrives last', async () => {
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

test('a request that opens again has its event again', async () => {
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

test('a cancellation of some units is stale after a later one of all units', async () => {
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

test('a cancellation that names its request takes no unit that the answer has taken', async () => {
  const { sku } = await stocked(seller, 20);
  const units = (quantity: number) => ({ lines: [{ order_line_no: 1, quantity }] });
  const id = await placeOrder(app, seller, [{ sku, quantity: 5 }]);
  const told = async (type: string, data: object) => {
    const [result] = await app.events(orderEvent(app, seller, `order.${type}`, id, data));
    return result?.code ?? result?.status;
  };
  const cancelled = async () => (await readOrder(seller, id)).lines[0]?.quantities['cancelled'];
  expect(await told('cancelled', { request_id: 'crq_a', ...units(1) })).toBe('request_not_found');
  expect(await told('cancel_requested', { request_id: 'crq_a', ...units(1) })).toBe('applied');
  expect((await post(seller, `${id}/cancel-requests/crq_a/accept`)).status).toBe(200);
  expect(await told('cancelled', { request_id: 'crq_a', ...units(1) })).toBe('stale');
  expect(await cancelled()).toBe(1);
  // The other way round: the cancellation is the answer.
  await told('cancel_requested', { request_id: 'b', ...units(1) });
  expect(await told('cancelled', { request_id: 'b', by: 'buyer' })).toBe('applied');
  expect(await told('cancelled', { request_id: 'b', by: 'marketplace' })).toBe('stale');
  expect((await post(seller, `${id}/cancel-requests/b/accept`)).body).toMatchObject({
    code: 'already_answered',
  });
  expect(await cancelled()).toBe(2);
  // The marketplace may cancel what the seller has denied, and never more than was asked for.
  await told('cancel_requested', { request_id: 'crq_c', ...units(1) });
  expect((await post(seller, `${id}/cancel-requests/crq_c/deny`)).status).toBe(200);
  expect(await told('cancelled', { request_id: 'crq_c', ...units(2) })).toBe('invalid_transition');
  expect(await told('cancelled', { request_id: 'crq_c', ...units(1) })).toBe('applied');
  expect(await cancelled()).toBe(3);
});

test('each request is cancelled once, by the seller or the marketplace, in any order', async () => {
  const { sku } = await stocked(seller, 1_000);
  const act = fc.record({
    request: fc.nat(2),
    how: fc.constantFrom('accept', 'deny', 'named', 'named', 'whole'),
    quantity: fc.integer({ min: 1, max: 2 }),
  });
  const asked = fc.tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 1, max: 2 })));
  await fc.assert(
    fc.asyncProperty(asked, fc.array(act, { maxLength: 8 }), async (quantities, acts) => {
      const id = await placeOrder(app, seller, [{ sku, quantity: 6 }]);
      const units = (quantity: number) => ({ lines: [{ order_line_no: 1, quantity }] });
      const tell = (type: string, data: object) =>
        app.events(orderEvent(app, seller, `order.${type}`, id, data));
      for (const [request, quantity] of quantities.entries())
        await tell('cancel_requested', { request_id: `crq_${request}`, ...units(quantity) });
      const taken = quantities.map(() => 0);
      for (const { request, how, quantity } of acts) {
        const request_id = `crq_${request}`;
        const whole = quantities[request] ?? 0;
        if (how === 'accept' || how === 'deny') {
          const { status } = await post(seller, `${id}/cancel-requests/${request_id}/${how}`);
          if (how === 'accept' && status === 200) taken[request] = whole;
        } else {
          const [result] = await tell('cancelled', {
            request_id,
            ...(how === 'named' ? units(quantity) : {}),
          });
          if (quantity > whole && how === 'named' && taken[request] !== whole)
            expect(result?.code).toBe('invalid_transition');
          if (result?.status === 'applied')
            taken[request] = Math.min(whole, (taken[request] ?? 0) + (how === 'named' ? quantity : whole));
        }
      }
      const { lines } = await readOrder(seller, id);
      expect(lines[0]?.quantities['cancelled']).toBe(taken.reduce((sum, units) => sum + units, 0));
    }),
    { numRuns: 25 },
  );
});

test('cancellations with and without the name of their request end alike', async () => {
  const units = (quantity: number) => ({ lines: [{ order_line_no: 1, quantity }] });
  const [order, left] = await endsAlike((event, placed) => [
    placed,
    event('order.cancel_requested', { request_id: 'crq_xa', ...units(1) }, 1),
    event('order.cancel_requested', { request_id: 'crq_xb', ...units(1) }, 2),
    event('order.cancelled', { request_id: 'crq_xb', ...units(1) }, 3),
    event('order.cancelled', { ...units(1), by: 'buyer' }, 4),
  ]);
  expect(left).toEqual([]);
  expect(order.cancel_requests).toMatchObject([{ status: 'void' }, { status: 'void' }]);
  expect(order.lines[0]?.quantities).toMatchObject({ cancelled: 2, awaiting: 1 });
});

test('a cancellation drops the fewest draft parcels: unlabelled before labelled, smallest first', async () => {
  const { sku } = await stocked(seller, 100);
  const packages = [{ weight_g: 500, length_mm: 200, width_mm: 150, height_mm: 100 }];
  /** Packs parcels of so many units, those with a label marked; returns what is left after a cancellation. */
  const left = async (parcels: readonly (readonly [units: number, labelled?: true])[], cancelled: number) => {
    const quantity = parcels.reduce((sum, [units]) => sum + units, 0);
    const id = await placeOrder(app, seller, [{ sku, quantity }]);
    const { body } = await post(seller, `${id}/accept`);
    const order_line_id = body.lines[0]?.order_line_id;
    for (const [units, labelled] of parcels) {
      const lines = [{ order_line_id, quantity: units }];
      const packed = await post<Shipment>(seller, `${id}/shipments`, { lines, packages });
      const path = `${id}/shipments/${packed.body.shipment_id}/label`;
      if (labelled)
        expect((await post(seller, path, { carrier: 'own', service: 'standard' })).status).toBe(201);
    }
    const lines = [{ order_line_no: 1, quantity: cancelled }];
    await apply(app, orderEvent(app, seller, 'order.cancelled', id, { lines, by: 'buyer' }));
    const { shipments } = await readOrder(seller, id);
    return shipments.map(({ status }) => (status === 'draft' ? 'kept' : status));
  };
  expect(await left([[1], [2, true]], 1)).toEqual(['cancelled', 'kept']);
  expect(await left([[3], [1], [2]], 1)).toEqual(['kept', 'cancelled', 'kept']);
  expect(await left([[3, true], [1], [1], [1]], 3)).toEqual(['cancelled', 'kept', 'kept', 'kept']);
  expect(await left([[1, true], [2], [2, true]], 2)).toEqual(['kept', 'cancelled', 'kept']);
});
