/**
 * Each event that the published schemas allow is applied, stale or refused with a reason; none is a server
 * error.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anythingOf, type Schema, textOf } from '../../../../test/support/any-event.ts';
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

const TIMES = ['2026-06-28T01:00:00Z', '1970-01-01T00:00:00Z', '2099-12-31T23:59:59.999Z'];
const TYPES = (ordersModule.marketplaceEvents ?? []).map(({ type, schema }) => ({
  type,
  schema: schema as Schema,
}));

/** The envelope refuses others. */
const isName = (text: string): boolean =>
  text.trim() !== '' && !text.includes('\u0000') && text.isWellFormed();

/** The reader of bodies refuses this key before any schema is checked. */
const isReadable = (event: object): boolean => !JSON.stringify(event).includes('"__proto__"');

test('any event that its schema allows, about any order, in any state', async () => {
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
      fc
        .record({
          type: fc.constant(type),
          subject,
          data: anythingOf(schema, refs),
          time: fc.constantFrom(...TIMES),
        })
        .filter(isReadable),
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
        subject: isName(one.subject) ? one.subject : 'ord_x',
      }));
      const results = await app.events(...sent);
      for (const [index, { status, code }] of results.entries()) {
        seen.add(code ?? status);
        expect(code, JSON.stringify(sent[index])).not.toBe('internal_error');
      }
    }),
    { numRuns: 25 },
  );
  // If all events were refused, the test would prove little.
  for (const outcome of ['applied', 'stale', 'invalid_transition', 'data_invalid'])
    expect(seen).toContain(outcome);
  for (const id of subjects.filter((one) => one.startsWith('ord_')))
    expect((await readOrder(seller, id)).order_id).toBe(id);
});
