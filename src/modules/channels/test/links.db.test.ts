/** Which product a variant is, and what members say about it. */
import { describe, expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { create } from '../../../../test/support/products.ts';
import { logOf } from '../../../../test/support/store-deliveries.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  barcode,
  conflictIn,
  createBody,
  firstVariant,
  issuesOf,
  linksOf,
  productsOf,
  type StoreIssue,
  shopOf,
} from '../../../../test/support/store-products.ts';
import { waitingProblems } from '../../../kernel/waiting.ts';

const stores = await startStores();
const resolve = ({ call }: TestSeller, issue_id: string, json: object, headers = {}) =>
  call<StoreIssue & { code: string; resolution: string; resolved_by: string | null }>(
    'POST',
    `/channels/issues/${issue_id}/resolve`,
    { json, headers },
  );
/** Waits until the worker has looked at the store as often as members have asked for. */
const settled = async (seller: TestSeller, looks = 1) =>
  eventually(
    () => logOf(seller),
    (all) =>
      all.every(({ status }) => status !== 'received') &&
      all.filter(({ webhook_id: id }) => id.startsWith('cdl_')).length >= looks,
  );

describe('a variant', () => {
  test('is the product with its SKU or its code; its values stand where both sides differ', async () => {
    const { seller, stock, send, channel_id } = await shopOf(stores);
    const code = barcode();
    const identity = { strategy: 'global_id', value: code };
    const { product_id } = await create(seller, {
      seller_sku: 'MUG-1',
      identity,
      title: 'Here',
      price_minor: 100,
    });
    const made = stock({ title: 'There', variants: [{ sku: 'MUG-1', barcode: code, price: '2.00' }] });
    const decision = await send('products/create', createBody(made), 0);
    expect(decision).toMatchObject({ status: 'needs_action' });
    expect(await productsOf(seller)).toMatchObject([{ product_id, title: 'Here', price_minor: 100 }]);
    expect(await linksOf(seller, channel_id)).toMatchObject([
      {
        ...{ product_id, state: 'linked', linked_by: 'identity' },
        fields: expect.arrayContaining([
          expect.objectContaining({
            field: 'title',
            store: 'There',
            here: 'Here',
            in_step: false,
            issue_id: null,
          }),
          expect.objectContaining({
            field: 'price_minor',
            store: '200',
            here: '100',
            issue_id: decision.issue_id,
          }),
        ]),
      },
    ]);
    const [issue] = await issuesOf(seller, 'kind=field_conflict');
    expect(waitingProblems(issue)).toEqual([]);
    expect(issue).toMatchObject({ allowed: ['take_store', 'keep_here'], product_id });
  });

  test('that contradicts its candidate waits for a person, who links it or makes it a product', async () => {
    const shop = await shopOf(stores);
    const { seller, channel_id } = shop;
    const first = await conflictIn(shop);
    expect(first.decision).toMatchObject({ status: 'needs_action', changes: [] });
    const [issue] = await issuesOf(seller);
    expect(waitingProblems(issue)).toEqual([]);
    expect(issue).toMatchObject({
      ...{ kind: 'identity_conflict', allowed: ['link', 'create_product', 'ignore'] },
      candidates: [{ product_id: first.product_id }],
    });
    expect((await resolve(seller, first.issue_id, { action: 'retry' })).body).toMatchObject({
      ...{ code: 'action_not_possible', allowed: ['link', 'create_product', 'ignore'] },
    });
    expect((await resolve(seller, first.issue_id, { action: 'link' })).status).toBe(422);
    expect((await resolve(seller, first.issue_id, { action: 'link', product_id: 'prd_none' })).status).toBe(
      404,
    );
    const { product_id } = first;
    expect((await resolve(seller, first.issue_id, { action: 'link', product_id })).body).toMatchObject({
      ...{ state: 'resolved', resolution: 'linked' },
      resolved_by: expect.stringMatching(/^mbr_/),
    });
    expect((await resolve(seller, first.issue_id, { action: 'ignore' })).body).toMatchObject({
      code: 'issue_closed',
    });
    await settled(seller);
    expect(await linksOf(seller, channel_id)).toMatchObject([
      { product_id, linked_by: 'member', state: 'linked' },
    ]);

    const second = await conflictIn(shop);
    await resolve(seller, second.issue_id, { action: 'create_product' });
    await settled(seller, 2);
    const [link] = await linksOf(seller, channel_id, `external_product_id=${second.made.id}`);
    expect(link).toMatchObject({ state: 'linked' });
    expect(link?.product_id).not.toBe(second.product_id);
    const stranger = await stores.seller();
    expect((await resolve(stranger, second.issue_id, { action: 'ignore' })).status).toBe(404);
  });

  test('is made a product only while deliveries are applied; before, nothing would come of it', async () => {
    const shop = await shopOf(stores);
    const { seller, channel_id } = shop;
    const { issue_id, made } = await conflictIn(shop);
    const turn = (inbound: string) => seller.call('PATCH', `/channels/${channel_id}`, { json: { inbound } });
    await turn('paused');
    const refused = await resolve(seller, issue_id, { action: 'create_product' });
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'action_not_possible' }]);
    expect(await issuesOf(seller)).toMatchObject([{ issue_id, state: 'open' }]);
    await turn('active');
    expect((await resolve(seller, issue_id, { action: 'create_product' })).status).toBe(200);
    const [link] = await eventually(
      () => linksOf(seller, channel_id, `external_product_id=${made.id}`),
      ([one]) => one?.state === 'linked',
    );
    expect(link?.product_id).toMatch(/^prd_/);
  });

  test('whose product another variant has is a conflict', async () => {
    const { seller, stock, send } = await shopOf(stores);
    const one = stock({ title: 'One', variants: [{ sku: 'TWICE', barcode: barcode() }] });
    const other = stock({ title: 'Other', variants: [{ sku: 'TWICE' }] });
    await send('products/create', createBody(one), 0);
    const decision = await send('products/create', createBody(other), 0);
    expect(decision).toMatchObject({ status: 'needs_action' });
    expect(await issuesOf(seller)).toMatchObject([{ kind: 'identity_conflict' }]);
    expect(await productsOf(seller)).toHaveLength(1);
  });

  test('is ignored, unlinked and linked by a member', async () => {
    const { seller, stock, send, update, remove, channel_id } = await shopOf(stores);
    let made = stock({ title: 'Mug', variants: [{ sku: 'MUG', barcode: barcode() }] });
    await send('products/create', createBody(made), 0);
    const [{ link_id = '', product_id = '', version = 0 } = {}] = await linksOf(seller, channel_id);
    const patch = (json: object, headers = {}) =>
      seller.call<{ code: string; state: string }>('PATCH', `/channels/links/${link_id}`, { json, headers });
    expect((await patch({ product_id: null }, { 'if-match': `"${link_id}.${version + 9}"` })).status).toBe(
      412,
    );
    expect((await patch({ product_id: null })).body).toMatchObject({ state: 'unlinked' });
    const retitle = async (title: string, second: number) => {
      made = { ...made, title };
      return update(made, { title }, second);
    };
    // A variant that a member has unlinked is not found by the rules.
    expect(await retitle('Two', 1)).toMatchObject({ status: 'no_effect', reason: 'variants_unlinked' });
    expect((await patch({ state: 'ignored' })).body).toMatchObject({ state: 'ignored' });
    expect(await retitle('Three', 2)).toMatchObject({ status: 'no_effect' });
    expect((await patch({ product_id })).body).toMatchObject({ state: 'linked' });
    await settled(seller);
    // The title here is the one of the first delivery: an unknown base counts as a change on both sides.
    expect(await productsOf(seller)).toMatchObject([{ title: 'Mug' }]);
    await retitle('Four', 3);
    const other = stock({ title: 'Other', variants: [{ sku: 'OTHER', barcode: barcode() }] });
    await send('products/create', createBody(other), 4);
    const [second] = await linksOf(seller, channel_id, `external_product_id=${other.id}`);
    const taken = await seller.call<{ code: string }>('PATCH', `/channels/links/${second?.link_id}`, {
      json: { product_id },
    });
    expect([taken.status, taken.body.code]).toEqual([409, 'product_already_linked']);
    await remove(other, 9);
    const gone = await seller.call<{ code: string }>('PATCH', `/channels/links/${second?.link_id}`, {
      json: { state: 'ignored' },
    });
    expect([gone.status, gone.body.code]).toEqual([409, 'link_gone']);
    const stranger = await stores.seller();
    expect(
      (await stranger.call('PATCH', `/channels/links/${link_id}`, { json: { product_id: null } })).status,
    ).toBe(404);
    expect((await stranger.call('GET', `/channels/${channel_id}/links`)).status).toBe(404);
  });
});

describe('a field that both sides changed', () => {
  const conflict = async () => {
    const shop = await shopOf(stores);
    const { seller, stock, send, update } = shop;
    let made = stock({ title: 'Mug', variants: [{ sku: 'MUG', barcode: barcode(), price: '20.00' }] });
    await send('products/create', createBody(made), 0);
    const [{ product_id = '' } = {}] = await productsOf(seller);
    await seller.call('PATCH', `/products/${product_id}`, { json: { price_minor: 2100 } });
    const price = async (text: string, second: number) => {
      made = { ...made, ...firstVariant(made, { price: text }) };
      return update(made, firstVariant(made, { price: text }), second);
    };
    const decision = await price('22.00', 1);
    return { ...shop, product_id, price, decision, issue_id: decision.issue_id ?? '' };
  };
  const priceOf = async (seller: TestSeller) => (await productsOf(seller))[0]?.price_minor;

  test('is decided about the values that a person has seen', async () => {
    const { seller, issue_id, price } = await conflict();
    const etag = (await seller.call('GET', `/channels/issues/${issue_id}`)).headers.get('etag') ?? '';
    const seen = { 'if-match': etag };
    await price('99.00', 2);
    const late = await resolve(seller, issue_id, { action: 'take_store' }, seen);
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    expect(await priceOf(seller)).toBe(2100);
  });

  test('waits by the rule for prices; a person takes the store’s value or keeps the own', async () => {
    const one = await conflict();
    expect(one.decision.status).toBe('needs_action');
    expect(await issuesOf(one.seller)).toMatchObject([
      { facts: { fields: [{ field: 'price_minor', store: '2200', here: '2100', base: '2000' }] } },
    ]);
    expect(
      (await resolve(one.seller, one.issue_id, { action: 'take_store', fields: ['title'] })).status,
    ).toBe(422);
    expect((await resolve(one.seller, one.issue_id, { action: 'take_store' })).body.resolution).toBe(
      'take_store',
    );
    expect(await priceOf(one.seller)).toBe(2200);
    expect(await one.price('23.00', 2)).toMatchObject({ status: 'applied' });

    const two = await conflict();
    await resolve(two.seller, two.issue_id, { action: 'keep_here', fields: ['price_minor'] });
    expect(await priceOf(two.seller)).toBe(2100);
    // The kept price is an edit, so the next change of the store is a conflict again.
    expect(await two.price('24.00', 2)).toMatchObject({ status: 'needs_action', issue_id: two.issue_id });
  });

  test('resolves itself when both sides are equal', async () => {
    const { seller, price, issue_id } = await conflict();
    expect(await price('21.00', 2)).toMatchObject({ status: 'no_effect', issue_id: null });
    expect(await issuesOf(seller, 'state=resolved')).toMatchObject([{ issue_id, resolution: 'in_step' }]);
  });

  test('follows the rule of the channel', async () => {
    const { seller, channel_id, price, issue_id, product_id } = await conflict();
    const rules = (rule: string) =>
      seller.call<{ rules: object }>('PATCH', `/channels/${channel_id}`, {
        json: { rules: { price_minor: rule } },
      });
    expect((await rules('store')).body.rules).toMatchObject({ price_minor: 'store', title: 'here' });
    expect(await price('25.00', 2)).toMatchObject({
      status: 'applied',
      messages: expect.arrayContaining([
        expect.objectContaining({
          code: 'edit_replaced',
          field: 'price_minor',
          before: '2100',
          after: '2500',
        }),
      ]),
    });
    expect(await issuesOf(seller, 'state=resolved')).toMatchObject([{ issue_id }]);
    await rules('never');
    await price('26.00', 3);
    expect(await priceOf(seller)).toBe(2500);
    await rules('here');
    await seller.call('PATCH', `/products/${product_id}`, { json: { price_minor: 2700 } });
    await price('28.00', 4);
    expect(await priceOf(seller)).toBe(2700);
  });
});

test('the deliveries about a product and its stock are found by the product', async () => {
  const { seller, shop, stock, send } = await shopOf(stores);
  const location = shop.addLocation('Sydney');
  const [mug, plate] = ['Mug', 'Plate'].map((title) =>
    stock({ title, variants: [{ sku: title, barcode: barcode() }] }),
  );
  if (mug === undefined || plate === undefined) throw new Error('no product');
  await send('products/create', createBody(mug), 0);
  await send('products/create', createBody(plate), 0);
  shop.setLevel(mug.variants[0]?.inventory_item_id ?? 0n, location.id, 7);
  const { product_id = '' } = (await productsOf(seller)).find(({ title }) => title === 'Mug') ?? {};
  const log = await eventually(
    () => logOf(seller, `product_id=${product_id}`),
    ({ length }) => length === 2,
  );
  expect(log.map(({ topic }) => topic).sort()).toEqual(['inventory_levels/update', 'products/create']);
  expect(await logOf(seller, 'product_id=prd_none')).toEqual([]);
});
