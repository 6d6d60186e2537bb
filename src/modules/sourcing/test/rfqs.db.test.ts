import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { afterJobs } from '../../../../test/support/jobs.ts';
import { wait } from '../../../../test/support/marketing.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { create } from '../../../../test/support/products.ts';
import {
  ahead,
  makeRfq,
  moveRfq,
  newSupplier,
  openRfq,
  postRfq,
  quote,
  type Rfq,
  readRfq,
  rfqBody,
  tellProfile,
} from '../../../../test/support/sourcing.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const outcome = ({ status, body }: { status: number; body: { code?: unknown } | undefined }) => [
  status,
  body?.code ?? null,
];
const change = (seller: TestSeller, { rfq_id }: Pick<Rfq, 'rfq_id'>, json: object, headers = {}) =>
  seller.call<Rfq>('PATCH', `/sourcing/rfqs/${rfq_id}`, { json, headers });

test('a draft is made, changed and deleted; afterwards only its state counts', async () => {
  const seller = await app.seller();
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const { product_id } = await create(seller);
  const made = await makeRfq(app, seller, [one], {
    lines: [{ supplier_item_id: one.supplier_item_id, product_id, quantity: 100 }],
  });
  expect(made).toMatchObject({
    ...{ status: 'draft', quotes: 0, currency: 'AUD', note: null, suppliers: [one.supplier_id], version: 1 },
    ...{ allowed_actions: ['change', 'open'], ship_to: { state: 'NSW', postcode: '2000' } },
    lines: [
      {
        ...{ line_no: 1, supplier_item_id: one.supplier_item_id, product_id, description: null },
        ...{ quantity: 100, need_on: null },
      },
    ],
  });
  const lines = [
    { description: 'Mug', quantity: 5 },
    { description: 'Bowl', quantity: 6, need_on: '2026-09-01' },
  ];
  const changed = await change(seller, made, { lines, suppliers: [one.supplier_id, two.supplier_id] });
  expect(changed.body).toMatchObject({ version: 2, lines: [{ line_no: 1 }, { line_no: 2, quantity: 6 }] });
  const stale = { 'if-match': `"${made.rfq_id}.1"` };
  expect(outcome(await change(seller, made, { title: 'Later' }, stale))).toEqual([
    412,
    'precondition_failed',
  ]);
  await moveRfq(seller, made, 'open');
  expect(outcome(await change(seller, made, { title: 'Late' }))).toEqual([409, 'invalid_transition']);
  const remove = ({ rfq_id }: Rfq) => seller.call('DELETE', `/sourcing/rfqs/${rfq_id}`);
  expect(outcome(await remove(made))).toEqual([409, 'invalid_transition']);
  const other = await makeRfq(app, seller, [one]);
  expect((await remove(other)).status).toBe(204);
  expect((await seller.call('GET', `/sourcing/rfqs/${other.rfq_id}`)).status).toBe(404);
  const listed = await seller.call<{ data: Rfq[] }>('GET', '/sourcing/rfqs?status=open');
  expect(listed.body.data.map(({ rfq_id }) => rfq_id)).toEqual([made.rfq_id]);
});

test('each wrong field is named; what does not exist is 404', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const problem = async (more: object) => {
    const { status, body } = await postRfq(app, seller, [one, two], more);
    const detail = body['detail'] as string | { type: string; loc: string[] }[];
    return typeof detail === 'string'
      ? [status, detail]
      : [status, ...detail.map(({ type, loc }) => `${loc.join('.')} ${type}`)];
  };
  const item = { supplier_item_id: one.supplier_item_id, quantity: 100 };
  // The other supplier must not learn whose item it is.
  expect(await problem({ lines: [item] })).toEqual([422, 'body.lines.0.description missing']);
  expect(await problem({ lines: [{ quantity: 1 }] })).toEqual([422, 'body.lines.0.description missing']);
  const times = [ahead(app, DAY_MS - 1), ahead(app, 30 * DAY_MS + 1)];
  for (const reply_by of times)
    expect(await problem({ reply_by })).toEqual([422, 'body.reply_by instant_out_of_range']);
  expect(await problem({ ship_to: { state: 'VIC', postcode: '2000' } })).toEqual([
    422,
    'body.ship_to.postcode postcode_outside_state',
  ]);
  const refused: readonly (readonly [object, string])[] = [
    [{ suppliers: [] }, 'body.suppliers '],
    [{ suppliers: [one.supplier_id, one.supplier_id] }, 'body.suppliers'],
    [{ lines: [{ description: ' ', quantity: 1 }] }, 'body.lines.0.description '],
  ];
  for (const [more, place] of refused)
    expect(await problem(more)).toEqual([422, expect.stringContaining(place)]);
  const { product_id } = await create(other);
  const words = { description: 'Mug', quantity: 1 };
  const missing = [
    [{ suppliers: ['sup_none'] }, 'sup_none'],
    [{ lines: [{ ...words, supplier_item_id: 'sit_none' }] }, 'sit_none'],
    [{ lines: [{ ...words, product_id }] }, product_id],
  ] as const;
  for (const [more, named] of missing)
    expect(await problem(more)).toEqual([404, expect.stringContaining(named)]);
});

test('each supplier is asked by an event of its own, without other suppliers, products and a street', async () => {
  const seller = await app.seller({ address: true });
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const { product_id } = await create(seller);
  const lines = [{ supplier_item_id: one.supplier_item_id, description: 'Mug', product_id, quantity: 100 }];
  const { rfq_id } = await openRfq(app, seller, [one, two], { lines, note: 'Blue, please.' });
  const told = await marketplaceEvents(app, seller, 'rfq.', 2);
  const shown = { rfq_id, status: 'open', version: 2, note: 'Blue, please.', currency: 'AUD' };
  const line = { line_no: 1, description: 'Mug', quantity: 100, need_on: null };
  expect(told).toMatchObject([
    {
      type: 'rfq.opened',
      object_version: 2,
      data: {
        object: {
          ...{ ...shown, supplier: { supplier_id: one.supplier_id, name: one.name, external_id: null } },
          lines: [{ ...line, supplier_sku: one.supplier_sku }],
        },
      },
    },
    {
      type: 'rfq.opened',
      data: {
        object: {
          ...{ ...shown, supplier: { supplier_id: two.supplier_id, name: two.name } },
          lines: [{ ...line, supplier_sku: null }],
        },
      },
    },
  ]);
  const text = JSON.stringify(told[1]?.data.object);
  const hidden = [
    one.supplier_id,
    one.name,
    one.supplier_item_id,
    one.supplier_sku,
    product_id,
    'Harbour Street',
  ];
  expect(hidden.filter((secret) => text.includes(secret))).toEqual([]);
  expect((await moveRfq(seller, { rfq_id }, 'withdraw')).body.status).toBe('withdrawn');
  const after = await marketplaceEvents(app, seller, 'rfq.', 4);
  expect(after.slice(2).map(({ type, data }) => [type, data.object['status']])).toEqual([
    ['rfq.withdrawn', 'withdrawn'],
    ['rfq.withdrawn', 'withdrawn'],
  ]);
  expect(outcome(await moveRfq(seller, { rfq_id }, 'withdraw'))).toEqual([409, 'invalid_transition']);
});

test('only active suppliers with the seller’s currency are asked, with 24 hours to reply', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const foreign = await newSupplier(app, { currency: 'NZD' });
  const refused = async (made: Rfq) => outcome(await moveRfq(seller, made, 'open'));
  const made = await makeRfq(app, seller, [supplier]);
  await tellProfile(app, supplier, { status: 'paused' });
  expect(await refused(made)).toEqual([409, 'supplier_not_available']);
  await tellProfile(app, supplier);
  expect(await refused(await makeRfq(app, seller, [supplier, foreign]))).toEqual([409, 'currency_mismatch']);
  await wait(app, 4 * DAY_MS + 1);
  const later = await seller.renew();
  const late = await moveRfq(later, made, 'open');
  expect(late).toMatchObject({ status: 422, body: { detail: [{ type: 'instant_out_of_range' }] } });
  expect((await readRfq(later, made)).status).toBe('draft');
});

test('50 may be open: of two that open at once as the fiftieth, one does', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const made = await Promise.all(Array.from({ length: 51 }, () => makeRfq(app, seller, [supplier])));
  for (const one of made.slice(0, 49)) expect((await moveRfq(seller, one, 'open')).status).toBe(200);
  const both = await Promise.all(made.slice(49).map((one) => moveRfq(seller, one, 'open')));
  expect(both.map(outcome).sort()).toEqual([
    [200, null],
    [409, 'too_many_open'],
  ]);
  expect(both.find(({ status }) => status === 409)?.body).toMatchObject({ limit: 50 });
});

test('at reply_by a request is answered or expired, to the millisecond; one that all have answered is at once', async () => {
  const seller = await app.seller();
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const [quoted, silent, whole] = [
    await openRfq(app, seller, [one, two]),
    await openRfq(app, seller, [one, two]),
    await openRfq(app, seller, [one]),
  ];
  expect(await quote(app, seller, quoted, one)).toBe('applied');
  expect(await quote(app, seller, whole, one)).toBe('applied');
  expect(await readRfq(seller, whole)).toMatchObject({ status: 'answered', quotes: 1 });
  await wait(app, Date.parse(quoted.reply_by) - app.app.services.now() - 1);
  let now = await seller.renew();
  expect(await readRfq(now, quoted)).toMatchObject({ status: 'open', quotes: 1 });
  await wait(app, 1_000);
  now = await seller.renew();
  const ended = (rfq: Rfq) =>
    afterJobs(
      app,
      () => readRfq(now, rfq),
      ({ status }) => status !== 'open',
    );
  expect(await ended(quoted)).toMatchObject({
    status: 'answered',
    quotes: 1,
    allowed_actions: ['withdraw', 'award'],
  });
  expect(await ended(silent)).toMatchObject({ status: 'expired', quotes: 0, allowed_actions: [] });
  expect(await eventTypesOf(app, now, quoted.rfq_id)).toEqual(['rfq.opened', 'rfq.opened', 'rfq.answered']);
  expect(await eventTypesOf(app, now, silent.rfq_id)).toEqual(['rfq.opened', 'rfq.opened', 'rfq.expired']);
  expect(outcome(await moveRfq(now, silent, 'withdraw'))).toEqual([409, 'invalid_transition']);
});

test('another seller’s request is 404 in every way', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const supplier = await newSupplier(app);
  const rfq = await openRfq(app, seller, [supplier]);
  await quote(app, seller, rfq, supplier);
  const path = `/sourcing/rfqs/${rfq.rfq_id}`;
  for (const below of ['', '/quotes', '/comparison'])
    expect((await other.call('GET', path + below)).status).toBe(404);
  expect((await change(other, rfq, { title: 'Mine' })).status).toBe(404);
  for (const verb of ['open', 'withdraw']) expect((await moveRfq(other, rfq, verb)).status).toBe(404);
  // An event for one seller cannot answer the request of another.
  expect(await quote(app, other, rfq, supplier, { quote_ref: 'q-2' })).toBe('rfq_not_found');
});

test('a request and its answers are kept for 25 months', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const [old, kept] = [await openRfq(app, seller, [supplier]), await openRfq(app, seller, [supplier])];
  await quote(app, seller, old, supplier);
  const age = ({ rfq_id }: Rfq, days: number) =>
    asOwner(app, 'update rfq set updated_at = $1 where rfq_id = $2', [ahead(app, -days * DAY_MS), rfq_id]);
  await age(old, 765);
  await age(kept, 760);
  await wait(app, DAY_MS);
  const left = () =>
    asOwner<{ rfq_id: string; quotes: number }>(
      app,
      'select r.rfq_id, (select count(*)::int from rfq_quote q where q.seller_id = $1) as quotes from rfq r where r.seller_id = $1',
      [seller.seller_id],
    );
  expect(await afterJobs(app, left, ({ length }) => length === 1)).toEqual([
    { rfq_id: kept.rfq_id, quotes: 0 },
  ]);
});

test('the same key makes one request', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const json = rfqBody(app, [supplier]);
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const send = () => seller.call<Rfq>('POST', '/sourcing/rfqs', { json, headers });
  const [first, again] = [await send(), await send()];
  expect(again.body.rfq_id).toBe(first.body.rfq_id);
  expect((await seller.call<{ data: Rfq[] }>('GET', '/sourcing/rfqs')).body.data).toHaveLength(1);
});
