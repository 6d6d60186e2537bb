/** Changes of an endpoint while results of its deliveries are being written. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { act, addEndpoint, POLL } from '../../../../test/support/webhook-seller.ts';
import type { Services } from '../../../platform/services.ts';
import { createDeliveryStore } from '../delivery/delivery-store.ts';
import { ResultWriter } from '../delivery/result-writer.ts';
import { systemTiming } from '../delivery/timing.ts';
import type { AttemptResult } from '../store/results.ts';

// No worker runs, so only the test sends the deliveries.
const app = await startTestApp({ ROLE: 'api' });
const { services } = app.app;
const rowsOf = (text: string, values: unknown[] = []) =>
  runOn(app.database.adminUrl, async (client) => (await client.query(text, values)).rows);

/** A handle that waits at a gate before a statement with the given beginning. */
function gated(beginning: string) {
  const [reached, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const withSystem: Services['withSystem'] = (reason, mode, fn, options) =>
    services.withSystem(
      reason,
      mode,
      (db) =>
        fn({
          all: (statement) => db.all(statement),
          one: (statement) => db.one(statement),
          cursor: (statement, size) => db.cursor(statement, size),
          later: (statement) => db.later(statement),
          run: async (statement) => {
            if (statement.text.replace(/\s+/g, ' ').trim().startsWith(beginning)) {
              reached.resolve();
              await open.promise;
            }
            return db.run(statement);
          },
        }),
      options,
    );
  return { withSystem, reached: reached.promise, open: open.resolve };
}

test.each([
  ['deleted', 'DELETE', '', 204],
  ['resumed', 'POST', '/resume', 200],
])('an endpoint is %s while results are written: there is no deadlock', async (_, method, path, code) => {
  const seller = await app.seller();
  const { endpoint_id } = await addEndpoint(seller, 'https://hooks.example.test/');
  const of = { seller_id: seller.seller_id, endpoint_id };
  await act(seller, endpoint_id, 'pause');
  const insert =
    'insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, sequence, type, object_id, status, trigger, next_attempt_at, created_at) ' +
    "values ($1, $2, $3, $2, $4::int, 'product.created', 'prd_1', 'pending', 'event', timestamptz '2026-01-01' + $4::int * interval '1 h', '2026-01-01')";
  const ids = [`dlv_${endpoint_id}_1`, `dlv_${endpoint_id}_2`] as const;
  for (const [index, id] of ids.entries())
    await rowsOf(insert, [seller.seller_id, id, endpoint_id, index + 1]);

  const warnings: unknown[] = [];
  const gate = gated('update webhook_delivery d set next_attempt_at = null');
  const writer = new ResultWriter({
    owner: 'this one',
    store: createDeliveryStore({ ...services, withSystem: gate.withSystem }),
    log: { ...services.log, warn: (fields: unknown) => warnings.push(fields) },
    timing: systemTiming,
  });
  const result = {
    ...of,
    delivery_id: ids[1],
    attempt: 1,
    step: 1,
    due_at: '2026-06-28T01:00:00.000Z',
    at: 0,
    duration_ms: 1,
    http_status: 204,
  };
  const taken = {
    error: null,
    response_head: '',
    status: 'succeeded',
    reason: null,
    next_at: null,
  } as const;
  // The later result is written first. Then the earlier one begins to wait.
  const written: AttemptResult = { ...result, ...taken, completed_at: 0, test: false };
  const source = { row: of, written: () => undefined };
  writer.add(source, { kind: 'attempt', result: written }, { kind: 'park', delivery_id: ids[0] });
  await gate.reached;
  const change = seller.call(method, `/webhooks/endpoints/${endpoint_id}${path}`);
  const waiting = async () =>
    (
      await rowsOf(
        'select 1 from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()',
      )
    ).length;
  await expect.poll(waiting, POLL).toBe(1);
  gate.open();
  const { status } = await change;
  await writer.drain();
  expect([status, warnings]).toEqual([code, []]);
});
