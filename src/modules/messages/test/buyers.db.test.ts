/** Whose a thread is, and messages that name another buyer. Source: docs/design/conversations.md#threads. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import {
  asked,
  message,
  messagesOf,
  tell,
  thread,
  threadsOf,
} from '../../../../test/support/conversations.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { opened } from '../../../../test/support/tickets.ts';

const app = await startTestApp();
const UNNAMED = { customer_ref: null, from: null };
const erase = (seller: TestSeller, customer_ref: string) =>
  apply(
    app,
    orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, {
      ...{ request_id: randomUUID(), customer_ref },
    }),
  );
const productOf = async (seller: TestSeller): Promise<string> => (await stocked(seller, 1)).product_id;
const storedOf = async (seller: TestSeller): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['message_thread', 'thread_message', 'ticket', 'ticket_entry', 'outbox', 'buyer'].map((table) =>
        asOwner(app, `select to_jsonb(t)::text from ${table} t where seller_id = $1`, [seller.seller_id]),
      ),
    ),
  );

/** Closes a thread for so long that the next message begins another one. */
async function closeLongAgo(seller: TestSeller, thread_id: string): Promise<void> {
  await apply(app, orderEvent(app, seller, 'thread.updated', thread_id, { status: 'closed' }));
  const text = "update message_thread set closed_at = now() - interval '1000 days' where thread_id = $1";
  await asOwner(app, text, [thread_id]);
}

test.each([{}, { role: 'marketplace' }])(
  'a message that names another buyer than the one of its thread is refused: %j',
  async (who) => {
    const seller = await app.seller();
    const [mine, other] = [`cus_${randomUUID()}`, `cus_${randomUUID()}`];
    const { thread_id } = await asked(app, seller, await productOf(seller), { customer_ref: mine });
    const named = (customer_ref: string, text: string, message_id: string = randomUUID()) =>
      message(app, seller, thread_id, { customer_ref, text, message_id, ...who });
    expect(await tell(app, named(other, 'The blue door', 'm-1'))).toEqual(['buyer_mismatch']);
    expect((await messagesOf(seller, thread_id)).length).toBe(1);
    expect(await storedOf(seller)).not.toContain('blue door');
    // Its id stays free.
    expect(await tell(app, named(mine, 'The green door', 'm-1'))).toEqual(['applied']);
    expect((await messagesOf(seller, thread_id))[0]).toMatchObject({ text: 'The green door' });
  },
);

test('a thread whose buyer is known by an alias only moves to the reference that a message names', async () => {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const subject = await productOf(seller);
  const before = await asked(app, seller, subject, {
    ...{ customer_ref: null, from: 'mia_blue', text: 'The blue door' },
  });
  const { thread_id } = before;
  const ticket = await opened(app, seller, { kind: 'enquiry', links: { thread_id }, text: 'The blue door' });
  expect(ticket.buyer?.buyer_id).toBe(before.buyer?.buyer_id);
  expect(await tell(app, message(app, seller, thread_id, { customer_ref, text: 'The blue door' }))).toEqual([
    'applied',
  ]);
  const after = await thread(seller, thread_id);
  expect(after.buyer?.buyer_id).not.toBe(before.buyer?.buyer_id);
  expect(await tell(app, message(app, seller, thread_id, { customer_ref: 'cus_other' }))).toEqual([
    'buyer_mismatch',
  ]);
  await erase(seller, customer_ref);
  expect(await storedOf(seller)).not.toMatch(/blue door|mia_blue/);
});

test('the alias of a thread that has moved stays while another thread has it', async () => {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const unnamed = { customer_ref: null, from: 'mia_blue' };
  const { thread_id } = await asked(app, seller, await productOf(seller), unnamed);
  const other = await asked(app, seller, await productOf(seller), unnamed);
  await apply(app, message(app, seller, thread_id, { customer_ref }));
  expect((await thread(seller, other.thread_id)).buyer).toEqual({ ...other.buyer, alias: 'mia_blue' });
  await apply(app, message(app, seller, other.thread_id, { customer_ref }));
  expect(await storedOf(seller)).not.toContain('alias:mia_blue');
});

test('an alias in a thread with a buyer makes no other buyer', async () => {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const { thread_id, buyer } = await asked(app, seller, await productOf(seller), {
    ...{ customer_ref, from: 'mia_blue' },
  });
  await apply(app, message(app, seller, thread_id, { from: 'mia_blue', text: 'The blue door' }));
  expect((await thread(seller, thread_id)).buyer).toEqual(buyer);
  await erase(seller, customer_ref);
  const stored = await storedOf(seller);
  expect(['mia_blue', 'blue door'].filter((gone) => stored.includes(gone))).toEqual([]);
});

test('the thread of an erased buyer does not become that of another one', async () => {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const { thread_id } = await asked(app, seller, await productOf(seller), { customer_ref });
  await erase(seller, customer_ref);
  const named = (ref: string) => message(app, seller, thread_id, { customer_ref: ref });
  expect(await tell(app, named('cus_other'))).toEqual(['buyer_mismatch']);
  const again = { ...named(customer_ref), time: new Date(app.app.services.now() + 60_000).toISOString() };
  expect(await tell(app, again)).toEqual(['applied']);
  expect((await thread(seller, thread_id)).buyer).not.toBeNull();
  expect(await tell(app, named('cus_other'))).toEqual(['buyer_mismatch']);
});

test('a thread that the seller begins with an erased buyer does not become that of another one', async () => {
  const seller = await app.seller();
  const buyer = { alias: 'mia', customer_ref: `cus_${randomUUID()}` };
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer });
  await erase(seller, buyer.customer_ref);
  const body = { order_id, topic: 'delay', text: 'It leaves tomorrow, Mia of the blue door.' };
  const { status } = await seller.call('POST', '/messages/threads', { json: body });
  expect(status).toBe(201);
  const [begun] = await threadsOf(seller);
  const named = message(app, seller, begun?.thread_id ?? '', { customer_ref: 'cus_other' });
  expect(await tell(app, named)).toEqual(['buyer_mismatch']);
  await erase(seller, buyer.customer_ref);
  expect(await storedOf(seller)).not.toContain('blue door');
});

test('a thread that the seller begins while the buyer is erased is not that of the erased one', async () => {
  const seller = await app.seller();
  const buyer = { alias: 'mia', customer_ref: `cus_${randomUUID()}` };
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer });
  const json = { order_id, topic: 'delay', text: 'It leaves tomorrow, Mia of the blue door.' };
  const begins = await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `thread ${seller.seller_id} ${order_id}`,
    ]);
    const sent = seller.call('POST', '/messages/threads', { json });
    await expect
      .poll(() => asOwner(app, "select from pg_locks where locktype = 'advisory' and not granted"))
      .toHaveLength(1);
    await erase(seller, buyer.customer_ref);
    await client.query('commit');
    return sent;
  });
  expect(begins.status).toBe(201);
  expect((await threadsOf(seller))[0]?.buyer).toBeNull();
  await erase(seller, buyer.customer_ref);
  expect(await storedOf(seller)).not.toContain('blue door');
});

test('the marketplace names the buyer of the thread that it begins', async () => {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const told = { ...UNNAMED, role: 'marketplace', text: 'Dear Mia of the blue door' };
  const found = await asked(app, seller, await productOf(seller), { ...told, customer_ref });
  expect(found.buyer).not.toBeNull();
  await erase(seller, customer_ref);
  expect(await storedOf(seller)).not.toContain('blue door');
});

test('of two buyers who are named at once in a thread without a buyer one is refused', async () => {
  const seller = await app.seller();
  for (let round = 0; round < 4; round += 1) {
    const { thread_id } = await asked(app, seller, await productOf(seller), {
      ...{ ...UNNAMED, role: 'marketplace' },
    });
    const refs = Array.from({ length: 4 }, () => `cus_${randomUUID()}`);
    const answers = await Promise.all(
      refs.map((customer_ref) => tell(app, message(app, seller, thread_id, { customer_ref }))),
    );
    expect(answers.flat().sort()).toEqual(['applied', ...Array(3).fill('buyer_mismatch')]);
  }
});

test('a message that continues a closed thread names the buyer of that thread', async () => {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const subject = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer: { customer_ref } });
  const { thread_id } = await asked(app, seller, subject, UNNAMED);
  await apply(app, orderEvent(app, seller, 'thread.updated', thread_id, { status: 'closed' }));
  await asOwner(
    app,
    "update message_thread set closed_at = now() - interval '1000 days' where thread_id = $1",
    [thread_id],
  );
  const named = (ref: string) => message(app, seller, thread_id, { customer_ref: ref });
  expect(await tell(app, named('cus_other'), named(customer_ref))).toEqual(['buyer_mismatch', 'applied']);
  const threads = await threadsOf(seller, `?order_id=${subject}`);
  expect(threads.map(({ previous_thread_id }) => previous_thread_id)).toEqual([thread_id, null]);
  expect(threads[0]?.buyer).toEqual(threads[1]?.buyer);
});

test.each([{ role: 'marketplace', from: null }, { from: 'mia' }])(
  'a message that continues a closed thread without a reference makes that thread the buyer’s too: %j',
  async (began) => {
    const seller = await app.seller();
    const customer_ref = `cus_${randomUUID()}`;
    const subject = await productOf(seller);
    const { thread_id } = await asked(app, seller, subject, {
      ...{ customer_ref: null, text: 'Mia of the blue door' },
      ...began,
    });
    await closeLongAgo(seller, thread_id);
    const time = new Date(app.app.services.now() + 60_000).toISOString();
    await apply(app, message(app, seller, thread_id, { customer_ref }));
    expect(await threadsOf(seller, `?product_id=${subject}`)).toHaveLength(2);
    await erase(seller, customer_ref);
    expect(await storedOf(seller)).not.toContain('blue door');
    await apply(app, { ...message(app, seller, thread_id, { text: 'The blue door again' }), time });
    await apply(
      app,
      orderEvent(
        app,
        seller,
        'buyer.erasure_requested',
        seller.seller_id,
        { request_id: randomUUID(), customer_ref },
        { time },
      ),
    );
    expect(await storedOf(seller)).not.toContain('blue door');
  },
);

test.each([true, false])(
  'a message names the buyer of all threads before its own, also if it begins its own: %s',
  async (begins) => {
    const seller = await app.seller();
    const customer_ref = `cus_${randomUUID()}`;
    const subject = await productOf(seller);
    const told = { ...UNNAMED, role: 'marketplace', text: 'Mia of the blue door' };
    const listed = () => threadsOf(seller, `?product_id=${subject}`);
    const goOn = async (data: object): Promise<void> => {
      const [{ thread_id } = { thread_id: '' }] = await listed();
      await closeLongAgo(seller, thread_id);
      await apply(app, message(app, seller, thread_id, data));
    };
    await asked(app, seller, subject, told);
    await goOn(told);
    await goOn(begins ? { customer_ref } : told);
    const [last, ...before] = await listed();
    if (!begins) await apply(app, message(app, seller, last?.thread_id ?? '', { customer_ref }));
    const buyers = (await listed()).map(({ buyer }) => buyer?.buyer_id);
    expect(buyers).toEqual([expect.any(String), ...before.map(() => buyers[0])]);
    await erase(seller, customer_ref);
    expect(await storedOf(seller)).not.toContain('blue door');
  },
);

test('a late message of an erased buyer who continues a closed thread leaves no word in that thread', async () => {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const subject = await productOf(seller);
  const told = { ...UNNAMED, role: 'marketplace', text: 'Mia of the blue door' };
  const { thread_id } = await asked(app, seller, subject, told);
  await closeLongAgo(seller, thread_id);
  await erase(seller, customer_ref);
  const time = new Date(app.app.services.now() - 3_600_000).toISOString();
  await apply(app, { ...message(app, seller, thread_id, { customer_ref, text: 'The blue door' }), time });
  expect(await storedOf(seller)).not.toContain('blue door');
});
