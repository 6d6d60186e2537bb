/**
 * After an erasure no answer, event, export, log line or table has anything of the buyer, whatever field brought it.
 * Source: docs/design/buyers.md#erasure.
 */
import { hash, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from './support/app.ts';
import { asOwner } from './support/audit.ts';
import { act, asked, message, messagesOf, say } from './support/conversations.ts';
import { dumpOf } from './support/dump.ts';
import { callInternal } from './support/internal.ts';
import { PDF, PHOTO } from './support/kyc.ts';
import { apply, orderEvent, placeOrder, post, type Shipment, stocked } from './support/orders.ts';
import { startReceiver } from './support/receiver.ts';
import { contest, decide, opinion, review } from './support/reviews.ts';
import { moveTo, opened, post as postTicket, tell } from './support/tickets.ts';
import { addEndpoint } from './support/webhook-seller.ts';

const lines: string[] = [];
const output = new Writable({
  write(line: Buffer, _encoding, done) {
    lines.push(line.toString('utf8'));
    done();
  },
});
const START = '2026-07-01T01:00:00Z';
const app = await startTestApp(
  { CLOCK: 'manual', CLOCK_START: START, LOG_LEVEL: 'debug', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
  output,
);
// It answers with what it was sent, as the error pages of some frameworks do.
const receiver = await startReceiver((response, { text: sent }) => response.writeHead(200).end(sent));

/** In every field that may say something of the buyer. */
const WORD = 'Quillfeather';
const REF = `cus_${WORD}`;
const PHONE = '0491570737';
const text = `I am ${WORD}, of 7 ${WORD} Street`;
/** The digest of a file that the buyer sent. */
const DIGEST = hash('sha256', text, 'hex');
const buyer = { alias: `${WORD}_99`, customer_ref: REF };
const ship_to = {
  ...{ name: `Mia ${WORD}`, company: `${WORD} Ltd`, line1: `7 ${WORD} Street`, line2: `Flat ${WORD}` },
  ...{ city: `${WORD}ton`, state: 'NSW', postcode: '2481', country: 'AU', phone: PHONE },
  ...{ email: `${WORD}@example.com`, delivery_note: text, authority_to_leave: true, gate_code: WORD },
};
const PACKAGE = { weight_g: 1_200, length_mm: 300, width_mm: 200, height_mm: 150 };

const event = (seller: TestSeller, type: string, subject: string, data: object) =>
  orderEvent(app, seller, type, subject, data);
const tellAll = (seller: TestSeller, ...told: readonly (readonly [string, string, object])[]) =>
  apply(app, ...told.map(([type, subject, data]) => event(seller, type, subject, data)));

async function sentFile(
  seller: TestSeller,
  body: string | Buffer<ArrayBuffer> = text,
  type = 'text/plain',
): Promise<string> {
  const query = new URLSearchParams({
    seller_id: seller.seller_id,
    filename: WORD,
    external_id: randomUUID(),
  });
  const response = await fetch(`${app.internalUrl}/internal/v1/attachments?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.internalToken}`, 'content-type': type },
    body,
  });
  return ((await response.json()) as { attachment_id: string }).attachment_id;
}

/** An accepted order whose parcel is on its way. */
async function shipped(seller: TestSeller) {
  const { sku } = await stocked(seller, 10);
  const order_id = await placeOrder(app, seller, [{ sku, quantity: 2 }], { buyer, ship_to });
  await post(seller, `${order_id}/accept`);
  const { body } = await post<Shipment>(seller, `${order_id}/shipments`, { packages: [PACKAGE] });
  const path = `${order_id}/shipments/${body.shipment_id}`;
  const own = { carrier: 'own', service: 'standard' };
  const label = await post<{ label: { label_id: string } }>(seller, `${path}/label`, own);
  const sent = await post(seller, `${path}/dispatch`);
  expect([label.status, sent.status, label.text]).toEqual([201, 200, expect.any(String)]);
  await tellAll(seller, [
    'shipment.tracking_updated',
    body.shipment_id,
    { status: 'in_transit', at: START, location: `${WORD}ton`, detail: text },
  ]);
  return { order_id, shipment_id: body.shipment_id, label_id: label.body.label.label_id };
}

/** What a buyer and the marketplace say about a delivered order, and what the seller answers. */
async function story(seller: TestSeller, { order_id, shipment_id }: Awaited<ReturnType<typeof shipped>>) {
  await tellAll(
    seller,
    ['shipment.delivered', shipment_id, {}],
    [
      'return.requested',
      order_id,
      { return_id: 'rtn_1', lines: [{ order_line_no: 1, quantity: 1, reason: text }] },
    ],
    [
      'refund.created',
      order_id,
      { refund_id: 'rf_1', lines: [{ order_line_no: 1, amount_minor: 100 }], reason: text },
    ],
    ['dispute.opened', order_id, { dispute_id: 'dp_1', amount_minor: 100, provider_fee_minor: 0 }],
  );
  expect((await post(seller, `${order_id}/returns/rtn_1/accept`, { detail: text })).status).toBe(200);

  const files = [
    await sentFile(seller),
    await sentFile(seller, Buffer.from(PHOTO), 'image/jpeg'),
    await sentFile(seller, Buffer.from(PDF), 'application/pdf'),
  ];
  const { thread_id } = await asked(app, seller, order_id, {
    ...{ from: buyer.alias, customer_ref: REF, text, attachments: files },
  });
  const [first] = await messagesOf(seller, thread_id);
  await act(seller, thread_id, `messages/${first?.message_id}/report`, { reason: 'abuse', detail: text });
  expect((await say(seller, thread_id, `Dear ${WORD}`)).status).toBe(201);
  await apply(app, message(app, seller, thread_id, { role: 'marketplace', text, customer_ref: null }));
  await tellAll(seller, ['thread.updated', thread_id, { status: 'closed', reason: text }]);

  const about = { order_id, customer_ref: REF, subject: text, text };
  const enquiry = await opened(app, seller, { ...about, attachments: [await sentFile(seller)] });
  await postTicket(seller, `/${enquiry.ticket_id}/replies`, { text: `Dear ${WORD}` });
  await tell(app, seller, 'replied', enquiry, { text });
  const claim = { type: 'not_received', amount_minor: 100, currency: 'AUD', filed_at: START };
  const filed = await opened(app, seller, { ...about, customer_ref: null, kind: 'claim', claim });
  await postTicket(seller, `/${filed.ticket_id}/claim/respond`, { text: `Dear ${WORD}` });
  const ours = {
    topic: 'return',
    subject: 'A return',
    text: 'What now?',
    links: { return_id: await returnOf(seller) },
  };
  const request = (await postTicket(seller, '', ours)).body;
  expect(await tell(app, seller, 'replied', request, { author: 'buyer', text })).toBe('applied');

  // Tickets that name the buyer by a thread about a product only.
  const { product_id } = await stocked(seller, 1);
  const links = await asked(app, seller, product_id, { from: buyer.alias, customer_ref: REF, text }).then(
    (thread) => ({ thread_id: thread.thread_id }),
  );
  const aboutThread = (await postTicket(seller, '', { ...ours, links })).body;
  expect(await tell(app, seller, 'replied', aboutThread, { author: 'buyer', text })).toBe('applied');
  const asksAgain = await opened(app, seller, { kind: 'enquiry', links, subject: text, text });

  await apply(
    app,
    review(app, seller, order_id, {
      review_id: 'rv-1',
      customer_ref: REF,
      rating: 1,
      text,
      title: text,
      media: [text],
    }),
    opinion(app, seller, order_id, { feedback_id: 'fb-1', customer_ref: REF, text, media: [text] }),
    opinion(app, seller, order_id, { feedback_id: 'fb-2', text }),
  );
  const listed = async (kind: string) =>
    (await seller.call<{ data: Record<string, string>[] }>('GET', `/reviews/${kind}`)).body.data;
  for (const [kind, id] of [
    ['ratings', (await listed('ratings'))[0]?.['rating_id']],
    ['feedback', (await listed('feedback'))[0]?.['feedback_id']],
  ] as const) {
    const { body } = await contest(seller, `${kind}/${id}`, { reason: 'other', detail: text });
    const decision = { status: 'declined', reason_code: 'no', detail: text };
    expect(await decide(app, seller, body, decision)).toBe('applied');
  }
  const points = { member_ref: 'mem_1', points: 100, order_id, funded_minor: 50 };
  await tellAll(
    seller,
    ['loyalty.earned', seller.seller_id, { transaction_id: 'pt-1', ...points }],
    ['loyalty.adjusted', seller.seller_id, { transaction_id: 'pt-2', ...points, reason: text }],
  );
  return {
    thread_ids: [thread_id, links.thread_id],
    tickets: [enquiry, filed, request, aboutThread, asksAgain],
  };
}
const returnOf = async (seller: TestSeller): Promise<string> =>
  (await seller.call<{ data: { return_id: string }[] }>('GET', '/orders/returns')).body.data[0]?.return_id ??
  '';

/** The places of the buyer in a text, with what stands around them. */
const placesIn = (all: string): string[] =>
  [...all.matchAll(new RegExp(`.{0,80}(?:${WORD}|${PHONE}|${DIGEST}).{0,40}`, 'gi'))].map(([place]) => place);

/** What PostgreSQL keeps of the values of columns, also of rows that are gone. */
async function statisticsOf(): Promise<string> {
  const rows = await asOwner<{ text: string }>(
    app,
    'select s::text as text from pg_stats s union all select e::text from pg_stats_ext e',
  );
  return rows.map((row) => row.text).join('\n');
}

/** What the database has of the files of a seller's conversations, with their measures. */
const filesOf = ({ seller_id }: TestSeller) =>
  asOwner<Record<string, unknown>>(
    app,
    "select * from attachment where seller_id = $1 and use = 'conversation' order by attachment_id",
    [seller_id],
  );

/** Everything that a seller or the marketplace can read about it. */
async function readAll(seller: TestSeller, ids: readonly string[]): Promise<string> {
  const paths = [
    ...['', '/returns', '/refunds', '/export?format=csv', '/returns/export?format=csv'].map(
      (path) => `/orders${path}`,
    ),
    ...['/orders/refunds/export?format=csv', '/shipping/manifests', '/shipping/labels', '/shipping/tracking'],
    ...[
      '/messages',
      '/messages/threads',
      '/customer_service/tickets',
      '/reviews/ratings',
      '/reviews/feedback',
    ],
    ...[
      '/reviews/contests',
      '/notifications?limit=100',
      '/webhooks/events?limit=200',
      '/loyalty/transactions',
    ],
    ...['/webhooks/deliveries?limit=200', '/audit/entries?limit=100', '/audit/export', '/financials/entries'],
    ...['/fees/transactions', '/fees/transactions/export/csv', '/profitability/skus', '/dashboard/summary'],
    ...['/payments/payouts/export/csv', '/financials/settlements/export/csv', '/customer-analytics/segments'],
    ...ids,
  ];
  const answers: string[] = [];
  for (const path of paths) {
    const { status, text: said } = await seller.call('GET', path);
    if (status >= 400 && status !== 410) throw new Error(`${path}: ${status} ${said}`);
    answers.push(said);
  }
  answers.push((await callInternal(app, 'GET', '/internal/v1/outbox?limit=1000')).text);
  return answers.join('\n');
}

test('an erasure leaves no word of a buyer in any field; money and counts stay', async () => {
  let seller = await app.seller({ plan: 'Big', address: true });
  await addEndpoint(seller, receiver.url, { event_types: ['*'], payload: 'full' });
  const [arrived, moving] = [await shipped(seller), await shipped(seller)];
  const rejected = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer, ship_to });
  await tellAll(
    seller,
    ['order.cancel_requested', rejected, { request_id: 'crq_1', reason: text }],
    ['order.cancelled', rejected, { by: WORD, reason: text, request_id: 'crq_1' }],
  );
  const { thread_ids, tickets } = await story(seller, arrived);
  const [thread_id = '', productThread = ''] = thread_ids;
  const [enquiry, , , aboutThread] = tickets;
  const manifest = await seller.call<{ manifest_id: string }>('POST', '/shipping/manifests', {
    json: { carrier: 'own' },
  });
  expect(manifest.status).toBe(201);
  const { line1, line2, state, postcode, country } = ship_to;
  const quote = await seller.call<{ quote_id: string }>('POST', '/shipping/quotes', {
    json: {
      from_postcode: '2000',
      to: { line1, line2, state, postcode, country },
      packages: [PACKAGE],
    },
  });
  expect(quote.status).toBe(201);

  const orders = [arrived.order_id, moving.order_id, rejected].map((id) => `/orders/${id}`);
  const ids = [
    ...orders.flatMap((path) => [path, `${path}/history`]),
    ...thread_ids.flatMap((id) => [`/messages/threads/${id}`, `/messages/threads/${id}/messages`]),
    ...tickets.flatMap(({ ticket_id }) => [
      `/customer_service/tickets/${ticket_id}`,
      `/customer_service/tickets/${ticket_id}/entries`,
    ]),
    ...[`/shipping/manifests/${manifest.body.manifest_id}`, `/shipping/quotes/${quote.body.quote_id}`],
    ...[arrived, moving].map(({ label_id }) => `/shipping/labels/${label_id}`),
  ];
  const money = async () =>
    Promise.all(orders.map(async (path) => (await seller.call('GET', path)).body['total_minor']));
  const counts = async () => ({
    messages: (await seller.call('GET', `/messages/threads/${thread_id}`)).body['message_count'],
    replies: (await seller.call('GET', `/customer_service/tickets/${enquiry?.ticket_id}`)).body[
      'reply_count'
    ],
    ratings: (await seller.call('GET', '/reviews/summary?window=all')).body['seller'],
    points: (await seller.call<{ data: object[] }>('GET', '/loyalty/transactions')).body.data.length,
  });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(20);
  const pending = async () =>
    (await seller.call<{ data: object[] }>('GET', '/webhooks/deliveries?status=pending')).body.data;
  await expect.poll(pending, { timeout: 20_000 }).toEqual([]);
  // What is looked for is found where it is.
  const shown = await readAll(seller, ids);
  expect(shown.split(WORD).length).toBeGreaterThan(100);
  expect(shown.split(DIGEST).length).toBeGreaterThan(4);
  const filesBefore = await filesOf(seller);
  for (const fact of ['sha256', 'width', 'height', 'pages'])
    expect(filesBefore.filter((file) => file[fact] !== null)).not.toEqual([]);
  const before = [await money(), await counts()];
  await asOwner(app, 'analyze');

  const erasure = { request_id: 'ers-1', customer_ref: REF };
  const [result] = await app.events(event(seller, 'buyer.erasure_requested', seller.seller_id, erasure));
  expect(result).toMatchObject({ status: 'applied', warnings: ['orders_open'] });
  await tellAll(seller, ['shipment.delivered', moving.shipment_id, {}]);
  const [again] = await moveTo(app, '2026-07-01T04:00:00Z', seller);
  seller = again ?? seller;
  // Late events of a time before the erasure, which name the buyer in every way.
  const late = { time: '2026-07-01T00:30:00Z' };
  for (const named of [{ customer_ref: REF }, { customer_ref: null, from: buyer.alias }])
    await apply(app, message(app, seller, arrived.order_id, { text, ...named }, late));
  await apply(
    app,
    opinion(app, seller, arrived.order_id, { text }, late),
    orderEvent(
      app,
      seller,
      'ticket.opened',
      randomUUID(),
      { order_id: arrived.order_id, text, subject: text },
      late,
    ),
    orderEvent(
      app,
      seller,
      'ticket.opened',
      randomUUID(),
      { kind: 'enquiry', links: { thread_id: productThread }, text, subject: text },
      late,
    ),
    orderEvent(
      app,
      seller,
      'ticket.replied',
      aboutThread?.ticket_id ?? '',
      { reply_id: randomUUID(), author: 'buyer', text },
      late,
    ),
  );

  const scan = { status: 'in_transit', at: START, location: `${WORD}ton`, detail: text };
  await app.events(event(seller, 'shipment.tracking_updated', moving.shipment_id, scan));

  expect(placesIn(await readAll(seller, ids))).toEqual([]);
  // Answers of requests with a key are not rewritten (docs/design/buyers.md#erasure).
  expect(placesIn(await dumpOf(app.database.adminUrl, ['idempotency_key']))).toEqual([]);
  expect(placesIn(await statisticsOf())).toEqual([]);
  // All else stays: kind, size, and `external_id`, which is an opaque id of the marketplace.
  const gone = {
    ...{ status: 'deleted', refused: 'buyer_erased', filename: null, key_sealed: null },
    ...{ sha256: null, pages: null, width: null, height: null },
  };
  expect(await filesOf(seller)).toEqual(filesBefore.map((file) => ({ ...file, ...gone })));
  expect(placesIn(lines.join(''))).toEqual([]);
  const found = await seller.call<{ data: object[] }>('GET', `/orders?q=${WORD}`);
  expect(found.body.data).toEqual([]);
  const [totals, counted] = before as [unknown, Awaited<ReturnType<typeof counts>>];
  expect(await money()).toEqual(totals);
  expect(await counts()).toEqual({ ...counted });
  // A replay sends the redacted objects.
  receiver.received.length = 0;
  const { body: endpoints } = await seller.call<{ data: { endpoint_id: string }[] }>(
    'GET',
    '/webhooks/endpoints',
  );
  const path = `/webhooks/endpoints/${endpoints.data[0]?.endpoint_id}/replay`;
  const replay = await seller.call('POST', path, { json: { from: START } });
  expect([replay.status, replay.text]).toEqual([expect.toBeOneOf([200, 201, 202]), expect.any(String)]);
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(20);
  expect(placesIn(receiver.received.map((sent) => sent.text).join('\n'))).toEqual([]);
});

test('an endpoint that answers after the erasure with what it was sent leaves no word either', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const held: (() => void)[] = [];
  const slow = await startReceiver((response, { text: sent }) =>
    held.push(() => response.writeHead(200).end(sent)),
  );
  await addEndpoint(seller, slow.url, { event_types: ['message.received'], payload: 'full' });
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer });
  await apply(app, message(app, seller, order_id, { text, customer_ref: REF }));
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(1);
  const erasure = { request_id: 'ers-2', customer_ref: REF };
  await tellAll(seller, ['buyer.erasure_requested', seller.seller_id, erasure]);
  for (const answer of held) answer();
  const ended = async () =>
    (await seller.call<{ data: object[] }>('GET', '/webhooks/deliveries?status=succeeded')).body.data.length;
  await expect.poll(ended, { timeout: 20_000 }).toBe(1);
  expect(placesIn(await dumpOf(app.database.adminUrl, ['idempotency_key']))).toEqual([]);
});
