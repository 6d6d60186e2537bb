/** An accepted file waits for the worker. It never overwrites what the seller has changed in the meantime. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  type CatalogueProduct,
  catalogueOf,
  csv,
  eventually,
  feed,
  goods,
  isOver,
  type RowResult,
  type Run,
  rowsOf,
  runOf,
} from '../../../../../test/support/feeds.ts';
import { apply, orderEvent, placeOrder, stockOf } from '../../../../../test/support/orders.ts';
import { create } from '../../../../../test/support/products.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp();
const admin = (text: string, values: unknown[] = []): Promise<unknown> =>
  runOn(app.database.adminUrl, (client) => client.query(text, values));
const big = () => app.seller({ plan: 'Big' });

// An accepted run waits until the test resumes it.
await admin(
  `create function hold_runs() returns trigger language plpgsql as $$
     begin if new.kind = 'feed.finish' then new.due_at := new.due_at + interval '1 hour'; end if; return new; end $$`,
);
await admin('create trigger hold_runs before insert on job for each row execute function hold_runs()');

async function accepted(seller: TestSeller, body: string, query?: string): Promise<string> {
  const answer = await feed(seller, body, {
    headers: { prefer: 'respond-async' },
    ...(query === undefined ? {} : { query }),
  });
  expect(answer.status).toBe(202);
  return answer.body.run_id;
}

/** Lets the worker execute an accepted run, and returns it when it has ended. */
async function resume(seller: TestSeller, runId: string): Promise<Run> {
  await admin('update job set due_at = now() where unique_key = $1', [runId]);
  return eventually(() => runOf(seller, runId), isOver);
}

const conflicts = (rows: readonly RowResult[]): (string | null)[] =>
  rows
    .filter(({ outcome, messages }) =>
      messages.some(({ code }) => outcome === 'rejected' && code === 'version_conflict'),
    )
    .map(({ seller_sku }) => seller_sku);

const idOf = (products: ReadonlyMap<string, CatalogueProduct>, sku: string): string =>
  products.get(sku)?.product_id ?? '';

const SKUS = ['API', 'FILE', 'STOCK', 'IMAGE', 'SOLD', 'SAME'];
const late = (sku: string) => goods(sku, { title: `Late ${sku}`, price: '30.00', quantity: 9 });
const change = { 'content-type': 'application/json' };

test('rows whose products were changed after the file was accepted are reported and not written', async () => {
  const seller = await big();
  await applied(seller, csv(SKUS.map((sku) => goods(sku))));
  const before = await catalogueOf(seller);
  const runId = await accepted(seller, csv([...SKUS, 'NEW'].map(late)));

  const patch = { json: { title: 'By hand' }, headers: change };
  expect((await seller.call('PATCH', `/products/${idOf(before, 'API')}`, patch)).status).toBe(200);
  await applied(seller, csv([goods('FILE', { title: 'By file' })]));
  const stock = { json: { quantity: 7 }, headers: change };
  const path = `/products/${idOf(before, 'STOCK')}/inventory`;
  expect((await seller.call('PUT', path, stock)).status).toBe(200);
  await placeOrder(app, seller, [{ sku: 'SOLD', quantity: 2 }]);

  const run = await resume(seller, runId);
  const rows = await rowsOf(seller, runId);
  expect(conflicts(rows)).toEqual(['API', 'FILE', 'STOCK']);
  expect(run).toMatchObject({
    status: 'succeeded_with_errors',
    counts: { rows: 7, created: 1, updated: 3, rejected: 3 },
  });
  const said = rows.find(({ seller_sku }) => seller_sku === 'API')?.messages;
  expect(JSON.stringify(said)).toContain('has version 2 now');
  const after = await catalogueOf(seller);
  expect(SKUS.map((sku) => after.get(sku)?.title)).toEqual([
    'By hand',
    'By file',
    'Goods STOCK',
    'Late IMAGE',
    'Late SOLD',
    'Late SAME',
  ]);
  expect(await stockOf(seller, idOf(before, 'STOCK'))).toEqual([7, 0]);
  // Orders move stock but do not set it.
  expect((await stockOf(seller, idOf(before, 'SOLD')))[0]).toBe(9);
});

test('a decision of the marketplace does not stop the rows of an accepted file', async () => {
  const seller = await big();
  const skus = ['DECIDED', 'BOTH'];
  const made = [];
  for (const seller_sku of skus) made.push(await create(seller, { seller_sku }));
  const runId = await accepted(seller, csv(skus.map(late)));
  await seller.call('PATCH', `/products/${made[1]?.product_id}`, {
    json: { title: 'By hand' },
    headers: change,
  });
  for (const { product_id } of made) {
    const data = { decision: 'approved', reviewed_version: 1 };
    await apply(app, orderEvent(app, seller, 'product.curation_decided', product_id, data));
  }
  expect(await resume(seller, runId)).toMatchObject({ counts: { updated: 1, rejected: 1 } });
  expect(conflicts(await rowsOf(seller, runId))).toEqual(['BOTH']);
  const after = await catalogueOf(seller);
  expect(skus.map((sku) => after.get(sku)?.title)).toEqual(['Late DECIDED', 'By hand']);
});

test('two accepted files of one seller are applied in their order and do not conflict', async () => {
  const seller = await big();
  await applied(seller, csv(['A', 'B'].map((sku) => goods(sku))));
  const first = await accepted(
    seller,
    csv(['A', 'B'].map((sku) => goods(sku, { title: 'One', quantity: 6 }))),
  );
  const second = await accepted(
    seller,
    csv(['A', 'B'].map((sku) => goods(sku, { title: 'Two', quantity: 7 }))),
  );
  expect(await resume(seller, first)).toMatchObject({ status: 'succeeded', counts: { updated: 2 } });
  expect(await resume(seller, second)).toMatchObject({ status: 'succeeded', counts: { updated: 2 } });
  for (const product of (await catalogueOf(seller)).values())
    expect(product).toMatchObject({ title: 'Two', quantity_on_hand: 7 });
});

test('the earlier of two accepted files does not write over the later one', async () => {
  const seller = await big();
  await applied(seller, csv([goods('A')]));
  const first = await accepted(seller, csv([goods('A', { title: 'One' })]));
  const second = await accepted(seller, csv([goods('A', { title: 'Two' })]));
  expect(await resume(seller, second)).toMatchObject({ status: 'succeeded' });
  expect(await resume(seller, first)).toMatchObject({ status: 'rejected', counts: { rejected: 1 } });
  expect((await catalogueOf(seller)).get('A')?.title).toBe('Two');
});

test('a stock file is applied after a change of the title, a file without stock after a change of the stock', async () => {
  const seller = await big();
  await applied(seller, csv(['A', 'B'].map((sku) => goods(sku))));
  const products = await catalogueOf(seller);
  const stockFile = await accepted(seller, csv([{ seller_sku: 'A', quantity: 8 }]), 'mode=inventory');
  const titles = await accepted(seller, csv([{ seller_sku: 'B', title: 'Late' }]), 'mode=update_only');
  const patch = { json: { title: 'By hand' }, headers: change };
  await seller.call('PATCH', `/products/${idOf(products, 'A')}`, patch);
  const stock = { json: { quantity: 7 }, headers: change };
  await seller.call('PUT', `/products/${idOf(products, 'B')}/inventory`, stock);
  expect(await resume(seller, stockFile)).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  expect(await resume(seller, titles)).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  const after = await catalogueOf(seller);
  expect(after.get('A')).toMatchObject({ title: 'By hand', quantity_on_hand: 8 });
  expect(after.get('B')).toMatchObject({ title: 'Late', quantity_on_hand: 7 });
});

test('an accepted file does not undo a revert, and on_error=abort applies none of its rows', async () => {
  const seller = await big();
  await applied(seller, csv(['A', 'B'].map((sku) => goods(sku))));
  const { run_id } = await applied(seller, csv([goods('A', { title: 'Wrong' })]));
  const file = csv(['A', 'B'].map((sku) => goods(sku, { title: 'Late' })));
  const runId = await accepted(seller, file, 'on_error=abort');
  const reverted = await seller.call('POST', `/products/feed-runs/${run_id}/revert`, {
    headers: { 'idempotency-key': 'revert' },
  });
  expect(reverted.status).toBe(201);
  expect(await resume(seller, runId)).toMatchObject({
    status: 'rejected',
    counts: { rejected: 1, not_attempted: 1 },
  });
  expect(conflicts(await rowsOf(seller, runId))).toEqual(['A']);
  expect([...(await catalogueOf(seller)).values()].map(({ title }) => title).sort()).toEqual([
    'Goods A',
    'Goods B',
  ]);
});

test('a preview and a synchronous file are planned against the present product', async () => {
  const seller = await big();
  await applied(seller, csv([goods('A')]));
  const runId = await accepted(seller, csv([goods('A', { title: 'Late' })]), 'dry_run=true');
  await applied(seller, csv([goods('A', { title: 'By file' })]));
  expect(await resume(seller, runId)).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
});

const overdue = (seller: TestSeller) =>
  admin("update seller set agreement_version = '1', agreement_due_at = now() where seller_id = $1", [
    seller.seller_id,
  ]);

test('a run that waited until the terms were overdue adds nothing; dry runs and stock files go on', async () => {
  const seller = await big();
  await applied(seller, csv([goods('OLD')]));
  const ids = [
    await accepted(seller, csv([goods('NEW')])),
    await accepted(seller, csv([goods('NEW')]), 'dry_run=true'),
    await accepted(seller, csv([{ seller_sku: 'OLD', quantity: 3 }]), 'mode=inventory'),
  ];
  await overdue(seller);
  const ended: Run[] = [];
  for (const id of ids) ended.push(await resume(seller, id));
  expect(ended.map(({ status }) => status)).toEqual(['failed', 'succeeded', 'succeeded']);
  expect(ended[0]?.error).toMatchObject({ code: 'agreement_required', retryable: false });
  expect([...(await catalogueOf(seller)).keys()]).toEqual(['OLD']);
});

test('a revert activates no product while the terms are overdue; another revert goes on', async () => {
  const seller = await big();
  await applied(seller, csv([goods('ON'), goods('PRICE')]));
  const revert = (run_id: string) =>
    seller.call<{ code?: string }>('POST', `/products/feed-runs/${run_id}/revert`);
  const priced = await applied(seller, csv([goods('PRICE', { price: '99.00' })]));
  const off = await applied(seller, csv([goods('ON', { status: 'inactive' })]));
  await overdue(seller);
  const refused = await revert(off.run_id);
  expect([refused.status, refused.body.code]).toEqual([403, 'agreement_required']);
  expect((await catalogueOf(seller)).get('ON')).toMatchObject({ status: 'inactive' });
  expect((await revert(priced.run_id)).status).toBe(201);
});
