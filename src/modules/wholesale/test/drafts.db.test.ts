import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { create } from '../../../../test/support/products.ts';
import {
  ADDRESS,
  draftOrder,
  movePurchase,
  mugSupplier,
  type Purchase,
  pathOf,
  postPurchase,
  purchaseBody,
  readPurchase,
} from '../../../../test/support/purchases.ts';
import { newSupplier, tellProfile } from '../../../../test/support/sourcing.ts';
import { minor } from '../../../kernel/money.ts';
import { acting } from '../../../platform/acting.ts';
import { draftFromQuote } from '../index.ts';

const app = await startTestApp();
const outcome = ({ status, body }: { status: number; body: { code?: unknown } | undefined }) => [
  status,
  body?.code ?? null,
];
const change = (seller: TestSeller, order: Purchase, json: object, headers = {}) =>
  seller.call<Purchase>('PATCH', pathOf(order), { json, headers });

test('a draft has the prices of its quantity, and freight that is not stated leaves no total', async () => {
  const seller = await app.seller();
  const supplier = await mugSupplier(app, { payment_terms: 'net_14' });
  const { product_id, seller_sku } = await create(seller);
  const made = await draftOrder(seller, supplier, { reference: 'Winter' }, { product_id });
  expect(made).toMatchObject({
    ...{ number: 'PO-000001', status: 'draft', origin: 'manual', rfq_id: null, reference: 'Winter' },
    ...{ supplier: { supplier_id: supplier.supplier_id, name: supplier.name }, ship_to: ADDRESS },
    ...{ goods_minor: 71_340, freight_minor: 3_850, total_minor: 75_190, payment_terms: 'net_14' },
    ...{ missing_components: [], attention: [], scope: 'purchasing_not_financial_records', version: 1 },
    lines: [
      {
        ...{
          line_no: 1,
          product_id,
          seller_sku,
          pack_size: 12,
          pack_price_minor: 5_945,
          goods_minor: 71_340,
        },
        quantities: { ordered: 144, unconfirmed: 144, confirmed: 0, received: 0, cancelled: 0, shipped: 0 },
      },
    ],
  });
  expect(await readPurchase(seller, made)).toEqual(made);
  const silent = await newSupplier(app);
  expect(await draftOrder(seller, silent)).toMatchObject({
    ...{ number: 'PO-000002', freight_minor: null, total_minor: null, missing_components: ['freight'] },
    attention: ['unmapped_line'],
  });
  const free = await mugSupplier(app, { free_freight_from_minor: 71_340 });
  expect(await draftOrder(seller, free)).toMatchObject({ freight_minor: 0, total_minor: 71_340 });
});

test('50 at a pack of 24 has the nearest quantities; 72 takes the price of 72 for all units', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(
    app,
    {},
    {
      ...{ pack_size: 24, minimum_quantity: 48, maximum_quantity: 240 },
      price_breaks: [
        { min_quantity: 48, pack_price_minor: 1_000 },
        { min_quantity: 72, pack_price_minor: 900 },
      ],
    },
  );
  const ask = async (quantity: number) => {
    const { status, body } = await postPurchase(seller, purchaseBody(supplier, {}, { quantity }));
    return [status, body.code ?? null, body['nearest'] ?? body.goods_minor];
  };
  expect(await ask(50)).toEqual([409, 'quantity_not_in_packs', { down: 48, up: 72 }]);
  expect(await ask(24)).toEqual([409, 'quantity_below_minimum', { down: null, up: 48 }]);
  expect(await ask(264)).toEqual([409, 'quantity_above_maximum', { down: 240, up: null }]);
  expect(await ask(72)).toEqual([201, null, 2_700]);
});

test('several lines of an item are no way around its maximum', async () => {
  const seller = await app.seller();
  const supplier = await mugSupplier(app, {}, { maximum_quantity: 96 });
  const line = (quantity: number) => ({ supplier_item_id: supplier.supplier_item_id, quantity });
  const ask = (...quantities: readonly number[]) =>
    postPurchase(seller, purchaseBody(supplier, { lines: quantities.map(line) }));
  expect(outcome(await ask(72, 24))).toEqual([201, null]);
  expect((await ask(72, 36)).body).toMatchObject({
    ...{ code: 'quantity_above_maximum', quantity: 108, nearest: { down: 96, up: null } },
  });
});

test('a draft is changed and deleted; its number is not used again', async () => {
  const seller = await app.seller();
  const supplier = await mugSupplier(app);
  const made = await draftOrder(seller, supplier);
  const same = await change(seller, made, {
    lines: [{ supplier_item_id: supplier.supplier_item_id, quantity: 144 }],
  });
  expect(same.body).toEqual(made);
  const lines = [24, 36].map((quantity) => ({ supplier_item_id: supplier.supplier_item_id, quantity }));
  const { body } = await change(seller, made, { lines, note: 'Ring first', requested_on: '2026-09-01' });
  expect(body).toMatchObject({
    ...{ version: 2, goods_minor: 30_900, note: 'Ring first', requested_on: '2026-09-01', ship_to: ADDRESS },
    lines: [{ line_no: 1 }, { line_no: 2, goods_minor: 18_540 }],
  });
  const stale = { 'if-match': `"${made.purchase_order_id}.1"` };
  expect(outcome(await change(seller, made, { note: null }, stale))).toEqual([412, 'precondition_failed']);
  const wrong = await change(seller, made, { ship_to: { ...ADDRESS, state: 'VIC' } });
  expect(wrong.body).toMatchObject({ detail: [{ loc: ['body', 'ship_to', 'postcode'] }] });
  expect((await seller.call('DELETE', pathOf(made))).status).toBe(204);
  expect((await seller.call('GET', pathOf(made))).status).toBe(404);
  expect(await draftOrder(seller, supplier)).toMatchObject({ number: 'PO-000002' });
});

test('what does not exist is 404, what cannot be bought 409, and what costs too much 422', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const [supplier, closed, foreign] = [
    await mugSupplier(app),
    await mugSupplier(app),
    await mugSupplier(app, { currency: 'NZD' }),
  ];
  await tellProfile(app, closed, { status: 'closed' });
  const gone = await newSupplier(app, {}, { status: 'discontinued' });
  const dear = await newSupplier(
    app,
    {},
    { price_breaks: [{ min_quantity: 48, pack_price_minor: 10 ** 15 }] },
  );
  const { product_id } = await create(other);
  const ask = async (json: object) => outcome(await postPurchase(seller, json));
  expect(await ask({ ...purchaseBody(supplier), supplier_id: 'sup_none' })).toEqual([404, 'not_found']);
  expect(await ask(purchaseBody(supplier, {}, { supplier_item_id: gone.supplier_item_id }))).toEqual([
    ...[404, 'not_found'],
  ]);
  expect(await ask(purchaseBody(supplier, {}, { product_id }))).toEqual([404, 'not_found']);
  expect(await ask(purchaseBody(closed))).toEqual([409, 'supplier_not_available']);
  expect(await ask(purchaseBody(foreign))).toEqual([409, 'currency_mismatch']);
  expect(await ask(purchaseBody(gone))).toEqual([409, 'item_discontinued']);
  expect((await postPurchase(seller, purchaseBody(dear))).body).toMatchObject({
    detail: [{ type: 'amount_out_of_range' }],
  });
  for (const quantity of [0, -12, 1.5, 1_000_001, '12', null])
    expect((await postPurchase(seller, purchaseBody(supplier, {}, { quantity }))).status).toBe(422);
  const made = await draftOrder(seller, supplier);
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expect(
      (await other.call(method, pathOf(made), method === 'PATCH' ? { json: { note: 'x' } } : {})).status,
    ).toBe(404);
});

test('items are found by words, identities and what suppliers do', async () => {
  const seller = await app.seller();
  const brand = `Bondi Café ${Date.now()}`;
  const supplier = await mugSupplier(
    app,
    {},
    {
      ...{ brand, mpn: 'É-77', gtin14: '09506000134352', title: 'Mug, Blau', dropship: null },
    },
  );
  const other = await mugSupplier(app, {}, { brand, mpn: 'E-78', title: 'Bowl' });
  const find = async (query: Record<string, string>) => {
    const { body, status, text } = await seller.call<{ data: { supplier_item_id: string }[] }>(
      'GET',
      `/wholesale/items?${new URLSearchParams(query)}`,
    );
    if (status !== 200) throw new Error(text);
    return body.data.map(({ supplier_item_id }) => supplier_item_id);
  };
  const [mug, bowl] = [supplier.supplier_item_id, other.supplier_item_id];
  expect(await find({ brand: brand.toUpperCase() })).toEqual([bowl, mug]);
  expect(await find({ q: `bondi cafe ${brand.slice(-13)} bla` })).toEqual([mug]);
  expect(await find({ q: "'; drop :* & !\\ | (" })).toEqual([]);
  expect(await find({ gtin: '9506000134352', supplier_id: supplier.supplier_id })).toEqual([mug]);
  expect(await find({ brand, mpn: 'e-77' })).toEqual([mug]);
  expect(await find({ brand, in_stock: 'true' })).toEqual([]);
  const byPart = await create(seller, { brand, identity: { strategy: 'mpn_brand', mpn: 'E-78' } });
  expect(await find({ brand, matches_product_id: byPart.product_id })).toEqual([bowl]);
  const stranger = await create(await app.seller());
  expect(
    (await seller.call('GET', `/wholesale/items?matches_product_id=${stranger.product_id}`)).status,
  ).toBe(404);
  expect((await seller.call('GET', '/wholesale/items?gtin=123')).status).toBe(422);
  const { body } = await seller.call<object>('GET', `/wholesale/items/${mug}`);
  expect(body).toMatchObject({
    ...{ supplier: { name: supplier.name }, title: 'Mug, Blau', dropship: null, available: null },
    price_breaks: [{ unit_price_micros: 5_150_000 }, { unit_price_micros: 4_954_167 }],
  });
  expect((await seller.call('GET', '/wholesale/items/sit_none')).status).toBe(404);
});

test('a search finds old items with a rare word and new ones with a frequent word, each once, newest first', async () => {
  const seller = await app.seller();
  const { supplier_id } = await mugSupplier(app);
  await asOwner(
    app,
    `insert into supplier_item (supplier_item_id, supplier_id, supplier_sku, title, image_urls, pack_size,
       minimum_quantity, price_breaks, status, told_at, published_at, updated_at, search_text)
     select 'sit_many' || lpad(n::text, 6, '0'), $1, 'MANY' || n, 'Many', '{}', 1, 1,
            '[{"min_quantity":1,"pack_price_minor":100}]', 'active', now(),
            '2020-01-01'::timestamptz + n * interval '1 s', now(),
            concat_ws(' ', 'many', case when n <= 60 then 'ancient' end, case when n % 20 = 0 then 'teal' end)
       from generate_series(1, 5200) n`,
    [supplier_id],
  );
  const all = async (q: string): Promise<number[]> => {
    const found: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = new URLSearchParams({ q, limit: '50', ...(cursor === '' ? {} : { cursor }) });
      const { body } = await seller.call<{
        data: { supplier_item_id: string }[];
        page: { next_cursor: string | null };
      }>('GET', `/wholesale/items?${query}`);
      found.push(...body.data.map(({ supplier_item_id }) => Number(supplier_item_id.slice(-6))));
      cursor = body.page.next_cursor;
    }
    return found;
  };
  expect(await all('many ancient')).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
  expect(await all('teal')).toEqual(Array.from({ length: 260 }, (_, index) => 20 * (260 - index)));
});

test('a draft from a quote keeps the pack, the minimum, the prices and the freight of the quote', async () => {
  const seller = await app.seller();
  const supplier = await mugSupplier(app);
  const rfq_id = 'rfq_01j0000000000000000000000';
  const line = { supplier_item_id: supplier.supplier_item_id, product_id: null, quantity: 10 };
  const terms = {
    ...{ pack_size: 10, minimum_quantity: 10, maximum_quantity: null },
    price_breaks: [{ min_quantity: 10, pack_price_minor: 5_000 }],
  };
  const make = (quantity: number) =>
    app.app.services.withSeller(seller.seller_id, 'write', (db) =>
      draftFromQuote(acting(app.app.services, { db, seller_id: seller.seller_id }), {
        ...{ rfq_id, supplier_id: supplier.supplier_id, currency: 'AUD' },
        ...{ lines: [{ ...line, quantity, terms }], freight: { flat: minor(900), free_from: minor(6_000) } },
      }),
    );
  const made = await make(10);
  expect(made).toMatchObject({
    ...{ origin: 'quote', rfq_id, goods_minor: 5_000, freight_minor: 900, ship_to: null, status: 'draft' },
    lines: [{ pack_size: 10, pack_price_minor: 5_000, quantities: { ordered: 10 } }],
  });
  expect(await readPurchase(seller, made)).toEqual(made);
  const more = await seller.call<Purchase>('PATCH', pathOf(made), {
    json: { lines: [{ supplier_item_id: line.supplier_item_id, quantity: 20 }] },
  });
  expect(more.body).toMatchObject({ goods_minor: 10_000, freight_minor: 0 });
  await expect(make(15)).rejects.toMatchObject({ code: 'quantity_not_in_packs' });
});

test('lines of one item keep each its quoted terms; a line beyond the quote has the supplier’s', async () => {
  const seller = await app.seller();
  const supplier = await mugSupplier(app, { minimum_order_minor: 50_000 });
  const { supplier_id, supplier_item_id } = supplier;
  const quoted = (quantity: number, price: number) => ({
    ...{ supplier_item_id, product_id: null, quantity },
    terms: {
      ...{ pack_size: quantity, minimum_quantity: quantity, maximum_quantity: null },
      price_breaks: [{ min_quantity: quantity, pack_price_minor: price }],
    },
  });
  const made = await app.app.services.withSeller(seller.seller_id, 'write', (db) =>
    draftFromQuote(acting(app.app.services, { db, seller_id: seller.seller_id }), {
      ...{ rfq_id: 'rfq_01j0000000000000000000000', supplier_id, currency: 'AUD' },
      ...{ lines: [quoted(10, 5_000), quoted(6, 3_000)], freight: { flat: minor(900), free_from: null } },
    }),
  );
  const patch = async (...quantities: readonly number[]) => {
    const lines = quantities.map((quantity) => ({ supplier_item_id, quantity }));
    return (await change(seller, made, { lines, ship_to: ADDRESS })).body;
  };
  expect(await patch(20, 18)).toMatchObject({
    ...{ goods_minor: 19_000, freight_minor: 900 },
    lines: [{ pack_size: 10 }, { pack_size: 6 }],
  });
  // 24 more are two packs of the catalogue, and the quote says nothing about their freight.
  expect(await patch(20, 18, 24)).toMatchObject({
    ...{ goods_minor: 31_360, freight_minor: 3_850 },
    lines: [{ pack_size: 10 }, { pack_size: 6 }, { pack_size: 12 }],
  });
  expect(outcome(await movePurchase(seller, made, 'submit'))).toEqual([409, 'order_below_minimum']);
  await patch(20, 18);
  expect(outcome(await movePurchase(seller, made, 'submit'))).toEqual([200, null]);
});
