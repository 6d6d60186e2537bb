/** Messages of one batch: those of different threads are taken side by side, those of one in their order. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asked, message, messagesOf, tell } from '../../../../test/support/conversations.ts';
import { stocked } from '../../../../test/support/orders.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp();

test('a message waits for no other thread of its seller, also if both are about one product', async () => {
  const seller = await app.seller();
  const { product_id } = await stocked(seller, 5);
  const ask = (customer_ref: string) => asked(app, seller, product_id, { customer_ref, text: 'Blue?' });
  const [first, second] = [(await ask('cus_1')).thread_id, (await ask('cus_2')).thread_id];
  const textsOf = async (id: string) => (await messagesOf(seller, id)).map(({ text }) => text).reverse();
  const write = (subject: string, text: string) => message(app, seller, subject, { text });
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from message_thread where thread_id = $1 for update', [first]);
    const told = tell(app, write(first, 'One'), write(second, 'A'), write(first, 'Two'), write(second, 'B'));
    await expect.poll(() => textsOf(second), { timeout: 8_000 }).toEqual(['Blue?', 'A', 'B']);
    expect(await textsOf(first)).toEqual(['Blue?']);
    await client.query('commit');
    expect(await told).toEqual(['applied', 'applied', 'applied', 'applied']);
  });
  expect(await textsOf(first)).toEqual(['Blue?', 'One', 'Two']);
});
