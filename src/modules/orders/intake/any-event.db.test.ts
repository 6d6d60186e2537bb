/** Whatever the published schemas allow is applied, stale, or refused for a reason: never a fault of ours. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  orderEvent,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { ordersModule } from '../index.ts';

const app = await startTestApp({ LOG_LEVEL: 'silent' });
const seller = await app.seller({ plan: 'Small' });

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const INSTANTS = [
  '2026-06-28T01:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '1582-10-10T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:59-14:00',
  '2016-12-31T23:59:60Z',
];
const TIMES = ['2026-06-28T01:00:00Z', '1970-01-01T00:00:00Z', '2099-12-31T23:59:59.999Z'];
const WORDS = ['', ' ', 'mug', '\u0000', '\ud800', '\u202e', '💥'.repeat(40), 'ord_', '%', "'", '{"a":1}'];

function textOf({ format, pattern, maxLength = 20 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom(...INSTANTS);
  if (pattern === '^[A-Z]{3}$') return fc.constantFrom('AUD', 'JPY', 'BHD', 'XXX', 'ZZZ');
  return fc.oneof(
    fc.constantFrom(...WORDS.map((word) => word.slice(0, maxLength)), 'x'.repeat(maxLength)),
    fc.string({ unit: 'binary', maxLength: Math.min(20, maxLength) }),
  );
}

function anythingOf(schema: Schema, refs: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => anythingOf(one, refs)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, refs)));
}

function ofType(type: string, schema: Schema, refs: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1_000_000_000, properties, required = [], items = {} } = schema;
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer')
    return fc.oneof(fc.constantFrom(minimum, maximum, 1, 2, 100), fc.integer({ min: minimum, max: 5 }));
  if (type === 'array')
    return fc.array(anythingOf(items, refs), { minLength: schema.minItems ?? 0, maxLength: 4 });
  const free =
    schema.format === undefined && (schema.pattern === undefined || schema.pattern.includes('u0000'));
  if (type === 'string') return free ? fc.oneof(textOf(schema), refs, refs, refs) : textOf(schema);
  if (properties === undefined) return fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue());
  const entries = Object.entries(properties).map(([name, one]) => [name, anythingOf(one, refs)] as const);
  return fc.record(Object.fromEntries(entries), { requiredKeys: [...required] });
}

const TYPES = (ordersModule.marketplaceEvents ?? []).map(({ type, schema }) => ({
  type,
  schema: schema as Schema,
}));

test('any event that its schema allows, about any order, in any state', { timeout: 120_000 }, async () => {
  const { sku } = await stocked(seller, 1_000);
  const untracked = await stocked(seller, null);
  const subjects: string[] = [];
  for (const steps of [0, 1, 2, 3]) {
    const id = await placeOrder(app, seller, [
      { sku, quantity: 3 },
      { kind: 'shipping', price: 500 },
    ]);
    subjects.push(id);
    if (steps > 0) await post(seller, `${id}/accept`);
    if (steps > 1) subjects.push((await shipAll(seller, id)).shipment_id);
    if (steps > 2) await app.events(orderEvent(app, seller, 'order.delivered', id, {}));
  }
  const refs = fc.constantFrom(...subjects, sku, untracked.sku, 'rf_1', 'dp_1', 'rtn_1', 'crq_1');
  const subject = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...subjects) },
    { weight: 1, arbitrary: textOf({ maxLength: 500 }) },
  );
  const event = fc.oneof(
    ...TYPES.map(({ type, schema }) =>
      fc.record({
        type: fc.constant(type),
        subject,
        data: anythingOf(schema, refs),
        time: fc.constantFrom(...TIMES),
      }),
    ),
  );
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 20, maxLength: 40 }), async (events) => {
      const sent = events.map((one) => ({
        specversion: '1.0',
        id: randomUUID(),
        source: '/any',
        sellerid: seller.seller_id,
        ...one,
        subject: one.subject.trim() === '' || one.subject.includes('\u0000') ? 'ord_x' : one.subject,
      }));
      const results = await app.events(...sent);
      for (const [index, { status, code }] of results.entries()) {
        seen.add(code ?? status);
        expect(code, JSON.stringify(sent[index])).not.toBe('internal_error');
      }
    }),
    { numRuns: 25 },
  );
  // Events that are all refused at the door would say little.
  for (const outcome of ['applied', 'stale', 'invalid_transition', 'data_invalid'])
    expect(seen).toContain(outcome);
  for (const id of subjects.filter((one) => one.startsWith('ord_')))
    expect((await readOrder(seller, id)).order_id).toBe(id);
});
