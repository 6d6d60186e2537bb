/** Threads through the API: what buyers and sellers write, and what becomes of it. */
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
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  eventTypesOf,
  orderEvent,
  placeOrder,
  post,
  shipAll,
  stocked,
  TRACKING,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';

const app = await startTestApp();
let seller: TestSeller;
let sku: string;
let product_id: string;
beforeAll(async () => {
  seller = await app.seller({ plan: 'Big' });
  ({ sku, product_id } = await stocked(seller, 50));
});
const talk = (data: object = {}) => conversation(app, seller, [{ sku, quantity: 1 }], data);

test('a message of a buyer makes an unread thread with a deadline, which the summary counts', async () => {
  const own = await app.seller();
  const id = await placeOrder(app, own, [{ title: 'Mug' }]);
  const found = await asked(app, own, id, { customer_ref: null, from: null });
  expect(found).toMatchObject({
    ...{ status: 'open', waiting_on: 'seller', unread_count: 1, message_count: 1, locked: false },
    ...{ subject: { kind: 'order', order_id: id, product_id: null }, topic: 'other' },
    allowed_actions: ['reply', 'no_reply_needed'],
  });
  expect((await own.call<object>('GET', '/messages/summary')).body).toMatchObject({
    ...{ threads_unread: 1, messages_unread: 1, waiting_on_seller: 1, overdue: 0 },
  });
  const read = await act(own, found.thread_id, 'read', { up_to_message_id: null });
  expect(read.body.unread_count).toBe(0);
  expect(await threadsOf(own, '?unread=true')).toEqual([]);
  expect(
    (await threadsOf(own, `?unread=false&waiting_on=seller&order_id=${id}&status=open&overdue=false`)).length,
  ).toBe(1);
});

test('a decision with If-Match is about the messages that its maker has seen', async () => {
  const { thread_id } = await talk();
  const path = `/messages/threads/${thread_id}`;
  const seen = (await seller.call('GET', path)).headers.get('etag') ?? '';
  await tell(app, message(app, seller, thread_id, { text: 'It is broken, too.' }));
  const decide = (verb: string, json = {}, etag = seen) =>
    seller.call<{ code: string }>('POST', `${path}/${verb}`, { json, headers: { 'if-match': etag } });
  const late = [await decide('no-reply-needed'), await decide('messages', { text: 'It left today.' })];
  expect(late.map(codeOf)).toEqual([
    [412, 'precondition_failed'],
    [412, 'precondition_failed'],
  ]);
  expect((await thread(seller, thread_id)).waiting_on).toBe('seller');
  const now = (await seller.call('GET', path)).headers.get('etag') ?? '';
  expect((await decide('no-reply-needed', {}, now)).status).toBe(200);
});

test('a reply ends the turn and reaches the marketplace once, also when it is repeated with its key', async () => {
  const { thread_id } = await talk();
  const headers = { 'idempotency-key': randomUUID() };
  const path = `/messages/threads/${thread_id}/messages`;
  const json = { text: '  It left today. ' };
  const first = await seller.call<{ message_id: string; text: string }>('POST', path, { json, headers });
  const again = await seller.call<{ message_id: string }>('POST', path, { json, headers });
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({
    text: 'It left today.',
    status: 'queued',
    origin: 'seller',
    masked: [],
  });
  expect(again.body).toEqual(first.body);
  const sent = (await marketplaceEvents(app, seller, 'message.sent', 1)).filter(
    ({ data }) => data.object['thread_id'] === thread_id,
  );
  expect(sent).toHaveLength(1);
  expect(sent[0]?.data.object).toMatchObject({ message: first.body, waiting_on: 'buyer' });
  expect(await thread(seller, thread_id)).toMatchObject({
    waiting_on: 'buyer',
    turn: { outcome: 'in_time' },
  });
});

describe('the text of a seller', () => {
  test('with contact data is refused with its place, nothing is sent; rehearsed it is refused alike', async () => {
    const { thread_id } = await talk();
    const text = 'Call 0412 345 679 or mail a@b.com.au';
    const expected = [
      ['contact_phone', ['body', 'text'], { start: 5, end: 17 }],
      ['contact_email', ['body', 'text'], { start: 26, end: 36 }],
    ];
    const refused = await say(seller, thread_id, text);
    expect([refused.status, typesOf(refused)]).toEqual([422, expected]);
    const rehearsed = await act(seller, thread_id, 'messages?dry_run=true', { text });
    expect([rehearsed.status, typesOf(rehearsed)]).toEqual([422, expected]);
    const fine = await act(seller, thread_id, 'messages?dry_run=true', { text: 'It left today.' });
    expect(fine.status).toBe(201);
    for (const [bad, type] of [
      ['see evil.com', 'contact_url'],
      ['4111 1111 1111 1111', 'payment_card_number'],
      ['a\u202eb', 'control_chars'],
      [' \n', 'string_too_short'],
      ['a'.repeat(4_001), 'string_too_long'],
    ] as const)
      expect([bad.slice(0, 20), typesOf(await say(seller, thread_id, bad))[0]?.[0]]).toEqual([
        bad.slice(0, 20),
        type,
      ]);
    expect((await messagesOf(seller, thread_id)).length).toBe(1);
    expect(await eventTypesOf(app, seller, thread_id)).toEqual(['message.received']);
  });

  test('may name the order, its SKU and the tracking number of its parcel, and link to the carrier', async () => {
    const { thread_id, order_id } = await talk();
    await post(seller, `${order_id}/accept`);
    await shipAll(seller, order_id);
    const { tracking_number } = TRACKING;
    const link = `https://auspost.com.au/mypost/track/details/${tracking_number}`;
    const sent = await say(
      seller,
      thread_id,
      `${sku} of ${order_id} has ${tracking_number}: ${link}, 20.00 AUD`,
    );
    expect(sent.status).toBe(201);
  });
});

test('a buyer’s telephone number is in no answer, event or table', async () => {
  const secret = '0491 570 156';
  const { thread_id } = await talk({ text: `Ring ${secret} or mia@example.com`, topic: 'delivery' });
  const [found] = await messagesOf(seller, thread_id);
  expect(found).toMatchObject({
    text: 'Ring [phone removed] or [email removed]',
    masked: ['email', 'phone'],
  });
  const tables = await asOwner<{ name: string }>(
    app,
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
    [],
  );
  for (const { name } of tables) {
    const rows = await asOwner(app, `select from ${name} t where t::text like '%${secret}%' limit 1`, []);
    expect([name, rows.length]).toEqual([name, 0]);
  }
});

test('automatic messages and those of the marketplace open and end no turn', async () => {
  const { thread_id } = await talk();
  expect(await tell(app, message(app, seller, thread_id, { automatic: true, text: 'We are away' }))).toEqual([
    'applied',
  ]);
  expect(
    await tell(app, message(app, seller, thread_id, { role: 'marketplace', text: 'Please answer' })),
  ).toEqual(['applied']);
  expect(await thread(seller, thread_id)).toMatchObject({
    waiting_on: 'seller',
    message_count: 3,
    turn: { turn_no: 1 },
  });
  await say(seller, thread_id);
  await tell(app, message(app, seller, thread_id, { role: 'marketplace', text: 'Thank you' }));
  expect(await thread(seller, thread_id)).toMatchObject({ waiting_on: 'buyer', turn: { turn_no: 1 } });
  expect((await messagesOf(seller, thread_id)).map(({ origin }) => origin)).toEqual([
    ...['marketplace', 'seller', 'marketplace', 'automatic', 'buyer'],
  ]);
});

test('the fourth message in a row waits for the buyer; a rejected one does not count', async () => {
  const { thread_id } = await talk();
  let last = '';
  for (const text of ['One', 'Two', 'Three']) last = (await say(seller, thread_id, text)).body.message_id;
  expect(codeOf(await say(seller, thread_id, 'Four'))).toEqual([409, 'awaiting_buyer_reply']);
  expect((await thread(seller, thread_id)).allowed_actions).toEqual(['close']);
  await tell(app, orderEvent(app, seller, 'message.moderated', last, { decision: 'rejected' }));
  expect((await say(seller, thread_id, 'Four')).status).toBe(201);
  await tell(app, message(app, seller, thread_id));
  expect((await say(seller, thread_id, 'Five')).status).toBe(201);
});

test('a thread with an open turn is not closed; after "no reply needed" it is, and can be opened again', async () => {
  const { thread_id } = await talk();
  expect(codeOf(await act(seller, thread_id, 'close'))).toEqual([409, 'reply_expected']);
  expect(codeOf(await act(seller, thread_id, 'reopen'))).toEqual([409, 'invalid_transition']);
  expect((await act(seller, thread_id, 'no-reply-needed')).body).toMatchObject({
    ...{ waiting_on: 'nobody', respond_by: null, turn: { outcome: 'no_reply_needed' } },
    allowed_actions: ['reply', 'close'],
  });
  expect(codeOf(await act(seller, thread_id, 'no-reply-needed'))).toEqual([409, 'invalid_transition']);
  const closed = await act(seller, thread_id, 'close');
  expect([closed.status, closed.body.status]).toEqual([200, 'closed']);
  expect((await act(seller, thread_id, 'reopen')).body).toMatchObject({
    status: 'open',
    waiting_on: 'nobody',
  });
  expect((await say(seller, thread_id, 'Anything else?', { close: true })).status).toBe(201);
  expect((await thread(seller, thread_id)).status).toBe('closed');
  expect((await asked(app, seller, thread_id)).waiting_on).toBe('seller');
});

describe('a thread that the seller begins', () => {
  const start = (json: object, query = '') =>
    seller.call<{ thread_id: string; code: string; message: object }>('POST', `/messages/threads${query}`, {
      json,
    });

  test('is about an order, one at a time with a buyer; the buyer’s answer joins it', async () => {
    const id = await placeOrder(app, seller, [{ sku, quantity: 1 }], {
      buyer: { alias: 'b', customer_ref: randomUUID() },
    });
    const body = { order_id: id, topic: 'delay', text: 'Your mug leaves tomorrow.' };
    expect((await start(body, '?dry_run=true')).status).toBe(201);
    const made = await start(body);
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        status: 'open',
        waiting_on: 'buyer',
        topic: 'delay',
        turn: null,
        message: { text: body.text, status: 'queued' },
      },
    ]);
    const second = await start(body);
    expect([second.status, second.body]).toMatchObject([
      409,
      { code: 'thread_exists', thread_id: made.body.thread_id },
    ]);
    const answer = message(app, seller, id, {
      customer_ref: null,
      from: 'b',
      thread_ref: 'conv-1',
      text: 'Thanks',
    });
    expect(await tell(app, answer)).toEqual(['applied']);
    expect(await thread(seller, made.body.thread_id)).toMatchObject({
      waiting_on: 'seller',
      message_count: 2,
    });
  });

  test('needs an order of the seller', async () => {
    const stranger = await app.seller();
    const id = await placeOrder(app, stranger, [{ title: 'Mug' }]);
    for (const order_id of [id, 'ord_unknown'])
      expect(codeOf(await start({ order_id, topic: 'delay', text: 'Hello' }))).toEqual([404, 'not_found']);
  });
});

test('a report reaches the marketplace, once', async () => {
  const { thread_id } = await talk();
  const [found] = await messagesOf(seller, thread_id);
  const path = `messages/${found?.message_id}/report`;
  expect((await act(seller, thread_id, path, { reason: 'abuse', detail: 'Threats' })).status).toBe(202);
  expect(codeOf(await act(seller, thread_id, path, { reason: 'abuse' }))).toEqual([409, 'already_reported']);
  const [told] = (await marketplaceEvents(app, seller, 'message.reported', 1)).slice(-1);
  expect(told?.data.object).toMatchObject({ thread_id, report: { reason: 'abuse', detail: 'Threats' } });
});

describe('files', () => {
  const upload = (text = '<3 Packed with care') =>
    seller.call<{ attachment_id: string; code: string }>('POST', '/messages/attachments?filename=note.txt', {
      body: Buffer.from(text),
      headers: { 'content-type': 'text/plain' },
    });

  test('are uploaded first, belong to one message, and come back with their headers', async () => {
    const { thread_id } = await talk();
    const { attachment_id } = (await upload()).body;
    const sent = await say(seller, thread_id, 'See the note.', { attachment_ids: [attachment_id] });
    expect(sent.body.attachments).toMatchObject([{ attachment_id, filename: 'note.txt', status: 'used' }]);
    const again = await say(seller, thread_id, 'See the note.', { attachment_ids: [attachment_id] });
    expect(typesOf(again)[0]?.slice(0, 2)).toEqual(['attachment_not_usable', ['body', 'attachment_ids', 0]]);
    const file = await seller.call('GET', `/messages/attachments/${attachment_id}/content`);
    expect([file.text, file.headers.get('x-content-type-options')]).toEqual([
      '<3 Packed with care',
      'nosniff',
    ]);
    await asOwner(app, "update attachment set refused = 'attachment_expired' where attachment_id = $1", [
      attachment_id,
    ]);
    const gone = await seller.call<{ code: string }>('GET', `/messages/attachments/${attachment_id}/content`);
    expect(codeOf(gone)).toEqual([410, 'attachment_expired']);
  });

  test('are no markup', async () => {
    for (const text of ['<svg onload="x()">', '\ufeff \n<!-- x -->', '<?xml version="1.0"?>'])
      expect(codeOf(await upload(text))).toEqual([415, 'attachment_kind_unsupported']);
  });

  test('of a buyer come with the message', async () => {
    const query = `seller_id=${seller.seller_id}&filename=photo.txt&external_id=${randomUUID()}`;
    const put = await callInternal(app, 'POST', `/internal/v1/attachments?${query}`, {
      body: 'Broken',
      type: 'text/plain',
    });
    const id = String(put.body?.['attachment_id']);
    const { thread_id } = await talk({ attachments: [id] });
    expect((await messagesOf(seller, thread_id))[0]?.attachments).toMatchObject([{ attachment_id: id }]);
    expect(await tell(app, message(app, seller, thread_id, { attachments: ['att_unknown'] }))).toEqual([
      'attachment_not_found',
    ]);
  });
});

describe('events', () => {
  test('an addition is stored once; its id with other content is refused; what it names must be known', async () => {
    const { thread_id } = await talk();
    const one = message(app, seller, thread_id, { message_id: 'm-once', text: 'Twice' });
    expect(await tell(app, one)).toEqual(['applied']);
    expect(await tell(app, { ...one, id: randomUUID() })).toEqual(['applied']);
    expect(await tell(app, message(app, seller, thread_id, { message_id: 'm-once', text: 'Other' }))).toEqual(
      ['id_reused'],
    );
    expect((await messagesOf(seller, thread_id)).length).toBe(2);
    const unknown = ['ord_none', 'thr_none', 'prd_none'].map((id) => message(app, seller, id));
    expect(await tell(app, ...unknown)).toEqual(['order_not_found', 'thread_not_found', 'product_not_found']);
    const wrong = [
      message(app, seller, thread_id, { text: '\u0007' }),
      message(app, { ...seller, seller_id: 'slr_none' }, thread_id),
      orderEvent(app, seller, 'message.moderated', 'msg_none', { decision: 'held' }),
      orderEvent(app, seller, 'thread.updated', 'thr_none', { status: 'closed' }),
    ];
    expect(await tell(app, ...wrong)).toEqual([
      ...['data_invalid', 'seller_not_found', 'message_not_found', 'thread_not_found'],
    ]);
  });

  test('a question about a product is a thread of its own', async () => {
    const found = await asked(app, seller, product_id, {
      customer_ref: randomUUID(),
      text: `Is ${sku} blue?`,
    });
    expect(found).toMatchObject({
      subject: { kind: 'product', order_id: null, product_id },
      waiting_on: 'seller',
    });
  });

  test('moderation follows the newest decision and refuses impossible ones', async () => {
    const { thread_id } = await talk();
    const { message_id } = (await say(seller, thread_id)).body;
    const decide = (decision: string, at: number) =>
      orderEvent(
        app,
        seller,
        'message.moderated',
        message_id,
        { decision },
        { time: new Date(at).toISOString() },
      );
    const now = app.app.services.now();
    expect(
      await tell(app, decide('removed', now + 3), decide('delivered', now + 2), decide('held', now + 1)),
    ).toEqual([...['invalid_transition', 'applied', 'stale']]);
    expect(await tell(app, decide('removed', now + 3))).toEqual(['applied']);
    expect((await messagesOf(seller, thread_id))[0]).toMatchObject({ message_id, status: 'removed' });
  });

  test('what the marketplace closes needs no answer, and does not go back to the marketplace', async () => {
    const { thread_id } = await talk();
    expect(
      await tell(app, orderEvent(app, seller, 'thread.updated', thread_id, { status: 'closed' })),
    ).toEqual(['applied']);
    expect(await thread(seller, thread_id)).toMatchObject({
      status: 'closed',
      turn: { outcome: 'withdrawn' },
    });
    await act(seller, thread_id, 'reopen');
    const told = await eventually(
      async () =>
        (await marketplaceEvents(app, seller, 'thread.updated', 0)).filter(
          ({ data }) => data.object['thread_id'] === thread_id,
        ),
      ({ length }) => length > 0,
    );
    expect(told).toMatchObject([{ data: { object: { status: 'open', changed_by: 'seller' } } }]);
  });
});
