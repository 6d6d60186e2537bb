import Type from 'typebox';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { shippingObjects } from '../../../test/support/shipping.ts';
import type { AnyRoute, RouteResult } from '../../kernel/route.ts';
import { trackedExample, trackedSchema } from '../../kernel/tracked.ts';
import { type RuleRow, shippingRules } from '../../modules/shipping/store/rules.ts';
import { acting } from '../acting.ts';
import { nullable, text } from '../db/columns.ts';
import { defineTable, firstVersion } from '../db/table.ts';
import { writeTag } from '../http/etag.ts';
import { resource } from './resource.ts';

const app = await startTestApp();
const { services } = app.app;

const thing = { kind: 'spr_', one: 'rule', many: 'rules', title: 'Rule' } as const;
const common = { id: 'test.rules', path: '', ...thing, area: 'shipping' } as const;

/** A field of the answer that changes without a new version. */
let weather = 'sun';
const schema = trackedSchema('rule_id', thing, {
  name: Type.String(),
  position: Type.Integer(),
  weather: Type.String(),
});
const example = trackedExample('rule_id', 'spr_', { name: 'one', position: 1, weather });
const view = ({ rule_id, name, position, version, created_at, updated_at }: RuleRow) => ({
  ...{ rule_id, name, position, version, created_at, updated_at },
  weather,
});
const rules = resource({ ...common, table: shippingRules, schema, example, view });

async function aSeller() {
  const seller = await app.seller();
  const { seller_id } = seller;
  const { profile_id = '', rule_id = '' } = await shippingObjects(seller);
  type Handler = (ctx: object, request: object) => Promise<RouteResult>;
  /** The handler of a route in a transaction of the seller. */
  const call = (route: AnyRoute, request: object): Promise<RouteResult<{ data: { name: string }[] }>> =>
    services.withSeller(
      seller_id,
      'write',
      (db) =>
        (route.handler as Handler)(
          { ...acting(services, { db, seller_id }), services },
          { params: {}, query: {}, headers: {}, ...request },
        ) as Promise<RouteResult<never>>,
    );
  const add = (...more: readonly Partial<RuleRow>[]) =>
    services.withSeller(seller_id, 'write', (db) =>
      shippingRules.insertMany(
        { db, seller_id },
        more.map((one) => ({
          rule_id: services.ids.next('spr_'),
          ...{ name: 'rule', position: 1, enabled: true, profile_id },
          ...{ skus: [], sku_prefixes: [], categories: [], ...firstVersion('2026-06-28T01:00:00.000Z') },
          ...one,
        })),
      ),
    );
  return { call, add, rule_id };
}

test('a filter with several values asks for any of them', async () => {
  const { call, add } = await aSeller();
  await add({ name: 'a', position: 100 }, { name: 'b', position: 200 }, { name: 'c', position: 300 });
  const list = rules.list({
    order: ['position'],
    filters: { name: Type.Array(Type.String()), position: Type.Array(Type.Integer()) },
  });
  const namesOf = async (query: object) => (await call(list, { query })).body?.data.map(({ name }) => name);
  expect(await namesOf({ name: ['a', 'c'] })).toEqual(['a', 'c']);
  expect(await namesOf({ position: [200, 300] })).toEqual(['b', 'c']);
  expect(await namesOf({ name: ['a', 'b'], position: [200] })).toEqual(['b']);
  expect(await namesOf({ name: [] })).toEqual([]);
});

test('the cursor of a list in another order is refused', async () => {
  const { call, add } = await aSeller();
  await add({ position: 100 }, { position: 200 });
  const orders = [rules.list({ order: ['position'] }), rules.list({ order: ['name'] }), rules.list()];
  for (const from of orders) {
    const first = await call(from, { query: { limit: 1 } });
    const { next_cursor: cursor } = (first.body as never as { page: { next_cursor: string } }).page;
    expect((await call(from, { query: { limit: 1, cursor } })).body?.data).toHaveLength(1);
    for (const to of orders.filter((one) => one !== from))
      await expect(call(to, { query: { limit: 1, cursor } })).rejects.toMatchObject({ status: 422 });
  }
});

test('a list by a column that may be null, or with a filter by a list column, cannot be declared', () => {
  const table = defineTable('shipping_rule', 'rule_id', { name: nullable(text) });
  const loose = resource({
    ...{ ...common, table, example: trackedExample('rule_id', 'spr_', {}) },
    schema: trackedSchema('rule_id', thing, {}),
    view: ({ name: _, ...row }) => row,
  });
  expect(() => loose.list({ order: ['name'] })).toThrow('cannot be ordered by name: it may be null');
  expect(() => rules.list({ filters: { skus: Type.String() } })).toThrow('needs a condition for skus');
});

test('the entity tag covers the whole answer; a change compares only the version', async () => {
  const { call, rule_id } = await aSeller();
  const tagOf = ({ etag = '', body }: RouteResult): string => writeTag(etag, body, JSON.stringify(body));
  const read = async () => tagOf(await call(rules.get(), { params: { rule_id } }));
  const first = await read();
  expect(await read()).toBe(first);
  weather = 'rain';
  const second = await read();
  expect(second).not.toBe(first);
  const change = rules.update({
    body: Type.Object({ name: Type.String() }),
    example: { name: 'one' },
    run: (_ctx, _before, body) => body,
  });
  const write = async (name: string) =>
    tagOf(await call(change, { params: { rule_id }, headers: { 'if-match': first }, body: { name } }));
  expect(await write('wet')).not.toBe(second);
  await expect(write('dry')).rejects.toMatchObject({ status: 412 });
});

test('routes that can violate a unique key declare 409', () => {
  const body = { body: Type.Object({}), example: {} };
  const create = rules.create({ ...body, run: () => ({}) as never });
  const update = rules.update({ ...body, run: () => ({}) });
  for (const { errors } of [create, update]) expect(errors.map(({ code }) => code)).toContain('conflict');
});
