/**
 * A repeated erasure takes what came since the first one without the reference, and late events are compared with the
 * instant of the request. Source: docs/design/buyers.md#erasure.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from './support/app.ts';
import { asOwner } from './support/audit.ts';
import { asked, message, messagesOf, say, tell, thread, threadsOf } from './support/conversations.ts';
import { dumpOf } from './support/dump.ts';
import { eventually } from './support/feeds.ts';
import { callInternal } from './support/internal.ts';
import { apply, orderEvent, placeOrder, stocked } from './support/orders.ts';
import { contest, decide, opinion, rated, told } from './support/reviews.ts';
import { runOn } from './support/test-server.ts';
import { opened, post as postTicket, REQUEST, readTicket, tell as tellTicket } from './support/tickets.ts';

const START = '2026-07-01T01:00:00.000Z';
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: START });
const at = (hour: number) => ({ time: `2026-06-30T${String(hour).padStart(2, '0')}:00:00.000Z` });
const [EARLY, FIRST, BETWEEN, LATE, SECOND, AFTER] = [at(2), at(4), at(8), at(10), at(12), at(16)];

/** Texts that a dump of the database can be searched for. */
function marks() {
  const prefix = `quill${randomUUID().slice(0, 8)}`;
  const used: string[] = [];
  const mark = (name: string): string => {
    const text = `${prefix} ${name} ${used.length} feather`;
    used.push(text);
    return text;
  };
  const stored = async () => {
    const dump = await dumpOf(app.database.adminUrl, ['idempotency_key']);
    return used.filter((text) => dump.includes(text));
  };
  return { mark, used, stored, prefix };
}

const erase = (seller: TestSeller, customer_ref: string, { time }: { time: string } = FIRST) =>
  app.events(
    orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, {
      ...{ request_id: randomUUID(), customer_ref, requested_at: time },
    }),
  );

/** A buyer of a cancelled order, who has written about it and about a product. */
async function shop(mark: (name: string) => string, alias: string) {
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const { product_id } = await stocked(seller, 5);
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer: { alias, customer_ref } });
  const named = { from: alias, customer_ref };
  const write = async (subject: string, text: string) => {
    await apply(app, message(app, seller, subject, { ...named, text }, EARLY));
    const filter = subject === order_id ? `?order_id=${order_id}` : `?product_id=${product_id}`;
    return (await threadsOf(seller, filter))[0]?.thread_id ?? '';
  };
  const ofOrder = await write(order_id, mark('order'));
  const ofProduct = await write(product_id, mark('product'));
  const ask = (data: object) => opened(app, seller, { text: mark('ticket'), ...data });
  const request = await ask({ kind: 'marketplace_request', customer_ref });
  const enquiry = await ask({ kind: 'enquiry', order_id, customer_ref, subject: mark('subject') });
  const { body: own } = await postTicket(seller, '', { ...REQUEST, links: { order_id } });
  const { rating_id } = await rated(app, seller, order_id, { rating: 1 });
  const { feedback_id } = await told(app, seller, order_id, { text: mark('feedback') });
  await apply(app, orderEvent(app, seller, 'order.cancelled', order_id, {}));
  const tickets = { request, enquiry, own };
  return { seller, customer_ref, order_id, product_id, ofOrder, ofProduct, tickets, rating_id, feedback_id };
}
type Shop = Awaited<ReturnType<typeof shop>>;

/** Texts that name no reference, in each place that the buyer was in. */
async function unnamedTexts(
  { seller, order_id, ofOrder, ofProduct, tickets }: Shop,
  mark: (name: string) => string,
  time: { time: string },
  alias: string,
) {
  const unnamed = { customer_ref: null, from: null };
  for (const subject of [ofOrder, ofProduct])
    for (const who of [{}, { from: alias }, { role: 'marketplace' }])
      expect(
        await tell(
          app,
          message(app, seller, subject, { ...unnamed, text: mark(`in ${subject}`), ...who }, time),
        ),
      ).toEqual(['applied']);
  await apply(
    app,
    message(app, seller, order_id, { ...unnamed, from: alias, text: mark('by order') }, time),
    orderEvent(
      app,
      seller,
      'ticket.opened',
      randomUUID(),
      {
        ...{ kind: 'enquiry', links: { thread_id: ofProduct } },
        ...{ text: mark('enquiry'), subject: mark('enquiry subject') },
      },
      time,
    ),
    opinion(app, seller, order_id, { text: mark('opinion') }, time),
  );
  for (const ticket of [tickets.request, tickets.enquiry])
    for (const author of ['buyer', 'marketplace'])
      expect(
        await tellTicket(app, seller, 'replied', ticket, { author, text: mark(`${author} replies`) }, time),
      ).toBe('applied');
}

test('a second erasure takes what came between them without the reference; what came later stays', async () => {
  const { mark, used, stored, prefix } = marks();
  const alias = `${prefix}_alias`;
  const found = await shop(mark, alias);
  const { seller, customer_ref, ofOrder, ofProduct, tickets, rating_id, feedback_id } = found;
  const buyer_id = (await thread(seller, ofOrder)).buyer?.buyer_id;
  expect((await stored()).length).toBe(used.length);
  expect(await erase(seller, customer_ref)).toMatchObject([{ status: 'applied' }]);
  expect(await stored()).toEqual([]);

  // The words are from after the request, so they are kept, though the erasure was carried out later.
  const begun = used.length;
  await unnamedTexts(found, mark, BETWEEN, alias);
  for (const id of [ofOrder, ofProduct]) expect((await say(seller, id, mark('answer'))).status).toBe(201);
  const contested = await Promise.all(
    [`ratings/${rating_id}`, `feedback/${feedback_id}`].map((path) =>
      contest(seller, path, { reason: 'other', detail: mark(`contest of ${path.slice(0, 3)}`) }),
    ),
  );
  const declined = () => ({ status: 'declined', reason_code: 'no', detail: mark('decision') });
  for (const { body } of contested)
    expect(await decide(app, seller, body, declined(), BETWEEN)).toBe('applied');
  const between = used.slice(begun);
  expect(await stored()).toEqual(between);
  expect(await asOwner(app, 'select 1 from buyer where alias = $1', [alias])).toEqual([]);

  const [again] = await erase(seller, customer_ref, SECOND);
  expect(again).toMatchObject({ status: 'applied' });
  expect(again).not.toHaveProperty('warnings', ['buyer_unknown']);
  expect(await stored()).toEqual([]);
  const told_ = await eventually(
    () => seller.call<{ data: { data: { object: object } }[] }>('GET', '/webhooks/events?types=buyer.erased'),
    ({ body }) => body.data.length > 1,
  );
  const done = { buyer_id, more: false, status: 'done', open_order_ids: [] };
  expect(told_.body.data.map(({ data }) => data.object)).toEqual([
    { ...done, order_ids: [found.order_id] },
    { ...done, order_ids: [] },
  ]);
  expect((await readTicket(seller, tickets.own)).buyer).toBeNull();

  // Late texts from before the second request, and texts from after it.
  await unnamedTexts(found, mark, LATE, alias);
  for (const { body } of contested) await decide(app, seller, body, declined(), LATE);
  expect(await stored()).toEqual([]);
  const last = used.length;
  await unnamedTexts(found, mark, AFTER, alias);
  expect(await stored()).toEqual(used.slice(last));
  await erase(seller, customer_ref, at(20));
  expect(await stored()).toEqual([]);
});

test('late texts of an erased reference begin places that a second erasure finds', async () => {
  const { mark, used, stored, prefix } = marks();
  const { seller, customer_ref } = await shop(mark, `${prefix}_alias`);
  await erase(seller, customer_ref, SECOND);
  const { product_id } = await stocked(seller, 5);
  const begun = await asked(app, seller, product_id, {
    ...{ role: 'marketplace', customer_ref: null, from: null, text: mark('began') },
  });
  const { product_id: other } = await stocked(seller, 5);
  // The buyer is named once, and then writes in the same places without a name.
  await apply(
    app,
    message(app, seller, other, { customer_ref, text: mark('first'), thread_ref: 'conv-1' }, LATE),
    message(app, seller, begun.thread_id, { customer_ref, text: mark('in theirs') }, LATE),
    orderEvent(app, seller, 'ticket.opened', 'T-9', { customer_ref, text: mark('asks') }, LATE),
  );
  const write = (time: { time: string }) =>
    apply(
      app,
      message(app, seller, other, { customer_ref: null, text: mark('then'), thread_ref: 'conv-1' }, time),
      message(app, seller, begun.thread_id, { customer_ref: null, text: mark('then') }, time),
      orderEvent(
        app,
        seller,
        'ticket.replied',
        'T-9',
        { reply_id: randomUUID(), author: 'buyer', text: mark('then') },
        time,
      ),
    );
  await write(LATE);
  expect(await stored()).toEqual([]);
  const from = used.length;
  await write(AFTER);
  expect(await stored()).toEqual(used.slice(from));
  await erase(seller, customer_ref, at(20));
  expect(await stored()).toEqual([]);
});

test('a repeated request tells of an order that is still to arrive', async () => {
  const { mark, stored, prefix } = marks();
  const seller = await app.seller();
  const customer_ref = `cus_${randomUUID()}`;
  const buyer = { alias: `${prefix}_alias`, customer_ref };
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer });
  const warned = [{ status: 'applied', warnings: ['orders_open'] }];
  expect(await erase(seller, customer_ref)).toMatchObject(warned);
  await apply(
    app,
    message(app, seller, order_id, { customer_ref: null, from: null, text: mark('open') }, BETWEEN),
    opinion(app, seller, order_id, { text: mark('opinion') }, BETWEEN),
  );
  expect((await stored()).length).toBe(2);
  expect(await erase(seller, customer_ref, SECOND)).toMatchObject(warned);
  expect(await stored()).toEqual([]);
});

test('messages, tickets and feedback that come with a second erasure leave no word', async () => {
  const { mark, stored, prefix } = marks();
  const alias = `${prefix}_alias`;
  for (let round = 0; round < 4; round += 1) {
    const found = await shop(mark, alias);
    const { seller, customer_ref, order_id, ofOrder, ofProduct, tickets } = found;
    await erase(seller, customer_ref);
    for (const id of [ofOrder, ofProduct])
      await apply(app, orderEvent(app, seller, 'thread.updated', id, { status: 'closed' }, BETWEEN));
    const unnamed = { customer_ref: null, from: null };
    const events = () => [
      ...[ofOrder, ofProduct, order_id].map((subject) =>
        message(app, seller, subject, { ...unnamed, text: mark('with it') }, LATE),
      ),
      message(app, seller, order_id, { ...unnamed, thread_ref: randomUUID(), text: mark('anew') }, LATE),
      opinion(app, seller, order_id, { text: mark('opinion') }, LATE),
      ...[{ thread_id: ofProduct }, { order_id }].map((links) =>
        orderEvent(
          app,
          seller,
          'ticket.opened',
          randomUUID(),
          { kind: 'enquiry', links, text: mark('asks') },
          LATE,
        ),
      ),
      orderEvent(
        app,
        seller,
        'ticket.replied',
        tickets.request.ticket_id,
        { reply_id: randomUUID(), author: 'marketplace', text: mark('replies') },
        LATE,
      ),
    ];
    const all = [...events(), undefined, ...events()];
    const results = await Promise.all(
      all.map((event) => (event === undefined ? erase(seller, customer_ref, SECOND) : app.events(event))),
    );
    expect(new Set(results.flat().map(({ status }) => status))).toEqual(new Set(['applied']));
  }
  expect(await stored()).toEqual([]);
});

test('a message that waits for its thread while a second erasure takes it is stored redacted', async () => {
  const { mark, stored, prefix } = marks();
  const { seller, customer_ref, ofProduct } = await shop(mark, `${prefix}_alias`);
  await erase(seller, customer_ref);
  const waiting = (count: number) =>
    expect
      .poll(
        async () =>
          (
            await asOwner<{ count: number }>(
              app,
              "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          )[0]?.count,
        { timeout: 20_000 },
      )
      .toBe(count);
  const sent: Promise<unknown>[] = [];
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from message_thread where thread_id = $1 for update', [ofProduct]);
    sent.push(erase(seller, customer_ref, SECOND));
    await waiting(1);
    sent.push(tell(app, message(app, seller, ofProduct, { from: null, text: mark('waits') }, LATE)));
    await waiting(2);
    await client.query('commit');
  });
  expect(await Promise.all(sent)).toMatchObject([[{ status: 'applied' }], ['applied']]);
  expect(await stored()).toEqual([]);
  expect((await messagesOf(seller, ofProduct))[0]).toMatchObject({
    text: null,
    redacted: { reason: 'erasure' },
  });
});

test('a thread that continues one of an erased buyer is found by a second erasure', async () => {
  const { mark, used, stored, prefix } = marks();
  const found = await shop(mark, `${prefix}_alias`);
  let { seller } = found;
  await erase(seller, found.customer_ref);
  await apply(app, orderEvent(app, seller, 'thread.updated', found.ofProduct, { status: 'closed' }, BETWEEN));
  await asOwner(
    app,
    "update message_thread set closed_at = now() - interval '1000 days' where thread_id = $1",
    [found.ofProduct],
  );
  for (const text of ['continues', 'goes on'])
    await apply(app, message(app, seller, found.ofProduct, { from: null, text: mark(text) }, LATE));
  const [next] = await threadsOf(seller, `?product_id=${found.product_id}`);
  expect(next).toMatchObject({ previous_thread_id: found.ofProduct, message_count: 2, buyer: null });
  expect(await stored()).toEqual(used.slice(-2));
  seller = await seller.renew();
  await erase(seller, found.customer_ref, SECOND);
  expect(await stored()).toEqual([]);
});

test('the reach of an erasure ends with its memory, 90 days after the request', async () => {
  const { mark, used, stored, prefix } = marks();
  const alias = `${prefix}_alias`;
  const found = await shop(mark, alias);
  await erase(found.seller, found.customer_ref);
  const days = async (count: number) => {
    const now = new Date(Date.parse(START) + count * 86_400_000).toISOString();
    await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
    await app.app.services.jobs.runDue();
  };
  await days(89);
  await apply(app, message(app, found.seller, found.ofProduct, { text: mark('after 89 days') }));
  expect(await erase(found.seller, found.customer_ref, { time: '2026-09-28T02:00:00Z' })).toMatchObject([
    { status: 'applied' },
  ]);
  expect(await stored()).toEqual([]);
  await days(89 + 92);
  await apply(app, message(app, found.seller, found.ofProduct, { text: mark('much later') }));
  expect(await erase(found.seller, found.customer_ref, { time: '2027-01-01T00:00:00Z' })).toMatchObject([
    { status: 'applied', warnings: ['buyer_unknown'] },
  ]);
  expect(await stored()).toEqual(used.slice(-1));
});
