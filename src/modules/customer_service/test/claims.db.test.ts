/** Claims under buyer protection, and what an erasure leaves of tickets. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { asked, say } from '../../../../test/support/conversations.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';
import {
  CLAIM,
  clockOf,
  entriesOf,
  moveTo,
  opened,
  post,
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

test('texts are deleted long after their ticket has ended', async () => {
  const app = await start({ CONVERSATION_RETENTION_DAYS: '3' });
  let seller = await app.seller();
  const { body } = await post(seller, '', { topic: 'fee', subject: 'A fee', text: 'Why so much?' });
  await post(seller, `/${body.ticket_id}/resolve`, { resolution: 'not_needed' });
  [seller = seller] = await moveTo(app, '2026-04-18T00:00:00Z', seller);
  expect((await entriesOf(seller, body))[0]?.text).toBe('Why so much?');
  [seller = seller] = await moveTo(app, '2026-04-21T00:00:00Z', seller);
  expect((await entriesOf(seller, body))[0]).toMatchObject({ text: null, redacted: { reason: 'retention' } });
});
