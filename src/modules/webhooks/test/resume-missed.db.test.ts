/** Missed deliveries are due again when an endpoint is resumed. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { act, addEndpoint } from '../../../../test/support/webhook-seller.ts';

// No worker runs, so only the test sends the deliveries.
const app = await startTestApp({ ROLE: 'api' });
const sqlAs = (text: string, values: unknown[]) =>
  runOn(app.database.adminUrl, (client) => client.query(text, values));

test('a resume does not touch deliveries of a replay that are due anyway', async () => {
  const seller = await app.seller();
  const { endpoint_id } = await addEndpoint(seller, 'https://hooks.example.test/');
  await sqlAs(
    'insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, sequence, type, object_id, status, trigger, step, next_attempt_at, created_at) ' +
      "select $1::text, 'dlv_' || r.n, $2, 'evt_' || r.n, r.n, 'product.created', 'prd_1', 'pending', 'replay', r.step, now() + r.due, now() " +
      "from (values (1, 0, interval '-1 h'), (2, 3, interval '-1 h'), (3, 0, null), (4, 3, interval '1 h')) r (n, step, due)",
    [seller.seller_id, endpoint_id],
  );
  const rows = async () =>
    (
      await sqlAs(
        'select ctid::text as place, step, next_attempt_at <= now() as due from webhook_delivery where endpoint_id = $1 order by sequence',
        [endpoint_id],
      )
    ).rows;
  const before = await rows();
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume');
  const after = await rows();
  expect(after.map(({ step, due }) => [step, due])).toEqual(before.map(() => [0, true]));
  expect(after.map(({ place }, index) => place === before[index]?.place)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
