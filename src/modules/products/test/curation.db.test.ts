import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { applied, csv } from '../../../../test/support/feeds.ts';
import { type Body, create } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();

/** Decisions follow each other on the marketplace's clock, which is ahead of every change of these tests. */
let second = 0;
const base = app.app.services.now() + 3_600_000;
const at = (seconds: number): string => new Date(base + seconds * 1_000).toISOString();

async function decide(id: string, decision: string, more: Record<string, unknown> = {}) {
  second += 1;
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.product.curation_decided',
    subject: id,
    sellerid: seller.seller_id,
    time: at(second),
    data: {
      decision,
      reasons: decision === 'approved' ? [] : [{ code: 'image_quality', detail: 'Blurred' }],
    },
    ...more,
  });
  return result;
}

const read = async (id: string) => (await seller.call<Body>('GET', `/products/${id}`)).body;
const state = async (id: string) => {
  const { body } = await seller.call<{ curation: { state: string }; visible: boolean }>(
    'GET',
    `/products/${id}`,
  );
  const { curation, visible } = body;
  return [curation.state, visible];
};

test('approval, rejection and suspension change the visibility', async () => {
  const { product_id: id } = await create(seller);
  expect(await state(id)).toEqual(['pending', false]);
  expect(await decide(id, 'approved')).toMatchObject({ status: 'applied' });
  expect(await state(id)).toEqual(['approved', true]);
  await decide(id, 'suspended');
  expect(await read(id)).toMatchObject({
    visible: false,
    hidden_reasons: ['not_approved'],
    curation: { state: 'suspended', reasons: [{ code: 'image_quality', detail: 'Blurred' }] },
  });
  await decide(id, 'approved');
  expect(await state(id)).toEqual(['approved', true]);
  await decide(id, 'rejected');
  expect(await state(id)).toEqual(['rejected', false]);
});

test('an approved product stays visible while a new title is reviewed and after its rejection', async () => {
  const { product_id: id } = await create(seller);
  await decide(id, 'approved');
  const changed = await seller.call<Body>('PATCH', `/products/${id}`, { json: { title: 'A new title' } });
  expect(changed.body['warnings']).toMatchObject([{ code: 'curation_required' }]);
  expect(await state(id)).toEqual(['pending', true]);
  await decide(id, 'rejected');
  expect(await state(id)).toEqual(['rejected', true]);
  await seller.call('PATCH', `/products/${id}`, { json: { title: 'A better title' } });
  expect(await state(id)).toEqual(['pending', true]);
  await decide(id, 'approved');
  expect(await state(id)).toEqual(['approved', true]);
});

test.each([
  ['reviewed_version', 'pending'],
  ['objectversion', 'pending'],
  ['time', 'pending'],
  ['reviewed_version', 'rejected'],
  ['time', 'rejected'],
])('a rejection of the live version, named by %s, hides it while a change is %s', async (name, changed) => {
  const { product_id: id } = await create(seller, { title: 'One' });
  const { created_at } = await read(id);
  await decide(id, 'approved', { time: created_at });
  const { updated_at } = await read(id);
  while (app.app.services.now() <= Date.parse(String(updated_at))) await read(id);
  await seller.call('PATCH', `/products/${id}`, { json: { title: 'Two' } });
  if (changed === 'rejected') await decide(id, 'rejected');
  expect(await state(id)).toEqual([changed, true]);

  const early = new Date(Date.parse(String(created_at)) - 1).toISOString();
  const named = { decision: 'rejected', reviewed_version: 1 };
  expect(await decide(id, 'rejected', { time: early, data: named })).toMatchObject({ status: 'stale' });
  const about = { reviewed_version: { data: named }, objectversion: { objectversion: '2' } }[name];
  expect(await decide(id, 'rejected', about ?? { time: updated_at })).toMatchObject({ status: 'applied' });
  expect(await state(id)).toEqual([changed, false]);
  expect((await read(id))['live']).toBeNull();
  await decide(id, 'approved');
  expect(await state(id)).toEqual(['approved', true]);
});

test('changes of price and stock are not reviewed', async () => {
  const { product_id: id } = await create(seller);
  await decide(id, 'approved');
  await seller.call('PATCH', `/products/${id}`, { json: { price_minor: 1999, quantity_on_hand: 0 } });
  expect(await state(id)).toEqual(['approved', true]);
});

test('a product that is taken off sale is hidden and stays approved', async () => {
  const { product_id: id } = await create(seller);
  await decide(id, 'approved');
  await seller.call('PATCH', `/products/${id}`, { json: { status: 'inactive' } });
  expect(await state(id)).toEqual(['approved', false]);
  await seller.call('PATCH', `/products/${id}`, { json: { status: 'active' } });
  expect(await state(id)).toEqual(['approved', true]);
});

test('an older decision is stale, by its time or its version', async () => {
  const { product_id: id } = await create(seller);
  await decide(id, 'approved', { time: at(5_000) });
  expect(await decide(id, 'rejected', { time: at(4_999) })).toMatchObject({ status: 'stale' });
  expect(await state(id)).toEqual(['approved', true]);
  await seller.call('PATCH', `/products/${id}`, { json: { price_minor: 1999 } });
  expect(await decide(id, 'suspended', { objectversion: '2', time: at(5_001) })).toMatchObject({
    status: 'applied',
  });
  expect(await decide(id, 'approved', { objectversion: '1', time: at(9_000) })).toMatchObject({
    status: 'stale',
  });
  expect(await state(id)).toEqual(['suspended', false]);
  expect(await decide(id, 'approved', { objectversion: '3', time: at(1) })).toMatchObject({
    status: 'applied',
  });
  expect(await state(id)).toEqual(['approved', true]);
});

test('the same decision again is applied and changes nothing', async () => {
  const { product_id: id } = await create(seller);
  await decide(id, 'approved');
  const before = await read(id);
  expect(await decide(id, 'approved')).toMatchObject({ status: 'applied' });
  expect(await read(id)).toEqual(before);
});

test('a decision about an unknown product is rejected and can be sent again', async () => {
  const { product_id: id } = await create(seller);
  const random = 'prd_00000000000000000000000000';
  expect(await decide(random, 'approved')).toMatchObject({ status: 'rejected', code: 'product_not_found' });
  expect(await decide(id, 'approved', { sellerid: other.seller_id })).toMatchObject({
    status: 'rejected',
    code: 'product_not_found',
  });
  expect(await decide(id, 'approved', { sellerid: 'slr_00000000000000000000000000' })).toMatchObject({
    status: 'rejected',
    code: 'seller_not_found',
  });
  expect(await decide(id, 'shrugged')).toMatchObject({ status: 'rejected', code: 'data_invalid' });
  const draft = await create(seller, { status: 'draft' });
  expect(await decide(draft.product_id, 'approved')).toMatchObject({
    status: 'rejected',
    code: 'invalid_transition',
  });
  expect(await state(id)).toEqual(['pending', false]);
});

test('a decision makes an event and an entry of the history', async () => {
  const { product_id: id } = await create(seller);
  await decide(id, 'approved');
  const events = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ type: string; data: { previous?: unknown }; object_version: number }>({
      text: 'select type, data, object_version from outbox where object_id = $1 order by outbox_id',
      values: [id],
    }),
  );
  expect(events.map(({ type, object_version }) => [type, object_version])).toEqual([
    ['product.created', 1],
    ['product.curation_changed', 2],
    ['product.visibility_changed', 2],
  ]);
  expect(events[1]?.data.previous).toEqual({
    curation: { state: 'pending', reasons: [] },
    visible: false,
    hidden_reasons: ['not_approved'],
    live: null,
  });
  const history = await seller.call<{ data: object[] }>('GET', `/products/${id}/history`);
  expect(history.body.data[0]).toMatchObject({
    action: 'curation_decided',
    version: 2,
    actor: { kind: 'marketplace', id: null },
    changes: [{ field: 'curation_state', before: 'pending', after: 'approved' }],
  });
});

test('an image that is removed and put back by its address needs no review, in a body and in a file', async () => {
  const url = 'https://cdn.example.com/1.jpg';
  const { product_id: id, seller_sku } = await create(seller, { images: [{ url }] });
  await decide(id, 'approved');
  const patch = async (images: readonly object[]) => {
    await seller.call('PATCH', `/products/${id}`, { json: { images } });
    return read(id);
  };
  const feed = () => applied(seller, csv([{ seller_sku: String(seller_sku), image_urls: url }]));
  for (const putBack of [() => patch([{ url }]), feed]) {
    expect(await patch([])).toMatchObject({ curation: { state: 'pending' }, live: { images: [{ url }] } });
    await putBack();
    const { images } = await read(id);
    expect(await read(id)).toMatchObject({ curation: { state: 'approved' }, live: { images } });
  }
  await patch([]);
  expect(await patch([{ url, alt: 'Other' }])).toMatchObject({ curation: { state: 'pending' } });
});
