/** The inbox of several sellers, requests at the same time, figures, erasure. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import {
  act,
  asked,
  codeOf,
  conversation,
  message,
  messagesOf,
  say,
  tell,
  thread,
  threadsOf,
  typesOf,
} from '../../../../test/support/conversations.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';

const app = await startTestApp();
let seller: TestSeller;
let sku: string;
beforeAll(async () => {
  seller = await app.seller({ plan: 'Big' });
  ({ sku } = await stocked(seller, 50));
});
const talk = (data: object = {}) => conversation(app, seller, [{ sku, quantity: 1 }], data);

test('another seller sees and changes nothing', async () => {
  const { thread_id } = await talk();
  const [found] = await messagesOf(seller, thread_id);
  const stranger = await app.seller();
  const { attachment_id } = (
    await seller.call<{ attachment_id: string }>('POST', '/messages/attachments', {
      body: Buffer.from('Secret'),
      headers: { 'content-type': 'text/plain' },
    })
  ).body;
  for (const path of [
    `threads/${thread_id}`,
    `threads/${thread_id}/messages`,
    `attachments/${attachment_id}/content`,
  ])
    expect((await stranger.call('GET', `/messages/${path}`)).status).toBe(404);
  for (const [path, json] of [
    ['messages', { text: 'Hello' }],
    ['read', { up_to_message_id: null }],
    ['close', {}],
    ['reopen', {}],
    ['no-reply-needed', {}],
    [`messages/${found?.message_id}/report`, { reason: 'spam' }],
  ] as const)
    expect([path, (await act(stranger, thread_id, path, json)).status]).toEqual([path, 404]);
  const own = await placeOrder(app, stranger, [{ title: 'Mug' }]);
  const mine = await asked(app, stranger, own);
  const used = await say(stranger, mine.thread_id, 'See', { attachment_ids: [attachment_id] });
  expect(typesOf(used)[0]?.[0]).toBe('attachment_not_usable');
  expect(
    codeOf(await act(stranger, mine.thread_id, 'read', { up_to_message_id: found?.message_id })),
  ).toEqual([404, 'not_found']);
  expect((await threadsOf(stranger)).length).toBe(1);
});

describe('at the same time', () => {
  test('two replies, a reply and a closing, a reply and a question leave one turn at most and lose nothing', async () => {
    for (const rival of ['reply', 'close', 'question'] as const) {
      const { thread_id } = await talk();
      if (rival === 'close') await say(seller, thread_id, 'First');
      const [mine, other] = await Promise.all([
        say(seller, thread_id, 'Mine'),
        rival === 'question'
          ? tell(app, message(app, seller, thread_id)).then(([status]) => ({
              status: status === 'applied' ? 200 : 500,
            }))
          : rival === 'reply'
            ? say(seller, thread_id, 'Also mine')
            : act(seller, thread_id, 'close'),
      ]);
      expect([rival, mine.status, other.status < 300]).toEqual([rival, 201, true]);
      const after = await thread(seller, thread_id);
      const kept = await messagesOf(seller, thread_id);
      expect([rival, after.message_count]).toEqual([rival, kept.length]);
      const open = await asOwner(
        app,
        "select turn_no from thread_turn where thread_id = $1 and outcome = 'open'",
        [thread_id],
      );
      expect([rival, open.length]).toEqual([rival, after.waiting_on === 'seller' ? 1 : 0]);
    }
  });

  test('one message that is sent twice at once is stored once', async () => {
    const { thread_id, order_id } = await talk();
    const one = message(app, seller, order_id, { customer_ref: null, message_id: `m-${randomUUID()}` });
    const results = await Promise.all([1, 2, 3].map(() => tell(app, { ...one, id: randomUUID() })));
    expect(results.flat()).toEqual(['applied', 'applied', 'applied']);
    expect((await messagesOf(seller, thread_id)).length).toBe(2);
  });
});

describe('figures', () => {
  test('before the first message there is no report; the policy is that in force', async () => {
    const own = await app.seller();
    expect((await own.call<object>('GET', '/messages/metrics?window=7')).body).toMatchObject({
      ...{
        window: { from: expect.any(String), to: expect.any(String) },
        received: null,
        in_time_rate_bps: null,
        semantic_status: 'no_usable_report',
      },
    });
    expect((await own.call<object>('GET', '/messages/policy')).body).toMatchObject({
      ...{ version: 'default-1', response_minutes: 1440, thread_open_days: 90 },
    });
  });

  test('lists filter by direction, buyer, time and topic', async () => {
    const own = await app.seller();
    const id = await placeOrder(app, own, [{ title: 'Mug' }], {
      buyer: { alias: 'buyer_9f2', customer_ref: 'cus_77' },
    });
    const found = await asked(app, own, id, { topic: 'delivery' });
    await say(own, found.thread_id);
    const count = async (query: string) =>
      (await own.call<{ data: object[] }>('GET', `/messages${query}`)).body.data.length;
    const ever = '2000-01-01T00:00:00Z';
    expect([await count(''), await count('?direction=in'), await count('?direction=out')]).toEqual([2, 1, 1]);
    expect([await count(`?buyer_id=${found.buyer?.buyer_id}`), await count('?buyer_id=byr_none')]).toEqual([
      2, 0,
    ]);
    expect([await count(`?until=${ever}`), await count(`?since=${ever}&unread=true`)]).toEqual([0, 1]);
    expect(await threadsOf(own, `?topic=delivery&updated_since=${ever}`)).toHaveLength(1);
    const [page] = (
      await own.call<{ data: object[]; page: { next_cursor: string } }>('GET', '/messages?limit=1')
    ).body.data;
    expect(page).toBeDefined();
  });
});

test('a report has no card number and no character that changes the direction of text', async () => {
  const own = await app.seller();
  const order = await placeOrder(app, own, [{ title: 'Mug' }]);
  const { thread_id } = await asked(app, own, order, { customer_ref: null });
  const [found] = await messagesOf(own, thread_id);
  const report = (detail: string) =>
    act(own, thread_id, `messages/${found?.message_id}/report`, { reason: 'abuse', detail });
  for (const [detail, type] of [
    ['4111 1111 1111 1111', 'payment_card_number'],
    ['exe.\u202etxt', 'control_chars'],
  ] as const)
    expect(typesOf(await report(detail))).toEqual([[type, ['body', 'detail'], expect.anything()]]);
  expect((await report('It says: ring 0412 345 679')).status).toBe(202);
});

test('an erased buyer leaves the threads without texts, files and name, also in stored events', async () => {
  const own = await app.seller();
  const ref = randomUUID();
  const id = await placeOrder(app, own, [{ title: 'Mug' }], {
    buyer: { alias: 'buyer_gone', customer_ref: ref },
  });
  const { thread_id } = await asked(app, own, id, { customer_ref: ref, text: 'A very private matter' });
  await say(own, thread_id, 'We understand this');
  const notices = async () =>
    (await own.call<{ data: { object_id: string }[] }>('GET', '/notifications')).body.data;
  await expect.poll(notices).toContainEqual(expect.objectContaining({ object_id: thread_id }));
  await apply(
    app,
    orderEvent(app, own, 'buyer.erasure_requested', own.seller_id, {
      request_id: 'e-1',
      customer_ref: ref,
      requested_at: new Date(app.app.services.now()).toISOString(),
    }),
  );
  expect(await thread(own, thread_id)).toMatchObject({ buyer: null, message_count: 2 });
  expect(await messagesOf(own, thread_id)).toMatchObject([
    { text: null, redacted: { reason: 'erasure' } },
    { text: null, redacted: { reason: 'erasure' } },
  ]);
  const [stored] = await asOwner<{ all: string }>(
    app,
    'select string_agg(data::text, $2) as all from outbox where seller_id = $1',
    [own.seller_id, ' '],
  );
  for (const gone of ['very private', 'We understand', 'buyer_gone']) expect(stored?.all).not.toContain(gone);
  expect(JSON.stringify(await notices())).not.toContain('buyer_gone');
});

const SECRET = 'the blue door';
const buyerGone = async (own: TestSeller) => {
  const customer_ref = randomUUID();
  const order_id = await placeOrder(app, own, [{ title: 'Mug' }], {
    buyer: { alias: 'buyer_gone', customer_ref },
  });
  const request = { request_id: randomUUID(), customer_ref };
  const erasure = () => orderEvent(app, own, 'buyer.erasure_requested', own.seller_id, request);
  return { customer_ref, order_id, erasure };
};
const storedOf = async (own: TestSeller): Promise<string> => {
  const rows = await Promise.all(
    ['message_thread', 'thread_message', 'outbox', 'buyer', 'notification'].map((table) =>
      asOwner(app, `select to_jsonb(t)::text from ${table} t where seller_id = $1`, [own.seller_id]),
    ),
  );
  return JSON.stringify(rows);
};

test('late messages that name an erased buyer by alias, order or thread only are stored redacted', async () => {
  const own = await app.seller();
  const { product_id: product } = await stocked(own, 5);
  const { customer_ref, order_id, erasure } = await buyerGone(own);
  const threads = [];
  for (const subject of [order_id, product])
    threads.push(await asked(app, own, subject, { from: 'buyer_gone', customer_ref, text: SECRET }));
  await apply(app, erasure());
  const time = new Date(app.app.services.now() - 3_600_000).toISOString();
  const subjects = [order_id, ...threads.map(({ thread_id }) => thread_id)];
  for (const subject of subjects)
    for (const named of [{ from: 'buyer_gone' }, { from: null }, { role: 'marketplace' }])
      expect(
        await tell(app, message(app, own, subject, { customer_ref: null, text: SECRET, ...named }, { time })),
      ).toEqual(['applied']);
  const stored = await storedOf(own);
  expect([SECRET, 'buyer_gone'].filter((gone) => stored.includes(gone))).toEqual([]);
  const kept = await own.call<{ data: object[] }>('GET', '/messages?limit=100');
  expect(kept.body.data).toHaveLength(2 + 9);
});

test('what a person writes in a thread without a buyer is erased with the person', async () => {
  const own = await app.seller();
  const { product_id: product } = await stocked(own, 5);
  const { customer_ref, order_id, erasure } = await buyerGone(own);
  const erase = (data: object = {}) => {
    const event = erasure();
    return apply(app, { ...event, data: { ...(event['data'] as object), ...data } });
  };
  // The marketplace began the one thread; the buyer of the other one is erased.
  const begun = await asked(app, own, product, { role: 'marketplace', customer_ref: null, from: null });
  const erased = await asked(app, own, order_id, { from: 'buyer_gone', customer_ref });
  await erase({ requested_at: new Date(app.app.services.now() - 60_000).toISOString() });
  for (const { thread_id } of [begun, erased]) {
    expect((await thread(own, thread_id)).buyer).toBeNull();
    const again = { from: 'buyer_gone', customer_ref, text: SECRET };
    expect(await tell(app, message(app, own, thread_id, again))).toEqual(['applied']);
    expect((await thread(own, thread_id)).buyer).toMatchObject({ alias: 'buyer_gone' });
  }
  expect(await storedOf(own)).toContain(SECRET);
  await erase();
  const stored = await storedOf(own);
  expect([SECRET, 'buyer_gone'].filter((gone) => stored.includes(gone))).toEqual([]);
});

test('messages that come with the erasure leave no word', async () => {
  const own = await app.seller();
  for (let round = 0; round < 5; round += 1) {
    const { order_id, erasure } = await buyerGone(own);
    const time = new Date(app.app.services.now() - 1_000).toISOString();
    const unnamed = () =>
      message(app, own, order_id, { customer_ref: null, from: null, text: SECRET }, { time });
    const all = [unnamed(), unnamed(), erasure(), unnamed(), unnamed()];
    await Promise.all(all.map((event) => app.events(event)));
    expect((await storedOf(own)).includes(SECRET)).toBe(false);
  }
});
