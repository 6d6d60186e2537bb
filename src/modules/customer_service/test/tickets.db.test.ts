/** Tickets and their clocks, from Thursday 2 April 2026, 15:00 in Sydney on. Source: docs/design/customer-service.md. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asked } from '../../../../test/support/conversations.ts';
import {
  eventTypesOf,
  orderEvent,
  placeOrder,
  post as postOrder,
  shipAll,
  stocked,
  TRACKING,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { rated } from '../../../../test/support/reviews.ts';
import {
  CLAIM,
  clockOf,
  entriesOf,
  moveTo,
  opened,
  post,
  REQUEST,
  readTicket,
  request,
  tell,
} from '../../../../test/support/tickets.ts';

const THURSDAY = '2026-04-02T04:00:00.000Z';
const start = () => startTestApp({ CLOCK: 'manual', CLOCK_START: THURSDAY });
const app = await start();
const bought = async (seller: TestSeller, customer_ref = 'cus_1'): Promise<string> =>
  placeOrder(app, seller, [{ sku: (await stocked(seller, 5)).sku }], {
    buyer: { alias: 'mia', customer_ref },
  });
const enquiry = async (seller: TestSeller) =>
  opened(app, seller, { order_id: await bought(seller), topic: 'delivery' });

test('a request reaches the marketplace with its links, and the marketplace’s clocks run', async () => {
  const seller = await app.seller();
  const order_id = await bought(seller);
  const key = { 'idempotency-key': randomUUID() };
  const body = { ...REQUEST, links: { order_id, request_id: 'req_1' } };
  const made = await post(seller, '', body, key);
  expect([made.status, made.headers.get('x-api-stage')]).toEqual([201, 'beta']);
  expect(made.body).toMatchObject({
    ...{ kind: 'seller_request', status: 'pending_marketplace', waiting_on: 'marketplace', buyer: null },
    ...{ links: { order_id, request_id: 'req_1' }, allowed_actions: ['reply', 'resolve'] },
  });
  expect(clockOf(made.body, 'response')).toMatchObject({ obligated: 'marketplace', status: 'running' });
  expect(clockOf(made.body, 'resolution')).toMatchObject({ obligated: 'marketplace', status: 'running' });
  expect((await post(seller, '', body, key)).body.ticket_id).toBe(made.body.ticket_id);
  const told = await marketplaceEvents(app, seller, 'ticket.', 1);
  expect(told.map(({ data }) => data)).toMatchObject([
    { object: { links: { order_id }, entry: { text: REQUEST.text, author: 'seller' } } },
  ]);
  const read = await seller.call('GET', `/customer_service/tickets/${made.body.ticket_id}`);
  expect([read.headers.get('x-api-stage'), read.headers.get('cache-control')]).toEqual(['beta', 'no-store']);
});

test('links must be the seller’s; a card number is refused, an e-mail address is not', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const theirs = await bought(other);
  for (const links of [
    { order_id: theirs },
    { return_id: 'rtn_9' },
    { payout_id: 'po_1' },
    { invoice_id: 'i' },
  ])
    expect((await post(seller, '', { ...REQUEST, links })).status).toBe(404);
  const { thread_id } = await asked(app, seller, await bought(seller), { customer_ref: null });
  for (const links of [{ thread_id: 'thr_none' }, { thread_id }])
    expect((await post(other, '', { ...REQUEST, links })).status).toBe(404);
  const { rating_id } = await rated(app, seller, await bought(seller), { rating: 1 });
  expect((await post(other, '', { ...REQUEST, links: { rating_id } })).status).toBe(404);
  for (const links of [{ thread_id }, { rating_id }])
    expect((await post(seller, '', { ...REQUEST, links })).body['links']).toEqual(links);
  for (const links of [{ settlement_id: 's' }, { product_id: 'p' }, { feed_run_id: 'r' }])
    expect((await post(seller, '', { ...REQUEST, links })).status).toBe(404);
  const card = await post(seller, '', { ...REQUEST, text: 'My card is 4111 1111 1111 1111' });
  expect([card.status, card.body['detail']]).toMatchObject([
    422,
    [{ loc: ['body', 'text'], type: 'payment_card_number', ctx: { start: 11, end: 30 } }],
  ]);
  const inLink = await post(seller, '', { ...REQUEST, text: 'https://x.example/4111111111111111' });
  expect([inLink.status, inLink.body['detail']]).toMatchObject([422, [{ type: 'payment_card_number' }]]);
  expect((await post(seller, '', { ...REQUEST, text: 'Write to me@example.com' })).status).toBe(201);
  const told = async (data: object) => {
    const event = orderEvent(app, seller, 'ticket.opened', randomUUID(), { text: 'Hello', ...data });
    return (await app.events(event))[0]?.code;
  };
  expect(await told({ order_id: theirs })).toBe('order_not_found');
  expect(await told({ links: { shipment_id: 'shp_none' } })).toBe('shipment_not_found');
  expect(await told({ links: { thread_id: 'thr_none' } })).toBe('thread_not_found');
  expect(await told({ kind: 'claim' })).toBe('data_invalid');
  expect(await told({ respond_by: '9999-01-01T00:00:00Z' })).toBe('data_invalid');
  expect(await told({ attachments: ['att_none'] })).toBe('attachment_not_found');
});

test('the hundred and first unresolved request is refused, also when many come at once', async () => {
  const seller = await app.seller();
  for (let made = 0; made < 98; made += 14)
    await Promise.all(Array.from({ length: 14 }, () => request(seller)));
  const last = await Promise.all(Array.from({ length: 5 }, () => post(seller, '', REQUEST)));
  expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
  expect(last.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'ticket_limit', used: 100 });
});

test('the texts of a buyer are masked; those that a buyer reads are checked', async () => {
  const seller = await app.seller();
  const order_id = await bought(seller);
  const ticket = await opened(app, seller, {
    order_id,
    text: 'Call me: 0412 345 678',
    subject: 'a@b.com.au',
  });
  expect(ticket).toMatchObject({ kind: 'enquiry', subject: '[email removed]', buyer: { alias: 'mia' } });
  const [first] = await entriesOf(seller, ticket);
  expect(first).toMatchObject({ author: 'buyer', text: 'Call me: [phone removed]', masked: ['phone'] });
  const path = `/${ticket.ticket_id}/replies`;
  const refused = await post(seller, path, { text: 'Call 0412 345 679' });
  expect([refused.status, refused.body['detail']]).toMatchObject([422, [{ type: 'contact_phone' }]]);
  expect((await post(seller, `${path}?dry_run=true`, { text: 'It left today.' })).status).toBe(201);
  expect(await entriesOf(seller, ticket)).toHaveLength(1);
  expect((await post(seller, path, { text: `Order ${order_id} left today.` })).status).toBe(201);
});

test('an answer to a buyer may name what its order has, and link to the carrier', async () => {
  const seller = await app.seller();
  const order_id = await bought(seller);
  const ticket = await opened(app, seller, { order_id });
  await postOrder(seller, `${order_id}/accept`);
  await shipAll(seller, order_id);
  const { tracking_number } = TRACKING;
  const { external_order_id } = (await seller.call<Record<string, string>>('GET', `/orders/${order_id}`))
    .body;
  const text = `${external_order_id}: https://auspost.com.au/mypost/track/details/${tracking_number}`;
  expect((await post(seller, `/${ticket.ticket_id}/replies`, { text })).status).toBe(201);
  const second = await bought(seller);
  await postOrder(seller, `${second}/accept`);
  await shipAll(seller, second, undefined, { carrier: 'aramex', tracking_number: '0412345679' });
  const { ticket_id } = await opened(app, seller, { order_id: second });
  const phone = await post(seller, `/${ticket_id}/replies`, { text: 'Ring 0412 345 679' });
  expect([phone.status, phone.body['detail']]).toMatchObject([422, [{ type: 'contact_phone' }]]);
});

test('a reply is added once, older ones change no state, a newer one reopens', async () => {
  const seller = await app.seller();
  const ticket = await enquiry(seller);
  const data = { reply_id: randomUUID(), author: 'buyer', text: 'And?' };
  expect(await tell(app, seller, 'replied', ticket, data)).toBe('applied');
  expect(await tell(app, seller, 'replied', ticket, data)).toBe('applied');
  expect(await entriesOf(seller, ticket)).toHaveLength(2);
  expect(await tell(app, seller, 'replied', ticket, { ...data, waiting_on: 'buyer' })).toBe('id_reused');
  expect(await tell(app, seller, 'replied', ticket, { ...data, text: 'Or?' })).toBe('id_reused');
  expect(await tell(app, seller, 'replied', await request(seller), data)).toBe('id_reused');
  expect(await tell(app, seller, 'updated', ticket, { status: 'resolved' })).toBe('applied');
  const older = { time: '2026-04-01T00:00:00Z' };
  expect(await tell(app, seller, 'replied', ticket, { text: 'Late' }, older)).toBe('applied');
  expect((await readTicket(seller, ticket)).status).toBe('resolved');
  expect(await tell(app, seller, 'updated', ticket, { status: 'reopened' }, older)).toBe('stale');
  expect(await tell(app, seller, 'replied', ticket, { text: 'Not solved' })).toBe('applied');
  expect(await readTicket(seller, ticket)).toMatchObject({ status: 'pending_seller', resolved_at: null });
  expect(await tell(app, seller, 'replied', { ticket_id: 'T-none' }, {})).toBe('ticket_not_found');
  const other = await app.seller();
  expect(await tell(app, other, 'replied', ticket, {})).toBe('ticket_not_found');
});

test('an answer with If-Match is about the texts that its maker has seen', async () => {
  const seller = await app.seller();
  const ticket = await enquiry(seller);
  const seen = { 'if-match': `"${ticket.ticket_id}.${ticket.version}"` };
  expect(await tell(app, seller, 'replied', ticket, { author: 'buyer', text: 'It is broken.' })).toBe(
    'applied',
  );
  const answers = [
    await post(seller, `/${ticket.ticket_id}/resolve`, { resolution: 'solved' }, seen),
    await post(seller, `/${ticket.ticket_id}/replies`, { text: 'Thank you.' }, seen),
  ];
  expect(answers.map(({ status }) => status)).toEqual([412, 412]);
  expect((await readTicket(seller, ticket)).status).toBe('pending_seller');
});

test('two answers at once meet one response', async () => {
  const seller = await app.seller();
  const ticket = await enquiry(seller);
  const answers = await Promise.all(
    ['One', 'Two', 'Three'].map((text) => post(seller, `/${ticket.ticket_id}/replies`, { text })),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  await Promise.all(['a', 'b', 'c'].map((text) => tell(app, seller, 'replied', ticket, { text })));
  const { clocks } = await readTicket(seller, ticket);
  expect(clocks.filter(({ metric }) => metric === 'response').map(({ status }) => status)).toEqual([
    'met',
    'running',
  ]);
});

test('another seller’s ticket is 404 on every path', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const { ticket_id } = await request(seller);
  for (const [path, json] of [
    ['replies', { text: 'x' }],
    ['resolve', { resolution: 'solved' }],
    ['reopen', { text: 'x' }],
    ['escalate', { text: 'x' }],
    ['claim/respond', { text: 'x' }],
    ['claim/accept', {}],
    ['claim/appeal', { text: 'x' }],
  ] as const)
    expect((await post(other, `/${ticket_id}/${path}`, json)).status).toBe(404);
  for (const path of ['', '/entries'])
    expect((await other.call('GET', `/customer_service/tickets/${ticket_id}${path}`)).status).toBe(404);
  expect((await other.call<{ data: object[] }>('GET', '/customer_service/tickets')).body.data).toEqual([]);
});

test('a change needs the version, and only an own request has one', async () => {
  const seller = await app.seller();
  const ticket = await request(seller);
  const patch = (json: object, headers = {}) =>
    seller.call<{ code?: string }>('PATCH', `/customer_service/tickets/${ticket.ticket_id}`, {
      json,
      headers,
    });
  expect((await patch({ priority: 'high' }, { 'if-match': '"tkt_x.9"' })).status).toBe(412);
  expect((await patch({ priority: 'urgent' })).status).toBe(422);
  expect((await patch({ links: { order_id: 'ord_none' } })).status).toBe(404);
  expect((await patch({ priority: 'high' })).body).toMatchObject({ priority: 'high' });
  const theirs = await enquiry(seller);
  const path = `/customer_service/tickets/${theirs.ticket_id}`;
  expect((await seller.call('PATCH', path, { json: { priority: 'low' } })).body).toMatchObject({
    code: 'invalid_transition',
  });
});

test('the golden clocks of an enquiry', async () => {
  const own = await start();
  let seller = await own.seller();
  const { sku } = await stocked(seller, 5);
  const ticket = await opened(own, seller, { order_id: await placeOrder(own, seller, [{ sku }]) });
  expect(clockOf(ticket, 'response').due_at).toBe('2026-04-07T05:00:00.000Z');
  [seller = seller] = await moveTo(own, '2026-04-07T01:00:00Z', seller);
  await post(seller, `/${ticket.ticket_id}/replies`, { text: 'It left today.' });
  const answered = await readTicket(seller, ticket);
  expect(answered.status).toBe('pending_buyer');
  expect(clockOf(answered, 'response')).toMatchObject({ status: 'met', used_minutes: 240 });
  expect(clockOf(answered, 'resolution')).toMatchObject({
    status: 'paused',
    used_minutes: 240,
    due_at: null,
  });
  [seller = seller] = await moveTo(own, '2026-04-08T04:00:00Z', seller);
  await tell(own, seller, 'replied', ticket, { text: 'Where?' });
  const again = await readTicket(seller, ticket);
  expect(clockOf(again, 'response', 2).due_at).toBe('2026-04-09T04:00:00.000Z');
  expect(clockOf(again, 'resolution').due_at).toBe('2026-04-15T00:00:00.000Z');
  // An answer at the deadline is in time, one a millisecond later is not.
  [seller = seller] = await moveTo(own, '2026-04-09T04:00:00Z', seller);
  await post(seller, `/${ticket.ticket_id}/replies`, { text: 'In Perth.' });
  expect(clockOf(await readTicket(seller, ticket), 'response', 2).status).toBe('met');
  await tell(own, seller, 'replied', ticket, { text: 'When?' });
  const { due_at } = clockOf(await readTicket(seller, ticket), 'response', 3);
  const late = new Date(Date.parse(due_at ?? '') + 1).toISOString();
  [seller = seller] = await moveTo(own, late, seller);
  expect(clockOf(await readTicket(seller, ticket), 'response', 3).status).toBe('breached');
  const warned = (await eventTypesOf(own, seller, ticket.ticket_id)).filter((type) =>
    type.startsWith('ticket.sla'),
  );
  expect(warned).toEqual(['ticket.sla_due', 'ticket.sla_due', 'ticket.sla_breached']);
  await post(seller, `/${ticket.ticket_id}/replies`, { text: 'Tomorrow.' });
  const done = await readTicket(seller, ticket);
  expect(clockOf(done, 'response', 3)).toMatchObject({ status: 'breached' });

  // Resolved, its clocks stand still.
  await post(seller, `/${ticket.ticket_id}/resolve`, { resolution: 'solved' });
  const { clocks, closes_at } = await readTicket(seller, ticket);
  [seller = seller] = await moveTo(own, closes_at ?? '', seller);
  expect(await readTicket(seller, ticket)).toMatchObject({ status: 'resolved', clocks });
  [seller = seller] = await moveTo(
    own,
    new Date(Date.parse(closes_at ?? '') + 86_400_000).toISOString(),
    seller,
  );
  const reopened = await post(seller, `/${ticket.ticket_id}/reopen`, { text: 'Still' });
  expect([reopened.status, reopened.body.code]).toEqual([409, 'invalid_transition']);
  [seller = seller] = await moveTo(own, '2027-04-15T00:00:00Z', seller);
  expect(await readTicket(seller, ticket)).toMatchObject({ status: 'closed', clocks });
});

test('another priority breaches nothing; an overdue ticket is escalated once; on day 14 it reopens', async () => {
  const own = await start();
  let seller = await own.seller();
  const ticket = await request(seller, { priority: 'low' });
  const path = `/${ticket.ticket_id}`;
  expect((await post(seller, `${path}/escalate`, { text: 'Now' })).body.code).toBe('escalation_not_due');
  // 480 of 960 minutes are used, which is twice the target of high.
  [seller = seller] = await moveTo(own, '2026-04-07T05:00:00Z', seller);
  const patched = await seller.call<typeof ticket>('PATCH', `/customer_service/tickets${path}`, {
    json: { priority: 'high' },
  });
  expect(clockOf(patched.body, 'response')).toMatchObject({
    ...{ status: 'running', target_minutes: 540, due_at: '2026-04-07T06:00:00.000Z' },
  });
  [seller = seller] = await moveTo(own, '2026-04-07T06:00:00.001Z', seller);
  expect(clockOf(await readTicket(seller, ticket), 'response').status).toBe('breached');
  const escalated = await post(seller, `${path}/escalate`, { text: 'Too late' });
  expect(escalated.body).toMatchObject({ status: 'pending_marketplace', escalated_at: expect.any(String) });
  expect((await post(seller, `${path}/escalate`, { text: 'Again' })).body.code).toBe('escalation_not_due');
  const summary = await seller.call('GET', '/customer_service/summary');
  expect(summary.body).toMatchObject({ breached_by_marketplace: 1, breached_by_seller: 0 });

  await tell(own, seller, 'updated', ticket, { status: 'resolved', external_ticket_id: 'T-9' });
  [seller = seller] = await moveTo(own, '2026-04-21T06:00:00.001Z', seller);
  expect((await post(seller, `${path}/reopen`, { text: 'Still' })).body).toMatchObject({
    ...{ status: 'pending_marketplace', resolved_at: null, external_ticket_id: 'T-9' },
  });
  expect(clockOf(await readTicket(seller, ticket), 'response', 2).status).toBe('running');
  const metrics = await seller.call('GET', '/customer_service/metrics?window=90');
  expect(metrics.body).toMatchObject({
    ...{ semantic_status: 'insufficient_sample', facts_through_on: '2026-04-20' },
  });
});

test('the side that owes an answer settles the notices about its deadline, as a decision does', async () => {
  const own = await start();
  let seller = await own.seller();
  const ours = await request(seller);
  const theirs = await opened(own, seller, { kind: 'marketplace_request' });
  const claim = await opened(own, seller, {
    ...CLAIM,
    order_id: await placeOrder(own, seller, [{ title: 'Mug' }]),
  });
  [seller = seller] = await moveTo(own, '2026-04-20T06:00:00Z', seller);
  type Notice = { type: string; object_id: string; acknowledged_by: string | null };
  const open = async () => {
    const { body } = await seller.call<{ data: Notice[] }>('GET', '/notifications?limit=100');
    const late = body.data.filter(
      (notice) => notice.type === 'ticket.sla_breached' && notice.acknowledged_by === null,
    );
    return late.map(({ object_id }) => object_id).sort();
  };
  const all = [ours, theirs, claim].map(({ ticket_id }) => ticket_id).sort();
  await expect.poll(open).toEqual(all);
  for (const { ticket_id } of [ours, theirs]) await post(seller, `/${ticket_id}/replies`, { text: 'Here.' });
  await expect.poll(open).toEqual(all.filter((id) => id !== theirs.ticket_id));
  expect(await tell(own, seller, 'updated', claim, { claim: { decision: 'granted' } })).toBe('applied');
  await expect.poll(open).toEqual([ours.ticket_id]);
  expect(await tell(own, seller, 'replied', ours, { author: 'marketplace' })).toBe('applied');
  await expect.poll(open).toEqual([]);
});

test('lists take their filters', async () => {
  const seller = await app.seller();
  const asked = await enquiry(seller);
  const own = await request(seller, { priority: 'high' });
  const ids = async (query: string) =>
    (
      await seller.call<{ data: { ticket_id: string }[] }>('GET', `/customer_service/tickets?${query}`)
    ).body.data.map(({ ticket_id }) => ticket_id);
  expect(await ids('')).toEqual([own.ticket_id, asked.ticket_id]);
  expect(await ids('limit=1')).toEqual([own.ticket_id]);
  expect(await ids('status=pending_seller&status=resolved')).toEqual([asked.ticket_id]);
  expect(await ids('kind=seller_request&topic=settlement&priority=high')).toEqual([own.ticket_id]);
  expect(await ids('breached=true')).toEqual([]);
  expect(await ids('breached=false')).toHaveLength(2);
  expect(await ids(`order_id=${(asked['links'] as { order_id: string }).order_id}`)).toEqual([
    asked.ticket_id,
  ]);
  expect(await ids('updated_since=2030-01-01T00:00:00Z')).toEqual([]);
  const summary = await seller.call('GET', '/customer_service/summary');
  expect(summary.body).toMatchObject({
    open: { pending_seller: 1, pending_marketplace: 1, pending_buyer: 0 },
  });
});
