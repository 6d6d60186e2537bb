/** Claims under buyer protection, and what an erasure leaves of tickets. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { asked, say, threadsOf } from '../../../../test/support/conversations.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';
import {
  CLAIM,
  clockOf,
  entriesOf,
  moveTo,
  opened,
  post,
  REQUEST,
  readTicket,
  tell,
} from '../../../../test/support/tickets.ts';

const start = (more: Record<string, string> = {}) =>
  startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-04-02T04:00:00.000Z', ...more });
const bought = async (app: Awaited<ReturnType<typeof start>>, seller: TestSeller, customer_ref = 'cus_1') =>
  placeOrder(app, seller, [{ sku: (await stocked(seller, 5)).sku }], {
    buyer: { alias: 'mia', customer_ref },
  });

test('silence breaches a claim at respond_by; a later answer is late until the decision', async () => {
  const app = await start();
  let seller = await app.seller();
  const order_id = await bought(app, seller);
  const claim = await opened(app, seller, { ...CLAIM, order_id, text: 'Nothing came.' });
  expect(claim).toMatchObject({
    ...{ kind: 'claim', status: 'pending_seller', topic: 'claim' },
    claim: { respond_by: '2026-04-09T05:00:00.000Z', default_outcome: 'granted', decision: null },
  });
  expect(clockOf(claim, 'resolution')).toMatchObject({ obligated: 'marketplace', status: 'paused' });
  const view = await readTicket(seller, claim);
  expect(view.allowed_actions).toEqual(['reply', 'claim_respond', 'claim_accept']);
  expect(view['facts']).toMatchObject({ delivered_at: null, shipments: [], refunds: [], returns: [] });
  const path = `/${claim.ticket_id}`;
  const tooMuch = await post(seller, `${path}/claim/respond`, { text: 'Half', offer_minor: 6_346 });
  expect(tooMuch.body).toMatchObject({ code: 'offer_exceeds_claim', amount_minor: 6_345 });
  [seller = seller] = await moveTo(app, '2026-04-09T05:00:00.001Z', seller);
  expect(clockOf(await readTicket(seller, claim), 'response').status).toBe('breached');
  const tried = await post(seller, `${path}/claim/respond?dry_run=true`, { text: 'It came.' });
  expect(tried.body.claim).toMatchObject({ response: { late: true } });
  expect((await readTicket(seller, claim)).claim).toMatchObject({ response: null });
  const answer = await post(seller, `${path}/claim/respond`, { text: 'It came.', offer_minor: 1_000 });
  expect(answer.body).toMatchObject({
    status: 'pending_marketplace',
    claim: { response: { kind: 'responded', late: true, offer_minor: 1_000 } },
  });
  expect(clockOf(answer.body, 'resolution').status).toBe('running');
  const decision = { decision: 'granted', granted_minor: 6_345, funded_by: 'seller' };
  expect(await tell(app, seller, 'updated', claim, { claim: decision })).toBe('applied');
  const late = await post(seller, `${path}/claim/respond`, { text: 'No' });
  expect([late.status, late.body]).toMatchObject([409, { code: 'claim_decided', decision: 'granted' }]);
  expect((await post(seller, `${path}/claim/accept`)).body.code).toBe('claim_decided');
  expect((await post(seller, `${path}/reopen`, { text: 'No' })).body.code).toBe('invalid_transition');
  // The end of the thirtieth day after the decision, in Sydney.
  const decided = await readTicket(seller, claim);
  expect(decided.claim).toMatchObject({ appeal_by: '2026-05-09T13:59:59.999Z', decision: 'granted' });
  expect(decided.allowed_actions).toEqual(['claim_appeal']);
  [seller = seller] = await moveTo(app, '2026-04-20T00:00:00Z', seller);
  const appeal = await post(seller, `${path}/claim/appeal`, { text: 'See the proof.' });
  expect(appeal.body).toMatchObject({ status: 'pending_marketplace', claim: { appeal: { decision: null } } });
  expect(clockOf(appeal.body, 'resolution').status).toBe('running');
  expect(await tell(app, seller, 'updated', claim, { claim: { decision: 'denied' } })).toBe('applied');
  expect((await readTicket(seller, claim)).claim).toMatchObject({
    ...{ decision: 'granted', appeal: { decision: 'denied' } },
  });
  expect((await post(seller, `${path}/claim/appeal`, { text: 'More' })).body.code).toBe('appeal_used');
  expect(await tell(app, seller, 'updated', claim, { claim: decision })).toBe('invalid_transition');
});

test('the facts of a claim show when the seller answered the buyer', async () => {
  const app = await start();
  const [seller, other] = [await app.seller(), await app.seller()];
  const order_id = await bought(app, seller);
  const first = { from: 'mia', customer_ref: 'cus_1' };
  const { thread_id } = await asked(app, seller, order_id, first);
  await say(seller, thread_id);
  await asked(app, seller, order_id, first);
  await asked(app, seller, await bought(app, seller));
  await asked(app, other, await bought(app, other));
  const claim = await opened(app, seller, { ...CLAIM, order_id });
  const turn = { thread_id, opened_at: '2026-04-02T04:00:00.000Z', respond_by: '2026-04-07T05:00:00.000Z' };
  expect((await readTicket(seller, claim))['facts']).toMatchObject({
    response_turns: [
      { ...turn, ended_at: '2026-04-02T04:00:00.000Z', outcome: 'in_time' },
      { ...turn, ended_at: null, outcome: 'open' },
    ],
  });
});

test('an accepted claim waits for the decision; after the last day there is no appeal', async () => {
  const app = await start();
  let seller = await app.seller();
  const claim = await opened(app, seller, { ...CLAIM, order_id: await bought(app, seller) });
  const accepted = await post(seller, `/${claim.ticket_id}/claim/accept`);
  expect(accepted.body).toMatchObject({
    status: 'pending_marketplace',
    claim: { response: { kind: 'accepted' } },
  });
  expect(clockOf(accepted.body, 'response').status).toBe('met');
  expect((await post(seller, `/${claim.ticket_id}/claim/appeal`, { text: 'x' })).body.code).toBe(
    'invalid_transition',
  );
  await tell(app, seller, 'updated', claim, { claim: { decision: 'partly_granted', granted_minor: 100 } });
  const { claim: decided } = await readTicket(seller, claim);
  const after = new Date(Date.parse(String(decided?.['appeal_by'])) + 1).toISOString();
  // The ticket was closed before; the window for the appeal says why it is refused.
  [seller = seller] = await moveTo(app, after, seller);
  expect((await post(seller, `/${claim.ticket_id}/claim/appeal`, { text: 'x' })).body.code).toBe(
    'appeal_window_passed',
  );
});

const text = 'Mia waits at the blue door';
const everything = async (app: Awaited<ReturnType<typeof start>>, seller: TestSeller): Promise<string> => {
  const rows = await Promise.all(
    ['ticket', 'ticket_entry', 'outbox', 'notification'].map((table) =>
      asOwner(app, `select to_jsonb(t)::text as row from ${table} t where seller_id = $1`, [
        seller.seller_id,
      ]),
    ),
  );
  const events = await seller.call('GET', '/webhooks/events?limit=200');
  return JSON.stringify([rows, events.text]);
};

test('an erasure leaves no word of a buyer’s tickets; clocks and the seller’s own requests stay', async () => {
  const app = await start();
  const seller = await app.seller();
  const order_id = await bought(app, seller);
  const ticket = await opened(app, seller, { order_id, customer_ref: 'cus_1', text, subject: text });
  await post(seller, `/${ticket.ticket_id}/replies`, { text: `Dear ${text}` });
  const own = await post(seller, '', { topic: 'fee', subject: 'A fee', text: 'Why?' });
  const before = await readTicket(seller, ticket);
  const request = { request_id: 'ers-1', customer_ref: 'cus_1' };
  await apply(app, orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, request));
  expect((await everything(app, seller)).includes('blue door')).toBe(false);
  const after = await readTicket(seller, ticket);
  expect(after).toMatchObject({
    subject: 'other',
    buyer: null,
    clocks: before.clocks,
    version: before.version,
  });
  expect((await entriesOf(seller, ticket)).map((entry) => [entry.text, entry.redacted?.reason])).toEqual([
    [null, 'erasure'],
    [null, 'erasure'],
  ]);
  expect((await entriesOf(seller, own.body))[0]?.text).toBe('Why?');
  // What the marketplace tells late is stored without a text.
  const late = { time: '2026-04-01T00:00:00Z' };
  expect(await tell(app, seller, 'replied', ticket, { author: 'buyer', text }, late)).toBe('applied');
  await apply(
    app,
    orderEvent(
      app,
      seller,
      'ticket.opened',
      'T-late',
      { customer_ref: 'cus_1', kind: 'enquiry', text },
      late,
    ),
  );
  expect((await everything(app, seller)).includes('blue door')).toBe(false);
});

interface Shop {
  readonly app: Awaited<ReturnType<typeof start>>;
  readonly seller: TestSeller;
  readonly order_id: string;
}
const LATE = { time: '2026-04-01T00:00:00Z' };
const open = ({ app, seller }: Shop, data: object, more: object = {}, subject: string = randomUUID()) =>
  apply(app, orderEvent(app, seller, 'ticket.opened', subject, { text, subject: text, ...data }, more));
const eraseMia = ({ app, seller }: Shop) =>
  app.events(
    orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, {
      ...{ request_id: randomUUID(), customer_ref: 'cus_1' },
    }),
  );

const disputeOf = async ({ app, order_id }: Shop): Promise<object> =>
  (await asOwner<object>(app, 'select dispute_id from order_dispute where order_id = $1', [order_id]))[0] ??
  {};

/** The buyer asks about a product. */
async function threadAboutProduct({ app, seller }: Shop): Promise<{ thread_id: string }> {
  const { product_id } = await stocked(seller, 1);
  const { thread_id } = await asked(app, seller, product_id, { customer_ref: 'cus_1' });
  return { thread_id };
}

/** Events before the erasure, and late ones. */
const HISTORIES: readonly (readonly [
  string,
  (shop: Shop) => Promise<{ ticket_id: string } | undefined>,
  (shop: Shop, ticket: { ticket_id: string } | undefined) => Promise<unknown>,
])[] = [
  [
    'an enquiry that names the order only comes late',
    async () => undefined,
    (shop) => open(shop, { kind: 'enquiry', order_id: shop.order_id }, LATE),
  ],
  [
    'an enquiry about the order names no buyer',
    async (shop) => {
      await open(shop, { kind: 'enquiry', order_id: shop.order_id });
      await asOwner(shop.app, 'update ticket set buyer_id = null where seller_id = $1', [
        shop.seller.seller_id,
      ]);
      return undefined;
    },
    async () => undefined,
  ],
  [
    'a buyer writes in a request of the seller, before and late',
    async ({ app, seller, order_id }) => {
      const { body } = await post(seller, '', { ...REQUEST, links: { order_id } });
      await tell(app, seller, 'replied', body, { author: 'buyer', text });
      return body;
    },
    ({ app, seller }, ticket = { ticket_id: '' }) =>
      tell(app, seller, 'replied', ticket, { author: 'buyer', text }, LATE),
  ],
  [
    'a buyer writes in tickets that name only a part of the order, before and late',
    async (shop) => {
      const { app, seller, order_id } = shop;
      const dispute = { dispute_id: 'dp_1', amount_minor: 100, provider_fee_minor: 0 };
      await apply(app, orderEvent(app, seller, 'dispute.opened', order_id, dispute));
      const links = await disputeOf(shop);
      const { body } = await post(seller, '', { ...REQUEST, links });
      await tell(app, seller, 'replied', body, { author: 'buyer', text });
      await open(shop, { kind: 'enquiry', links });
      return body;
    },
    async (shop, ticket = { ticket_id: '' }) => {
      await tell(shop.app, shop.seller, 'replied', ticket, { author: 'buyer', text }, LATE);
      await open(shop, { kind: 'enquiry', links: await disputeOf(shop) }, LATE);
    },
  ],
  [
    'a buyer writes in tickets that name only a thread about a product, before and late',
    async (shop) => {
      const { app, seller } = shop;
      const links = await threadAboutProduct(shop);
      const { body } = await post(seller, '', { ...REQUEST, links });
      await tell(app, seller, 'replied', body, { author: 'buyer', text });
      await open(shop, { kind: 'enquiry', links });
      return body;
    },
    async (shop, ticket = { ticket_id: '' }) => {
      await tell(shop.app, shop.seller, 'replied', ticket, { author: 'buyer', text }, LATE);
      const [thread] = await threadsOf(shop.seller);
      await open(shop, { kind: 'enquiry', links: { thread_id: thread?.thread_id } }, LATE);
    },
  ],
  [
    'a buyer writes late in a request of the marketplace about the buyer',
    ({ app, seller }) => opened(app, seller, { kind: 'marketplace_request', customer_ref: 'cus_1', text }),
    ({ app, seller }, ticket = { ticket_id: '' }) =>
      tell(app, seller, 'replied', ticket, { author: 'buyer', text }, LATE),
  ],
  [
    'the marketplace writes late in an enquiry',
    ({ app, seller, order_id }) => opened(app, seller, { order_id, text }),
    ({ app, seller }, ticket = { ticket_id: '' }) =>
      tell(app, seller, 'replied', ticket, { author: 'marketplace', text }, LATE),
  ],
  [
    'a buyer writes late in a ticket that has another external id',
    async ({ app, seller, order_id }) => {
      const ticket = await opened(app, seller, { order_id, text });
      await tell(app, seller, 'updated', ticket, { external_ticket_id: 'T-other' });
      return ticket;
    },
    ({ app, seller }) => tell(app, seller, 'replied', { ticket_id: 'T-other' }, { text }, LATE),
  ],
];
test.each(HISTORIES)('an erasure leaves no word when %s', async (_, before, late) => {
  const app = await start();
  for (const isOpen of [true, false]) {
    const seller = await app.seller();
    const shop = { app, seller, order_id: await bought(app, seller) };
    if (!isOpen) await apply(app, orderEvent(app, seller, 'order.cancelled', shop.order_id, {}));
    const ticket = await before(shop);
    const warned = await eraseMia(shop);
    expect(warned).toMatchObject([{ status: 'applied', ...(isOpen && { warnings: ['orders_open'] }) }]);
    await late(shop, ticket);
    expect((await everything(app, seller)).includes('blue door')).toBe(false);
  }
});

test('what a person writes after the erasure, under a new pseudonym, is kept', async () => {
  const app = await start();
  const seller = await app.seller();
  const shop = { app, seller, order_id: await bought(app, seller) };
  const own = await post(seller, '', { ...REQUEST, links: { order_id: shop.order_id } });
  await eraseMia(shop);
  const time = { time: '2026-04-02T04:00:01Z' };
  await open(shop, { kind: 'enquiry', order_id: shop.order_id, customer_ref: 'cus_1' }, time);
  expect((await everything(app, seller)).includes('blue door')).toBe(true);
  expect((await entriesOf(seller, own.body))[0]?.text).toBe(REQUEST.text);
});

test('openings and replies that come with the erasure leave no word', async () => {
  const app = await start();
  const seller = await app.seller();
  for (let round = 0; round < 5; round += 1) {
    const shop = { app, seller, order_id: await bought(app, seller) };
    const ticket = await opened(app, seller, { order_id: shop.order_id, text });
    await Promise.all([
      ...[1, 2, 3].map(() => open(shop, { kind: 'enquiry', order_id: shop.order_id })),
      tell(app, seller, 'replied', ticket, { text }),
      eraseMia(shop),
      ...[1, 2, 3].map(() => open(shop, { kind: 'enquiry', order_id: shop.order_id })),
      tell(app, seller, 'replied', ticket, { text }),
    ]);
    expect((await everything(app, seller)).includes('blue door')).toBe(false);
  }
});

test('while an appeal is open nothing is answered; a second answer keeps when the first came', async () => {
  const app = await start();
  let seller = await app.seller();
  const claim = await opened(app, seller, { ...CLAIM, order_id: await bought(app, seller) });
  const path = `/${claim.ticket_id}/claim`;
  await post(seller, `${path}/respond`, { text: 'It came.' });
  const first = (await readTicket(seller, claim)).claim?.['response'];
  [seller = seller] = await moveTo(app, '2026-04-20T00:00:00Z', seller);
  const { body } = await post(seller, `${path}/respond`, { text: 'It came, see.', offer_minor: 100 });
  expect(body.claim?.['response']).toEqual({ ...(first as object), offer_minor: 100 });
  await tell(app, seller, 'updated', claim, { claim: { decision: 'granted' } });
  await post(seller, `${path}/appeal`, { text: 'See the proof.' });
  const answers = [
    await post(seller, `${path}/respond`, { text: 'No' }),
    await post(seller, `${path}/accept`),
  ];
  expect(answers.map((answer) => [answer.status, answer.body.code])).toEqual([
    [409, 'claim_decided'],
    [409, 'claim_decided'],
  ]);
});

test('what a person asks after the erasure in a ticket about the same thread is kept', async () => {
  const app = await start();
  const seller = await app.seller();
  const shop = { app, seller, order_id: await bought(app, seller) };
  const own = await post(seller, '', { ...REQUEST, links: await threadAboutProduct(shop) });
  await eraseMia(shop);
  const time = { time: '2026-04-02T04:00:01Z' };
  await tell(app, seller, 'replied', own.body, { author: 'buyer', text }, time);
  expect((await everything(app, seller)).includes('blue door')).toBe(true);
});

test('a text that comes long after the others were deleted is deleted in its turn', async () => {
  const app = await start({ CONVERSATION_RETENTION_DAYS: '3' });
  let seller = await app.seller();
  const ticket = await opened(app, seller, { order_id: await bought(app, seller), text });
  await tell(app, seller, 'updated', ticket, { status: 'resolved' });
  const texts = async () => (await entriesOf(seller, ticket)).map((entry) => entry.text);
  [seller = seller] = await moveTo(app, '2026-04-21T00:00:00Z', seller);
  expect((await texts()).filter((one) => one !== null)).toEqual([]);
  await tell(app, seller, 'replied', ticket, { author: 'buyer', text }, LATE);
  [seller = seller] = await moveTo(app, '2026-04-23T00:00:00Z', seller);
  expect((await texts()).at(-1)).toBe(text);
  [seller = seller] = await moveTo(app, '2026-04-25T00:00:00Z', seller);
  expect((await texts()).at(-1)).toBe(null);
});

test('texts are deleted long after the last entry of their ticket, also of one that is open', async () => {
  const app = await start({ CONVERSATION_RETENTION_DAYS: '3' });
  let seller = await app.seller();
  const { body } = await post(seller, '', { topic: 'fee', subject: 'A fee', text: 'Why so much?' });
  [seller = seller] = await moveTo(app, '2026-04-04T00:00:00Z', seller);
  await tell(app, seller, 'replied', body, { author: 'marketplace', text: 'Let me see.' });
  const texts = async () => (await entriesOf(seller, body)).map((entry) => entry.text);
  [seller = seller] = await moveTo(app, '2026-04-06T00:00:00Z', seller);
  expect(await texts()).toEqual(['Why so much?', 'Let me see.']);
  [seller = seller] = await moveTo(app, '2026-04-08T06:00:00Z', seller);
  await expect.poll(texts).toEqual([null, null]);
});

test('texts are deleted long after their ticket has ended', async () => {
  const app = await start({ CONVERSATION_RETENTION_DAYS: '3' });
  let seller = await app.seller();
  const { body } = await post(seller, '', { topic: 'fee', subject: 'A fee', text: 'Why so much?' });
  await post(seller, `/${body.ticket_id}/resolve`, { resolution: 'not_needed' });
  [seller = seller] = await moveTo(app, '2026-04-18T00:00:00Z', seller);
  expect((await entriesOf(seller, body))[0]?.text).toBe('Why so much?');
  [seller = seller] = await moveTo(app, '2026-04-21T00:00:00Z', seller);
  await expect
    .poll(async () => (await entriesOf(seller, body))[0])
    .toMatchObject({ text: null, redacted: { reason: 'retention' } });
});
