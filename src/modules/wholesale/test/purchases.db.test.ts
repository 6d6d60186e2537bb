import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { giveAddress, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { afterJobs } from '../../../../test/support/jobs.ts';
import { wait } from '../../../../test/support/marketing.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { permutations } from '../../../../test/support/permutations.ts';
import {
  answered,
  draftOrder,
  movePurchase,
  mugSupplier,
  type Purchase,
  pathOf,
  readPurchase,
  receiptBody,
  submitted,
  supplierDoes,
  supplierEvent,
} from '../../../../test/support/purchases.ts';
import { newSupplier, type Supplier, tellProfile } from '../../../../test/support/sourcing.ts';
import { joinTeam } from '../../../../test/support/team.ts';

/** Monday, 10:00 in Sydney. */
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const outcome = ({ status, body }: { status: number; body: { code?: unknown } | undefined }) => [
  status,
  body?.code ?? null,
];
const at = (hours: number) => ({ time: new Date(app.app.services.now() + hours * HOUR_MS).toISOString() });
const units = (order: Purchase, line = 0) => {
  const { unconfirmed, confirmed, received, cancelled } = order.lines[line]?.quantities ?? {};
  return [unconfirmed, confirmed, received, cancelled];
};
const answer = (seller: TestSeller, order: Purchase, ...said: Parameters<typeof answered>) =>
  supplierDoes(app, seller, order, 'order_answered', answered(...said));
const submit = (seller: TestSeller, order: Purchase, json: object = {}, query = '') =>
  movePurchase(seller, order, `submit${query}`, json);
const republish = async (supplier: Supplier, pack_price_minor: number) => {
  const { supplier_item_id, supplier_sku } = supplier;
  const item = {
    ...{
      supplier_item_id,
      supplier_sku,
      title: 'Mug',
      pack_size: 12,
      minimum_quantity: 24,
      status: 'active',
    },
    price_breaks: [{ min_quantity: 24, pack_price_minor }],
  };
  const [result] = await app.events({
    ...{ specversion: '1.0', id: randomUUID(), source: '/marketplace/core', ...at(0) },
    ...{
      type: 'marketplace.supplier.items_published',
      subject: supplier.supplier_id,
      data: { items: [item] },
    },
  });
  expect(result).toMatchObject({ status: 'applied' });
};

test('a submitted order tells the supplier where the goods go, and has five business days', async () => {
  const seller = await app.seller();
  const order = await submitted(seller, await mugSupplier(app), { note: 'Ring first' });
  expect(order).toMatchObject({
    ...{ status: 'submitted', version: 2, total_minor: 75_190, submitted_at: '2026-08-03T00:00:00.000Z' },
    ...{ answer_by: '2026-08-10T14:00:00.000Z', allowed_actions: ['cancel', 'receive'] },
  });
  const [told] = await marketplaceEvents(app, seller, 'purchase_order.', 1);
  expect(told).toMatchObject({
    type: 'purchase_order.submitted',
    data: { object: { ship_to: { line1: '12 Harbour Street' }, note: 'Ring first', total_minor: 75_190 } },
  });
  expect(JSON.stringify(told)).not.toContain(seller.email);
  expect(outcome(await submit(seller, order))).toEqual([409, 'invalid_transition']);
  expect(outcome(await seller.call('PATCH', pathOf(order), { json: { note: 'x' } }))).toEqual([
    ...[409, 'invalid_transition'],
  ]);
});

test('a price that rose is refused once with the difference, then submitted', async () => {
  const seller = await app.seller();
  const supplier = await mugSupplier(app);
  const draft = await draftOrder(seller, supplier);
  await wait(app, 1_000);
  await republish(supplier, 7_000);
  const changes = [{ line_no: 1, field: 'pack_price_minor', before: 5_945, after: 7_000 }];
  const refused = { status: 409, body: { code: 'price_changed', changes, total_minor: 87_850 } };
  expect(await submit(seller, draft, {}, '?dry_run=true')).toMatchObject(refused);
  expect(await readPurchase(seller, draft)).toEqual(draft);
  expect(await submit(seller, draft)).toMatchObject(refused);
  expect(await readPurchase(seller, draft)).toMatchObject({
    total_minor: 87_850,
    version: 2,
    status: 'draft',
  });
  expect(await submit(seller, draft, { expected_total_minor: 75_190 })).toMatchObject({
    body: { code: 'price_changed', changes: [{ line_no: null, field: 'total_minor', before: 75_190 }] },
  });
  const tried = await submit(seller, draft, { expected_total_minor: 87_850 }, '?dry_run=true');
  expect(tried).toMatchObject({ status: 200, body: { status: 'submitted' } });
  expect(tried.headers.get('dry-run')).toBe('true');
  const headers = { 'idempotency-key': randomUUID() };
  const send = () =>
    seller.call<Purchase>('POST', pathOf(draft, '/submit'), {
      json: { expected_total_minor: 87_850 },
      headers,
    });
  const [first, again] = await Promise.all([send(), send()]);
  expect([first.status, again.status].filter((status) => status === 200).length).toBeGreaterThan(0);
  expect((await send()).body).toMatchObject({ status: 'submitted', total_minor: 87_850 });
  expect(await eventTypesOf(app, seller, draft.purchase_order_id)).toEqual(['purchase_order.submitted']);
});

test('freight that is not stated needs a cap, a small order more goods, and every order an address', async () => {
  const seller = await app.seller();
  const silent = await newSupplier(app);
  const draft = await draftOrder(seller, silent, { ship_to: null });
  expect(outcome(await submit(seller, draft))).toEqual([409, 'freight_not_stated']);
  expect(outcome(await submit(seller, draft, { freight_cap_minor: 2_000 }))).toEqual([
    409,
    'address_missing',
  ]);
  await giveAddress(seller);
  const sent = await submit(seller, draft, { freight_cap_minor: 2_000 });
  expect(sent.body).toMatchObject({ freight_minor: null, total_minor: null, freight_cap_minor: 2_000 });
  expect(sent.body['ship_to']).toMatchObject({ country: 'AU' });
  const said = { ...answered(144, 0), freight_minor: 2_001 };
  expect(await supplierDoes(app, seller, sent.body, 'order_answered', said)).toBe('freight_above_cap');
  const fair = { ...answered(144, 0), freight_minor: 1_500 };
  expect(await supplierDoes(app, seller, sent.body, 'order_answered', fair)).toBe('applied');
  expect(await readPurchase(seller, draft)).toMatchObject({ freight_minor: 1_500, total_minor: 75_660 });
  const large = await mugSupplier(app, { minimum_order_minor: 71_341 });
  expect((await submit(seller, await draftOrder(seller, large))).body).toMatchObject({
    ...{ code: 'order_below_minimum', goods_minor: 71_340, minimum_order_minor: 71_341 },
  });
  const paused = await mugSupplier(app);
  const order = await draftOrder(seller, paused);
  await wait(app, 1_000);
  await tellProfile(app, paused, { status: 'paused' });
  expect(outcome(await submit(seller, order))).toEqual([409, 'supplier_not_available']);
});

test('an answer, a shipment and a cancellation end alike in every order, some of them twice', async () => {
  const seller = await app.seller();
  const supplier = await mugSupplier(app);
  const ends = new Set<string>();
  for (const sequence of permutations([0, 1, 2])) {
    const order = await submitted(seller, supplier);
    const line = (quantity: number) => ({ lines: [{ line_no: 1, quantity }] });
    const events = [
      supplierEvent(
        app,
        seller,
        order,
        'order_answered',
        answered(132, 12, { promised_on: '2026-08-20' }, 'a'),
        at(-3),
      ),
      supplierEvent(
        ...([app, seller, order, 'order_shipped'] as const),
        { supplier_shipment_id: 's', shipped_at: at(-2).time, ...line(100), carrier: 'nobody' },
        at(-2),
      ),
      supplierEvent(
        app,
        seller,
        order,
        'order_cancelled',
        { cancel_id: 'c', reason: 'other', ...line(10) },
        at(-1),
      ),
    ];
    const told = sequence.map((index) => events[index] ?? {});
    for (const results of [await app.events(...told), await app.events(...told)])
      expect(results.every(({ status }) => status === 'applied' || status === 'duplicate')).toBe(true);
    const repeated = told.map((event) => ({ ...event, id: randomUUID() }));
    expect((await app.events(...repeated)).map(({ status }) => status)).toEqual(['stale', 'stale', 'stale']);
    const { status, attention, lines, shipments } = await readPurchase(seller, order);
    const { quantities, promised_on } = lines[0] ?? {};
    ends.add(
      JSON.stringify([status, attention, quantities, promised_on, shipments].map((one) => one)).replaceAll(
        /"shipped_at":"[^"]*"/g,
        '',
      ),
    );
  }
  expect(ends.size).toBe(1);
  expect([...ends][0]).toContain('"confirmed":122,"received":0,"cancelled":22,"shipped":100');
});

test('a higher price confirms nothing, a lower one is taken; what an order does not know is rejected', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const order = await submitted(seller, await mugSupplier(app));
  expect(await answer(seller, order, 144, 0, { pack_price_minor: 5_946 })).toBe('price_above_ordered');
  expect(await answer(seller, order, 144, 0, { pack_size: 24 })).toBe('price_above_ordered');
  expect(units(await readPurchase(seller, order))).toEqual([144, 0, 0, 0]);
  expect(await answer(seller, order, 100, 0, { pack_price_minor: 5_000 }, 'a-1')).toBe('applied');
  expect(await readPurchase(seller, order)).toMatchObject({ goods_minor: 60_000, status: 'confirmed' });
  expect(await answer(seller, order, 99, 0, {}, 'a-1')).toBe('id_reused');
  expect(await answer(seller, order, 1, 0, { line_no: 2 })).toBe('data_invalid');
  expect(await answer(other, order, 1, 0)).toBe('order_not_found');
  expect(await answer(seller, await draftOrder(seller, await mugSupplier(app)), 1, 0)).toBe(
    'order_not_found',
  );
  const late = at(1);
  expect(await supplierDoes(app, seller, order, 'order_answered', answered(1, 0), late)).toBe('data_invalid');
  expect(await eventTypesOf(app, seller, order.purchase_order_id)).toEqual([
    ...['purchase_order.submitted', 'purchase_order.answered'],
  ]);
});

test('without an answer the order is cancelled with one warning; a later answer is rejected, an older one holds', async () => {
  const seller = await app.seller();
  const [silent, slow] = [
    await submitted(seller, await mugSupplier(app)),
    await submitted(seller, await mugSupplier(app)),
  ];
  const before = at(1);
  await wait(app, 8 * DAY_MS);
  const later = await seller.renew();
  const read = (order: Purchase) => () => readPurchase(later, order);
  for (const order of [silent, slow])
    expect(await afterJobs(app, read(order), ({ status }) => status === 'cancelled')).toMatchObject({
      ...{ status: 'cancelled', allowed_actions: [] },
    });
  expect(await eventTypesOf(app, seller, silent.purchase_order_id)).toEqual(
    ['submitted', 'answer_overdue', 'cancelled'].map((name) => `purchase_order.${name}`),
  );
  const { body } = await later.call<{ data: { title: string }[] }>('GET', '/notifications');
  expect(body.data.filter(({ title }) => title.includes(silent.number))).toHaveLength(1);
  expect(await answer(seller, silent, 144, 0)).toBe('order_closed');
  expect(outcome(await movePurchase(later, silent, 'receipts', receiptBody(app, silent, 1)))).toEqual([
    ...[409, 'invalid_transition'],
  ]);
  const told = answered(100, 44);
  expect(await supplierDoes(app, seller, slow, 'order_answered', told, before)).toBe('applied');
  expect(units(await readPurchase(later, slow))).toEqual([0, 100, 0, 44]);
});

test('a promised day that has passed is told once, and is in the list of late orders', async () => {
  const seller = await app.seller();
  const order = await submitted(seller, await mugSupplier(app));
  const promised_on = new Date(app.app.services.now() + DAY_MS).toISOString().slice(0, 10);
  await answer(seller, order, 144, 0, { promised_on });
  const late = async (by = seller) =>
    (await by.call<{ data: Purchase[] }>('GET', '/wholesale/purchase-orders?overdue=true')).body.data;
  expect(await late()).toEqual([]);
  await wait(app, 3 * DAY_MS);
  const types = () => eventTypesOf(app, seller, order.purchase_order_id);
  await afterJobs(app, types, (found) => found.includes('purchase_order.delivery_overdue'));
  expect(await late(await seller.renew())).toMatchObject([
    { number: order.number, attention: ['delivery_overdue', 'unmapped_line'] },
  ]);
  await wait(app, 3 * DAY_MS);
  await app.app.services.jobs.runDue();
  expect((await types()).filter((type) => type.endsWith('overdue'))).toHaveLength(1);
});

test('unconfirmed units are cancelled at once, confirmed ones on request; closing ends the rest', async () => {
  const seller = await app.seller();
  const order = await submitted(seller, await mugSupplier(app));
  await answer(seller, order, 100, 0);
  const purchase_line_id = order.lines[0]?.purchase_line_id;
  const cancel = (quantity: number) =>
    movePurchase(seller, order, 'cancel', { lines: [{ purchase_line_id, quantity }], reason: 'Too many' });
  expect((await cancel(145)).body).toMatchObject({ code: 'quantity_exceeds_outstanding', outstanding: 144 });
  expect((await cancel(60)).body).toMatchObject({
    purchase_order: { lines: [{ quantities: { unconfirmed: 0, confirmed: 100, cancelled: 44 } }] },
    lines: [{ purchase_line_id, cancelled_now: 44, requested: 16 }],
  });
  const asked = await marketplaceEvents(app, seller, 'purchase_order.cancel_requested', 1);
  expect(asked).toMatchObject([
    { data: { object: { lines: [{ line_no: 1, quantity: 16 }], reason: 'Too many' } } },
  ]);
  const granted = { cancel_id: 'c-1', reason: 'requested', lines: [{ line_no: 1, quantity: 16 }] };
  expect(await supplierDoes(app, seller, order, 'order_cancelled', granted)).toBe('applied');
  expect((await movePurchase(seller, order, 'close', { reason: 'not_coming' })).body).toMatchObject({
    ...{ status: 'cancelled', close_reason: 'not_coming', closed_at: expect.any(String) },
  });
  const { body } = await seller.call<{ data: object[] }>('GET', pathOf(order, '/history'));
  expect(body.data.map((one) => (one as { event: string }).event).sort()).toEqual(
    ['answered', 'cancelled_by_seller', 'cancelled_by_supplier', 'closed', 'submitted'].sort(),
  );
  expect(body.data).toContainEqual(
    expect.objectContaining({
      ...{
        event: 'cancelled_by_seller',
        reason: 'Too many',
        actor: { kind: 'member', id: expect.any(String) },
      },
    }),
  );
});

test('who ships books and does not order, who counts money reads, and others see nothing', async () => {
  const [seller, other] = [await app.seller({ plan: 'Small' }), await app.seller()];
  const [fulfilment, finance] = await Promise.all([
    joinTeam(app, seller, ['fulfilment']),
    joinTeam(app, seller, ['finance']),
  ]);
  const supplier = await mugSupplier(app);
  const [order, draft] = [await submitted(seller, supplier), await draftOrder(seller, supplier)];
  const book = receiptBody(app, order, 12);
  expect(outcome(await movePurchase(fulfilment, draft, 'submit'))).toEqual([403, 'permission_denied']);
  const booked = await movePurchase<{ receipt_id: string }>(fulfilment, order, 'receipts', book);
  expect(booked.status).toBe(201);
  expect((await finance.call('GET', pathOf(order))).status).toBe(200);
  for (const verb of ['receipts', 'cancel', 'close'])
    expect(
      (await movePurchase(finance, order, verb, verb === 'receipts' ? book : { reason: 'other' })).status,
    ).toBe(403);
  for (const path of ['', '/history', '/receipts'])
    expect((await other.call('GET', pathOf(order, path))).status).toBe(404);
  for (const [verb, json] of [
    ...([
      ['submit', {}],
      ['cancel', { reason: 'x' }],
      ['close', { reason: 'other' }],
      ['receipts', book],
    ] as const),
  ])
    expect((await movePurchase(other, order, verb, json)).status).toBe(404);
  const path = `/wholesale/receipts/${booked.body.receipt_id}/reverse`;
  expect((await other.call('POST', path, { json: { reason: 'x' } })).status).toBe(404);
});
