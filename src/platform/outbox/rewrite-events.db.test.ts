/** Events of an erased buyer that the sequencer has not numbered yet. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { asOwner } from '../../../test/support/audit.ts';
import { asked, say, tell } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/feeds.ts';
import { orderEvent, placeOrder } from '../../../test/support/orders.ts';
import { runOn } from '../../../test/support/test-server.ts';

const app = await startTestApp();

test('an erasure waits for the sequencer before it holds an event without a number', async () => {
  const seller = await app.seller();
  const order = await placeOrder(app, seller, [{ title: 'Mug' }]);
  const { thread_id } = await asked(app, seller, order, { text: 'First' });
  const unnumbered = () =>
    asOwner<{ count: number }>(
      app,
      'select count(*)::int as count from outbox where seller_id = $1 and sequence is null',
      [seller.seller_id],
    );
  await eventually(unnumbered, ([row]) => row?.count === 0);
  const erased = await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from event_sequence where seller_id = $1 for update', [seller.seller_id]);
    await say(seller, thread_id, 'On its way');
    const erasure = orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, {
      request_id: randomUUID(),
      customer_ref: 'cus_77',
    });
    const erasing = tell(app, erasure);
    await eventually(
      () =>
        asOwner(app, "select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'for update'"),
      (waiting) => waiting.length > 0,
      15_000,
    );
    await client.query(
      'select from outbox where seller_id = $1 and sequence is null order by outbox_id for update nowait',
      [seller.seller_id],
    );
    await client.query('commit');
    return erasing;
  });
  expect(erased).toEqual(['applied']);
  const { text } = await eventually(
    () => seller.call('GET', '/webhooks/events'),
    ({ text }) => text.includes('message.sent'),
  );
  expect(text).not.toMatch(/First|On its way/);
});

test('events of other sellers get their numbers while an erasure holds those of one', async () => {
  const [held, other] = [await app.seller(), await app.seller()];
  const about = async (seller: typeof held) => placeOrder(app, seller, [{ title: 'Mug' }]);
  const { thread_id } = await asked(app, held, await about(held));
  const order = await about(other);
  const typesOf = async (seller: typeof held) => (await seller.call('GET', '/webhooks/events')).text;
  await eventually(
    () => typesOf(held),
    (seen) => seen.includes('message.received'),
  );
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from event_sequence where seller_id = $1 for update', [held.seller_id]);
    await say(held, thread_id, 'On its way');
    await asked(app, other, order);
    await eventually(
      () => typesOf(other),
      (seen) => seen.includes('message.received'),
    );
    expect(await typesOf(held)).not.toContain('message.sent');
    await client.query('commit');
  });
  await eventually(
    () => typesOf(held),
    (seen) => seen.includes('message.sent'),
  );
});
