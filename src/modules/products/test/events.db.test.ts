import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { type Body, create, mug } from '../../../../test/support/products.ts';
import { events } from '../events.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });

interface Stored {
  readonly type: string;
  readonly object_version: number;
  readonly data: { readonly object: Body; readonly previous?: Record<string, unknown> };
  readonly correlation: { readonly request_id: string; readonly idempotency_key: string | null };
}
const eventsOf = (id: string): Promise<Stored[]> =>
  app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<Stored>({
      text: 'select type, object_version, data, correlation from outbox where object_id = $1 order by outbox_id',
      values: [id],
    }),
  );

test('an event has the object as in GET, its previous values and the id of the request', async () => {
  const { product_id: id } = await create(seller, { attributes: { colour: 'Blue' } });
  await seller.call('PATCH', `/products/${id}`, {
    json: { price_minor: 1999, attributes: { colour: 'Red' } },
    headers: { 'x-request-id': 'req-1' },
  });
  const [first, second] = await eventsOf(id);
  expect(first).toMatchObject({
    type: 'product.created',
    object_version: 1,
    data: { object: { version: 1 } },
  });
  expect(first?.data).not.toHaveProperty('previous');
  const { body } = await seller.call<Body>('GET', `/products/${id}`);
  expect(second?.data.object).toEqual(body);
  expect(second).toMatchObject({
    type: 'product.updated',
    object_version: 2,
    data: { previous: { price_minor: 2499, attributes: { colour: 'Blue' } } },
    correlation: { request_id: 'req-1', idempotency_key: null },
  });
});

test('each write makes one event: created, updated, deactivated', async () => {
  const { product_id: id } = await create(seller, { quantity_on_hand: 2 });
  for (const json of [{ title: 'A' }, { status: 'inactive' }, { status: 'active' }, { status: 'active' }])
    await seller.call('PATCH', `/products/${id}`, { json });
  await seller.call('PATCH', `/products/${id}`, { json: { quantity_on_hand: 9, price_minor: 7 } });
  await seller.call('DELETE', `/products/${id}`);
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
    'product.created',
    'inventory.updated',
    'product.updated',
    'product.deactivated',
    'product.updated',
    'product.updated',
    'inventory.updated',
    'product.deactivated',
  ]);
});

test('rejected and repeated requests make no events', async () => {
  const json = mug();
  const options = { json, headers: { 'idempotency-key': 'events-1' } };
  const { body } = await seller.call<Body>('POST', '/products', options);
  await seller.call('POST', '/products', options);
  await seller.call('PATCH', `/products/${body.product_id}`, { json: { price_minor: 0 } });
  const stored = await eventsOf(body.product_id);
  expect(stored).toHaveLength(1);
  expect(stored[0]?.correlation.idempotency_key).toBe('events-1');
});

test('every written event is declared and matches its schema', async () => {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const checks = new Map(events.map(({ type, schema }) => [type, ajv.compile(schema)]));
  const stored = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<Stored>({
      text: "select type, data from outbox where seller_id = $1 and object_id like 'prd%'",
      values: [seller.seller_id],
    }),
  );
  expect(stored.length).toBeGreaterThan(8);
  for (const { type, data } of stored) {
    const check = checks.get(type);
    expect(check?.(data.object), `${type} ${ajv.errorsText(check?.errors)}`).toBe(true);
  }
});
