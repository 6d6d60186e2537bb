/** What events of the marketplace about tickets leave, in each order of arrival. Source: docs/design/customer-service.md#states. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { placeOrder } from '../../../../test/support/orders.ts';
import { permutations } from '../../../../test/support/permutations.ts';
import {
  CLAIM,
  clockOf,
  entriesOf,
  moveTo,
  opened,
  post,
  readTicket,
  request,
  tell,
} from '../../../../test/support/tickets.ts';

const THURSDAY = '2026-04-02T04:00:00.000Z';
const start = () => startTestApp({ CLOCK: 'manual', CLOCK_START: THURSDAY });
const app = await start();
const bought = (seller: TestSeller): Promise<string> => placeOrder(app, seller, [{ title: 'Mug' }]);

const TOLD = {
  claim: [
    ['replied', { author: 'buyer', text: 'One' }],
    ['updated', { priority: 'high', escalated: true }],
    ['updated', { claim: { decision: 'denied' } }],
    ['replied', { author: 'buyer', text: 'Two' }],
  ],
  request: [
    ['replied', { author: 'marketplace', text: 'One' }],
    ['updated', { priority: 'high', escalated: true, external_ticket_id: 'T-' }],
    ['updated', { status: 'resolved' }],
    ['replied', { author: 'marketplace', text: 'Two' }],
  ],
} as const;

test.each(['claim', 'request'] as const)('events about a %s end the same in every order', async (kind) => {
  const seller = await app.seller();
  const order_id = await bought(seller);
  const ends = new Set<string>();
  for (const order of permutations([0, 1, 2, 3] as const)) {
    const ticket =
      kind === 'claim' ? await opened(app, seller, { ...CLAIM, order_id }) : await request(seller);
    const name = `T-${ticket.ticket_id}`;
    for (const index of order) {
      const [type, data] = TOLD[kind][index];
      const named = 'external_ticket_id' in data && { external_ticket_id: name };
      const more = { time: new Date(Date.parse(THURSDAY) + index + 1).toISOString() };
      const status = await tell(app, seller, type, ticket, { ...data, ...named }, more);
      expect(['applied', 'stale']).toContain(status);
    }
    const after = await readTicket(seller, ticket);
    const texts = (await entriesOf(seller, ticket)).flatMap(({ text }) => text ?? []).sort();
    ends.add(
      JSON.stringify([
        ...[after.status, after.priority, after.escalated_at !== null, after.claim?.['decision']],
        ...[after['resolution'], kind === 'claim' || after['external_ticket_id'] === name, texts],
      ]),
    );
  }
  expect([...ends]).toEqual([expect.any(String)]);
});

test('the decision of an appeal counts after a newer text; the first decision does not come again', async () => {
  const own = await start();
  let seller = await own.seller();
  const claim = await opened(own, seller, {
    ...CLAIM,
    order_id: await placeOrder(own, seller, [{ title: 'Mug' }]),
  });
  const first = { time: '2026-04-02T04:00:01Z' };
  const granted = { claim: { decision: 'granted' } };
  expect(await tell(own, seller, 'updated', claim, granted, first)).toBe('applied');
  [seller = seller] = await moveTo(own, '2026-04-03T04:00:00Z', seller);
  await post(seller, `/${claim.ticket_id}/claim/appeal`, { text: 'See the proof.' });
  const text = { author: 'buyer', text: 'It never came.' };
  expect(await tell(own, seller, 'replied', claim, text, { time: '2026-04-03T06:00:00Z' })).toBe('applied');
  expect(await tell(own, seller, 'updated', claim, granted, first)).toBe('stale');
  const denied = { claim: { decision: 'denied' } };
  const late = { time: '2026-04-03T05:00:00Z' };
  expect(await tell(own, seller, 'updated', claim, denied, late)).toBe('applied');
  expect(await readTicket(seller, claim)).toMatchObject({
    ...{ status: 'resolved', claim: { decision: 'granted', appeal: { decision: 'denied' } } },
  });
  expect(await tell(own, seller, 'updated', claim, { priority: 'low' }, first)).toBe('applied');
  expect(await tell(own, seller, 'updated', claim, { priority: 'high' }, { time: THURSDAY })).toBe('stale');
});

test('a decision from before an appeal does not decide it, and one from before a reopening does not resolve', async () => {
  const own = await start();
  let seller = await own.seller();
  const order_id = await placeOrder(own, seller, [{ title: 'Mug' }]);
  const [claim, enquiry] = [
    await opened(own, seller, { ...CLAIM, order_id }),
    await opened(own, seller, { kind: 'enquiry', order_id, text: 'Where is it?' }),
  ];
  const granted = { claim: { decision: 'granted' } };
  const first = { time: '2026-04-02T04:00:01Z' };
  expect(await tell(own, seller, 'updated', claim, granted, first)).toBe('applied');
  await post(seller, `/${enquiry.ticket_id}/resolve`, { resolution: 'solved' });
  [seller = seller] = await moveTo(own, '2026-04-03T04:00:00Z', seller);
  await post(seller, `/${claim.ticket_id}/claim/appeal`, { text: 'See the proof.' });
  expect((await post(seller, `/${enquiry.ticket_id}/reopen`, { text: 'It is missing.' })).status).toBe(200);
  const between = { time: '2026-04-03T03:00:00Z' };
  const overtaken = [
    await tell(own, seller, 'updated', claim, granted, between),
    await tell(own, seller, 'updated', claim, { status: 'resolved' }, between),
    await tell(own, seller, 'updated', enquiry, { status: 'resolved' }, between),
  ];
  expect(overtaken).toEqual(['stale', 'stale', 'stale']);
  expect(await readTicket(seller, claim)).toMatchObject({
    ...{ status: 'pending_marketplace', claim: { appeal: { decision: null } } },
  });
  expect((await readTicket(seller, enquiry)).status).toBe('pending_buyer');
});

test('a text that was written before a question does not answer it', async () => {
  const own = await start();
  let seller = await own.seller();
  const ticket = await request(seller);
  await tell(own, seller, 'replied', ticket, { author: 'marketplace' });
  [seller = seller] = await moveTo(own, '2026-04-02T05:00:00Z', seller);
  await post(seller, `/${ticket.ticket_id}/replies`, { text: 'And now?' });
  const late = { time: '2026-04-02T04:30:00Z' };
  expect(await tell(own, seller, 'replied', ticket, { author: 'marketplace' }, late)).toBe('applied');
  const after = await readTicket(seller, ticket);
  expect([after.status, clockOf(after, 'response', 2).status]).toEqual(['pending_marketplace', 'running']);
});

test('a name that another ticket has is refused', async () => {
  const seller = await app.seller();
  const [first, second] = [await request(seller), await request(seller)];
  const named = { external_ticket_id: `T-${first.ticket_id}` };
  expect(await tell(app, seller, 'updated', first, named)).toBe('applied');
  expect(await tell(app, seller, 'updated', second, named)).toBe('id_reused');
});
