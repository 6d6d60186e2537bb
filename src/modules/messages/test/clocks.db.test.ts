/** The deadlines of answers, to the millisecond. Good Friday is 3 April 2026, and the clock is set back on 5 April. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { act, asked, messagesOf, moveTo, say, tell, thread } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { eventTypesOf, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { DEFAULT_POLICY } from '../../../platform/service-policy/policy.ts';

const LINES = [{ title: 'Mug' }];
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-04-02T04:00:00.000Z' });
const sellers = await Promise.all([0, 1, 2, 3].map(() => app.seller()));
const ids = await Promise.all(sellers.map((seller) => placeOrder(app, seller, LINES)));
const threads = await Promise.all(sellers.map((seller, index) => asked(app, seller, ids[index] ?? '')));
const fresh = (index: number): Promise<TestSeller> => (sellers[index] as TestSeller).renew();
const idOf = (index: number): string => threads[index]?.thread_id ?? '';
interface Notice {
  readonly type: string;
  readonly object_id: string;
  readonly acknowledged_by: string | null;
  readonly href: string;
}
const notices = async (seller: TestSeller, id: string): Promise<Notice[]> =>
  (await seller.call<{ data: Notice[] }>('GET', '/notifications')).body.data.filter(
    ({ object_id }) => object_id === id,
  );

test('the turn of a Thursday afternoon is due after Easter, and keeps its deadline when the buyer writes again', async () => {
  expect(threads[0]).toMatchObject({
    ...{ status: 'open', waiting_on: 'seller', unread_count: 1, respond_by: '2026-04-07T05:00:00.000Z' },
    turn: { turn_no: 1, outcome: 'open', status: 'running', target_minutes: 1440, used_minutes: 0 },
  });
  const again = await asked(app, await fresh(0), ids[0] ?? '');
  expect(again).toMatchObject({
    thread_id: idOf(0),
    respond_by: '2026-04-07T05:00:00.000Z',
    unread_count: 2,
  });
});

test('a reply in the morning is in time', async () => {
  await moveTo(app, '2026-04-07T00:00:00.000Z');
  const seller = await fresh(1);
  expect((await say(seller, idOf(1))).status).toBe(201);
  expect(await thread(seller, idOf(1))).toMatchObject({
    ...{ waiting_on: 'buyer', respond_by: null },
    turn: { outcome: 'in_time', status: 'met', used_minutes: 1140 },
  });
});

test('the warning comes at its instant, once, and not to who has answered', async () => {
  await moveTo(app, '2026-04-07T00:59:59.999Z');
  expect(await eventTypesOf(app, sellers[0] as TestSeller, idOf(0))).not.toContain('thread.response_due');
  await moveTo(app, '2026-04-07T01:00:00.000Z');
  expect(await eventTypesOf(app, sellers[0] as TestSeller, idOf(0))).toEqual([
    'message.received',
    'message.received',
    'thread.response_due',
  ]);
  expect(await eventTypesOf(app, sellers[1] as TestSeller, idOf(1))).toEqual([
    'message.received',
    'message.sent',
  ]);
});

test('at the deadline the thread is overdue, and an answer at that instant is in time, a millisecond later late', async () => {
  await moveTo(app, '2026-04-07T05:00:00.000Z');
  const punctual = await fresh(2);
  expect(await eventTypesOf(app, punctual, idOf(2))).toContain('thread.response_overdue');
  await say(punctual, idOf(2));
  expect((await thread(punctual, idOf(2))).turn).toMatchObject({ outcome: 'in_time', used_minutes: 1440 });
  await moveTo(app, '2026-04-07T05:00:00.001Z');
  const late = await fresh(3);
  const summary = (await late.call<object>('GET', '/messages/summary')).body;
  expect(summary).toEqual({
    ...{ threads_unread: 1, messages_unread: 1, waiting_on_seller: 1, due_within_4h: 0, overdue: 1 },
    oldest_waiting_at: '2026-04-02T04:00:00.000Z',
  });
  const open = await eventually(
    () => notices(late, idOf(3)),
    (found) => found.length === 3,
  );
  expect(open.map(({ type, acknowledged_by }) => [type, acknowledged_by])).toContainEqual([
    'thread.response_overdue',
    null,
  ]);
  await say(late, idOf(3));
  expect((await thread(late, idOf(3))).turn).toMatchObject({ outcome: 'late', status: 'breached' });
  const cleared = await eventually(
    () => notices(late, idOf(3)),
    (found) => found.filter(({ acknowledged_by }) => acknowledged_by === 'system').length === 3,
  );
  expect(cleared.find(({ type }) => type === 'thread.response_overdue')?.href).toBe(
    `/api/v1/messages/threads/${idOf(3)}`,
  );
  const missed = (await late.call<{ data: object[] }>('GET', '/messages/threads?missed=true')).body.data;
  expect(missed).toHaveLength(1);
  expect((await punctual.call<{ data: object[] }>('GET', '/messages/threads?missed=true')).body.data).toEqual(
    [],
  );
});

test('a rejected reply opens its turn again for four open hours, and a late answer stays late', async () => {
  await moveTo(app, '2026-04-07T08:00:00.000Z');
  const [early, late] = [await fresh(1), await fresh(3)];
  const reject = (seller: TestSeller, id: string) =>
    tell(
      app,
      orderEvent(app, seller, 'message.moderated', id, {
        decision: 'rejected',
        reasons: ['contact_information'],
      }),
    );
  const replyOf = async (seller: TestSeller, id: string) =>
    (await seller.call<{ data: { message_id: string }[] }>('GET', `/messages/threads/${id}/messages`)).body
      .data[0]?.message_id ?? '';
  expect(await reject(early, await replyOf(early, idOf(1)))).toEqual(['applied']);
  expect(await thread(early, idOf(1))).toMatchObject({
    ...{ waiting_on: 'seller', respond_by: '2026-04-07T12:00:00.000Z' },
    turn: { turn_no: 1, outcome: 'open' },
    allowed_actions: ['reply', 'no_reply_needed'],
  });
  expect(await reject(late, await replyOf(late, idOf(3)))).toEqual(['applied']);
  await moveTo(app, '2026-04-07T11:20:00.000Z');
  expect(await eventTypesOf(app, early, idOf(1))).toEqual([
    ...['message.received', 'message.sent', 'message.status_changed', 'thread.response_due'],
  ]);
  const again = await fresh(3);
  await say(again, idOf(3));
  expect((await thread(again, idOf(3))).turn).toMatchObject({ outcome: 'late' });
});

test('a message of a Saturday is due when Wednesday begins; a locked thread still gets messages, and no replies', async () => {
  const other = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-04-03T23:00:00.000Z' });
  const seller = await other.seller();
  const id = await placeOrder(other, seller, LINES);
  const { thread_id, respond_by } = await asked(other, seller, id);
  expect(respond_by).toBe('2026-04-07T14:00:00.000Z');
  expect(await tell(other, orderEvent(other, seller, 'thread.updated', thread_id, { locked: true }))).toEqual(
    ['applied'],
  );
  expect((await say(seller, thread_id)).body.code).toBe('thread_locked');
  expect((await asked(other, seller, id)).message_count).toBe(2);
  expect((await act(seller, thread_id, 'no-reply-needed')).body).toMatchObject({
    waiting_on: 'nobody',
    turn: { outcome: 'no_reply_needed' },
  });
});

test('the figures count the turns of the window', async () => {
  const other = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00.000Z' });
  let seller = await other.seller();
  const ask = async () => (await asked(other, seller, await placeOrder(other, seller, LINES))).thread_id;
  const opened: string[] = [];
  for (let n = 0; n < 22; n += 1) opened.push(await ask());
  const metrics = async () => (await seller.call<object>('GET', '/messages/metrics?window=7')).body;
  expect(await metrics()).toMatchObject({
    received: 0,
    in_time_rate_bps: null,
    semantic_status: 'insufficient_sample',
  });
  for (const id of opened.slice(0, 18)) await say(seller, id);
  for (const id of opened.slice(18, 20)) await act(seller, id, 'no-reply-needed');
  await moveTo(other, '2026-06-02T02:00:00.000Z');
  seller = await seller.renew();
  await say(seller, opened[20] ?? '');
  await moveTo(other, '2026-06-05T13:00:00.000Z');
  seller = await seller.renew();
  await ask();
  await moveTo(other, '2026-06-05T14:30:00.000Z');
  seller = await seller.renew();
  expect(await metrics()).toMatchObject({
    ...{
      window: { from: '2026-05-30', to: '2026-06-05' },
      received: 23,
      in_time: 18,
      late: 1,
      overdue_open: 1,
      pending: 1,
    },
    ...{ no_reply_needed: 2, withdrawn: 0, in_time_rate_bps: 9000, median_business_minutes: 0 },
    ...{ semantic_status: 'complete', facts_through_on: '2026-06-05', missing_components: [] },
  });
});

test('a turn keeps the policy of its opening, and the closed days of the seller do not stop it', async () => {
  const other = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00.000Z' });
  const seller = await other.seller();
  const closed = { closed_from: '2026-06-01', closed_to: '2026-06-30' };
  expect((await seller.call('PATCH', '/sellers/me/holiday', { json: closed })).status).toBe(200);
  const ask = async () => asked(other, seller, await placeOrder(other, seller, LINES));
  const { thread_id, respond_by } = await ask();
  expect(respond_by).toBe('2026-06-02T00:00:00.000Z');
  const fast = {
    ...{ ...DEFAULT_POLICY, version: 'fast', effective_from: '2026-06-01' },
    messages: { ...DEFAULT_POLICY.messages, response_minutes: 60 },
  };
  const event = orderEvent(other, { seller_id: '' }, 'service_policy.published', 'fast', fast);
  expect(await tell(other, { ...event, sellerid: null })).toEqual(['applied']);
  expect(await ask()).toMatchObject({
    respond_by: '2026-06-01T01:00:00.000Z',
    turn: { policy_version: 'fast', target_minutes: 60 },
  });
  expect(await thread(seller, thread_id)).toMatchObject({
    respond_by,
    turn: { policy_version: 'default-1', target_minutes: 1440 },
  });
});

test('a thread that was closed long ago is not continued; the buyer begins another one', async () => {
  const other = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00.000Z' });
  let seller = await other.seller();
  const order = await placeOrder(other, seller, LINES);
  const { thread_id } = await asked(other, seller, order);
  await say(seller, thread_id, 'Bye', { close: true });
  await moveTo(other, '2026-08-30T00:00:00.001Z');
  seller = await seller.renew();
  for (const refused of [await say(seller, thread_id), await act(seller, thread_id, 'reopen')])
    expect(refused.body).toMatchObject({
      code: 'contact_window_passed',
      contact_until: '2026-08-30T00:00:00.000Z',
    });
  expect((await thread(seller, thread_id)).allowed_actions).toEqual([]);
  const next = await asked(other, seller, thread_id);
  expect(next).toMatchObject({ previous_thread_id: thread_id, waiting_on: 'seller' });
  expect(next.thread_id).not.toBe(thread_id);
  expect((await asked(other, seller, thread_id)).thread_id).toBe(next.thread_id);
});

test('texts and files are deleted long after the newest message; turns stay', async () => {
  const kept = await startTestApp({
    ...{ CLOCK: 'manual', CLOCK_START: '2026-04-02T04:00:00.000Z', CONVERSATION_RETENTION_DAYS: '3' },
  });
  let seller = await kept.seller();
  const order = await placeOrder(kept, seller, LINES);
  const { thread_id } = await asked(kept, seller, order, { text: 'Is it blue?' });
  const file = await seller.call<{ attachment_id: string }>('POST', '/messages/attachments', {
    ...{ body: 'A note', headers: { 'content-type': 'text/plain' } },
  });
  const { attachment_id } = file.body;
  const content = `/messages/attachments/${attachment_id}/content`;
  expect((await say(seller, thread_id, 'It is green.', { attachment_ids: [attachment_id] })).status).toBe(
    201,
  );
  const texts = async () => (await messagesOf(seller, thread_id)).map(({ text }) => text);
  await moveTo(kept, '2026-04-05T03:00:00.000Z');
  seller = await seller.renew();
  expect(await texts()).toEqual(['It is green.', 'Is it blue?']);
  expect((await seller.call('GET', content)).status).toBe(200);
  // A thread that gets a message is kept as a whole until that one is old.
  await asked(kept, seller, order, { text: 'And red?' });
  await moveTo(kept, '2026-04-07T06:00:00.000Z');
  seller = await seller.renew();
  expect(await texts()).toEqual(['And red?', 'It is green.', 'Is it blue?']);
  await moveTo(kept, '2026-04-10T00:00:00.000Z');
  seller = await seller.renew();
  expect((await messagesOf(seller, thread_id)).map(({ text, redacted }) => [text, redacted?.reason])).toEqual(
    Array(3).fill([null, 'retention']),
  );
  const gone = await seller.call<{ code: string }>('GET', content);
  expect([gone.status, gone.body.code]).toEqual([410, 'attachment_expired']);
  expect(await thread(seller, thread_id)).toMatchObject({ message_count: 3, turn: { turn_no: 2 } });
  await asked(kept, seller, order, { text: 'Hello?' });
  expect(await texts()).toEqual(['Hello?', null, null, null]);
  await moveTo(kept, '2026-04-14T00:00:00.000Z');
  seller = await seller.renew();
  expect(await texts()).toEqual([null, null, null, null]);
});
