/**
 * A decision of the marketplace between a run and its revert, or between a preview and its commit, is no change of the
 * seller: the rows are not in conflict, and buyers see only approved content.
 */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  type FeedFailure,
  goods,
  type Run,
} from '../../../../../test/support/feeds.ts';
import { apply, orderEvent } from '../../../../../test/support/orders.ts';

const app = await startTestApp();
const make = () => app.seller({ plan: 'Big' });

const follow = (seller: TestSeller, kind: 'commit' | 'revert', { run_id }: Run) =>
  seller.call<Run & FeedFailure>('POST', `/products/feed-runs/${run_id}/${kind}`);
const titled = (title: string) => csv([goods('A', { title })]);
const shown = async (seller: TestSeller) => {
  const product = (await catalogueOf(seller)).get('A');
  return product && { title: product.title, curation: product['curation'], live: product['live'] };
};
async function decide(seller: TestSeller, decision: string, reviewed_version: number) {
  const product = (await catalogueOf(seller)).get('A');
  const data = { decision, reviewed_version };
  await apply(app, orderEvent(app, seller, 'product.curation_decided', String(product?.product_id), data));
}

test('the revert of a run whose content was approved asks for a new review', async () => {
  const seller = await make();
  await applied(seller, titled('One'));
  await decide(seller, 'approved', 1);
  const run = await applied(seller, titled('Two'));
  await decide(seller, 'approved', 3);
  const answer = await follow(seller, 'revert', run);
  expect(answer.body).toMatchObject({ status: 'succeeded', counts: { updated: 1, not_attempted: 0 } });
  expect(await shown(seller)).toMatchObject({
    title: 'One',
    curation: { state: 'pending' },
    live: { title: 'Two', version: 3 },
  });
});

test('the revert of a run restores the content that was approved meanwhile', async () => {
  const seller = await make();
  await applied(seller, titled('One'));
  const run = await applied(seller, titled('Two'));
  await decide(seller, 'approved', 1);
  await decide(seller, 'rejected', 2);
  expect((await follow(seller, 'revert', run)).body.counts).toMatchObject({ updated: 1 });
  expect(await shown(seller)).toMatchObject({
    title: 'One',
    curation: { state: 'approved' },
    live: { title: 'One' },
  });
});

test('the revert of a run removes the products that it created and that were approved', async () => {
  const seller = await make();
  const run = await applied(seller, titled('One'));
  await decide(seller, 'approved', 1);
  expect((await follow(seller, 'revert', run)).body.counts).toMatchObject({ deactivated: 1 });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test.each([
  ['approved', { state: 'pending' }, { title: 'One', version: 1 }],
  ['rejected', { state: 'pending' }, null],
  ['suspended', { state: 'suspended' }, null],
])(
  'a preview is committed after its product was %s, and its commit reverted',
  async (decision, curation, live) => {
    const seller = await make();
    await applied(seller, titled('One'));
    const preview = await applied(seller, titled('Two'), { query: 'dry_run=true' });
    await decide(seller, decision, 1);
    const committed = await follow(seller, 'commit', preview);
    expect([committed.status, committed.body.counts]).toMatchObject([201, { updated: 1 }]);
    expect(await shown(seller)).toMatchObject({ title: 'Two', curation, live });
    expect((await follow(seller, 'revert', committed.body)).body.counts).toMatchObject({ updated: 1 });
    expect((await catalogueOf(seller)).get('A')).toMatchObject({ title: 'One' });
  },
);

test('a change by the seller beside the decision is still a conflict', async () => {
  const seller = await make();
  await applied(seller, titled('One'));
  const preview = await applied(seller, titled('Two'), { query: 'dry_run=true' });
  const run = await applied(seller, titled('Three'));
  await decide(seller, 'approved', 2);
  expect((await follow(seller, 'commit', preview)).body.code).toBe('preview_stale');
  const id = String((await catalogueOf(seller)).get('A')?.product_id);
  await seller.call('PATCH', `/products/${id}`, { json: { description: 'By hand' } });
  await decide(seller, 'rejected', 4);
  expect((await follow(seller, 'revert', run)).body.counts).toMatchObject({ updated: 0, not_attempted: 1 });
  expect((await catalogueOf(seller)).get('A')).toMatchObject({ title: 'Three', description: 'By hand' });
});
