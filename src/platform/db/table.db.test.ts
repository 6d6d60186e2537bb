import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { startTestApp, type TestSeller } from '../../../test/support/app.ts';
import { shippingObjects } from '../../../test/support/shipping.ts';
import { shippingRules } from '../../modules/shipping/store/rules.ts';
import { acting } from '../acting.ts';
import { text } from './columns.ts';
import { part, statement } from './statement.ts';
import { defineTable, firstVersion, type RowIn, writeVersion } from './table.ts';

const app = await startTestApp();
const rulesOf = async ({ call }: TestSeller) =>
  (await call<{ data: Rule[] }>('GET', '/shipping/rules')).body.data.map(({ rule_id }) => rule_id);

type Rule = RowIn<typeof shippingRules>;

async function aSeller() {
  const seller = await app.seller();
  const { seller_id } = seller;
  const { profile_id = '' } = await shippingObjects(seller);
  await seller.call('DELETE', `/shipping/rules/${(await rulesOf(seller))[0]}`);
  const { services } = app.app;
  const inside = <T>(fn: (ctx: ReturnType<typeof acting>) => Promise<T>): Promise<T> =>
    services.withSeller(seller_id, 'write', (db) => fn(acting(services, { db, seller_id })));
  const rule = (more: Partial<Rule> = {}): Rule => ({
    rule_id: services.ids.next('spr_'),
    name: 'rule',
    position: 1,
    enabled: true,
    profile_id,
    skus: [],
    sku_prefixes: [],
    categories: [],
    ...firstVersion('2026-06-28T01:00:00.000Z'),
    ...more,
  });
  return { inside, rule };
}

const rulesAsJson = defineTable('shipping_rule', ['rule_id'], shippingRules.columns, { many: 'json' });

test.each([
  ['arrays', shippingRules],
  ['json', rulesAsJson],
])('rows that are written in bulk as %s are read unchanged, with any texts', async (_, table) => {
  const { inside, rule } = await aSeller();
  const texts = fc.array(
    anyText({ maxLength: 30 }).map((value) => value.replaceAll('\0', ' ')),
    { maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(texts, fc.boolean(), texts), { maxLength: 5 }), async (values) => {
      const rows = values.map(([skus, enabled, categories], position) =>
        rule({ skus, enabled, categories, position }),
      );
      await inside(async (ctx) => {
        expect(await table.insertMany(ctx, rows)).toBe(rows.length);
        for (const row of rows) expect(await shippingRules.find(ctx, row)).toEqual(row);
        const next = rows.map((row) => ({ ...row, name: 'renamed', version: 2 }));
        await table.upsertMany(ctx, next);
        for (const row of next) expect(await shippingRules.find(ctx, row)).toEqual(row);
        // An existing row does not change.
        expect(await table.insertMany(ctx, rows)).toBe(0);
      });
    }),
    { numRuns: 25 },
  );
});

test('of two writers of one version, one wins and the other gets a conflict', async () => {
  const { inside, rule } = await aSeller();
  const first = rule();
  await inside((ctx) => shippingRules.insert(ctx, first));
  const after = await inside((ctx) => writeVersion(shippingRules, ctx, first, { name: 'one' }));
  expect(after).toMatchObject({ name: 'one', version: 2 });
  await expect(
    inside((ctx) => writeVersion(shippingRules, ctx, first, { name: 'two' })),
  ).rejects.toMatchObject({ code: 'conflict', status: 409 });
  expect(await inside((ctx) => shippingRules.find(ctx, first))).toEqual(after);
});

test('a page ends before one row more, and goes on after its last row in either direction', async () => {
  const { inside, rule } = await aSeller();
  const rows = [3, 1, 2, 2].map((position) => rule({ position }));
  await inside((ctx) => shippingRules.insertMany(ctx, rows));
  const order = ['position', 'rule_id'] as const;
  const sorted = rows.toSorted((a, b) => a.position - b.position || (a.rule_id < b.rule_id ? -1 : 1));
  const ids = (page: readonly Rule[]) => page.map(({ rule_id }) => rule_id);
  const second = sorted[1];
  const after = second && [second.position, second.rule_id];
  await inside(async (ctx) => {
    expect(ids(await shippingRules.page(ctx, { order, limit: 1 }))).toEqual(ids(sorted.slice(0, 2)));
    expect(ids(await shippingRules.page(ctx, { order, after, limit: 5 }))).toEqual(ids(sorted.slice(2)));
    expect(ids(await shippingRules.page(ctx, { order, after, limit: 5, descending: true }))).toEqual(
      ids(sorted.slice(0, 1)),
    );
    const where = part`position = ${2}`;
    expect(await shippingRules.page(ctx, { order, where, limit: 5 })).toHaveLength(2);
  });
});

test('outside production a statement whose rows are not as declared is refused', async () => {
  const { inside } = await aSeller();
  const wrong = statement({ name: text, position: text })`select name, position from shipping_rule`;
  await expect(inside(({ db }) => db.all(wrong))).rejects.toThrow('position is of type 23, not text');
});
