/** Events of tickets in their order, those that reach the marketplace, and the metrics of what is overdue. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asked } from '../../../../test/support/conversations.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { eventTypesOf, placeOrder } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { CLAIM, moveTo, opened, post, request, tell } from '../../../../test/support/tickets.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-04-02T04:00:00.000Z' });
const metrics = async (...names: readonly string[]) =>
  (await callInternal(app, 'GET', '/metrics')).text
    .split('\n')
    .filter((line) => names.some((name) => line.startsWith(`${name}{`)))
    .sort();

test('each move is an event; the marketplace gets those of the seller; metrics count what is overdue', async () => {
  let seller = await app.seller();
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }]);
  await asked(app, seller, order_id, { customer_ref: null });
  const claim = await opened(app, seller, { ...CLAIM, order_id });
  const act = async (id: string, path: string, json: object = { text: 'Please look again.' }) => {
    const { status, text } = await post(seller, `/${id}/${path}`, json);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  };
  await act(claim.ticket_id, 'claim/respond');
  await act(claim.ticket_id, 'claim/accept', {});
  await tell(app, seller, 'updated', claim, { claim: { decision: 'granted' } });
  await act(claim.ticket_id, 'claim/appeal');
  expect(await eventTypesOf(app, seller, claim.ticket_id)).toEqual([
    ...['ticket.opened', 'claim.responded', 'claim.accepted', 'claim.decided', 'claim.appealed'],
  ]);
  const own = await request(seller);
  await tell(app, seller, 'replied', own, { author: 'marketplace', text: 'Which one?' });
  await act(own.ticket_id, 'replies', { text: 'That one.' });
  [seller = seller] = await moveTo(app, '2026-04-08T04:00:00.000Z', seller);
  expect(await metrics('spp_sla_breached', 'spp_threads_overdue')).toEqual([
    'spp_sla_breached{side="marketplace"} 1',
    'spp_threads_overdue{scope="all"} 1',
  ]);
  await act(own.ticket_id, 'escalate');
  await act(own.ticket_id, 'resolve', { resolution: 'solved' });
  await act(own.ticket_id, 'reopen');
  await act(own.ticket_id, 'resolve', { resolution: 'not_needed' });
  [seller = seller] = await moveTo(app, '2026-04-23T04:00:00.000Z', seller);
  const told = (await eventTypesOf(app, seller, own.ticket_id)).filter((type) => !type.includes('sla'));
  expect(told).toEqual([
    ...['ticket.opened', 'ticket.replied', 'ticket.replied', 'ticket.escalated', 'ticket.resolved'],
    ...['ticket.reopened', 'ticket.resolved', 'ticket.closed'],
  ]);
  const outbox = await marketplaceEvents(app, seller, '', 0);
  const ofTickets = outbox.filter(({ type }) => /^(ticket|claim)\./.test(type));
  expect(ofTickets.map(({ type, data }) => [type, data.object['ticket_id'] === own.ticket_id])).toEqual([
    ...['claim.responded', 'claim.accepted', 'claim.appealed'].map((type) => [type, false]),
    ...['ticket.opened', 'ticket.replied', 'ticket.escalated'].map((type) => [type, true]),
    ...['ticket.resolved', 'ticket.reopened', 'ticket.resolved'].map((type) => [type, true]),
  ]);
});

test('notifications call a claim by its order, and a request of the seller by its subject', async () => {
  const seller = await app.seller();
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }]);
  const order = await seller.call<{ order_number: string }>('GET', `/orders/${order_id}`);
  const subject = 'late_fees of June';
  await opened(app, seller, { ...CLAIM, order_id });
  const own = await request(seller, { subject });
  await tell(app, seller, 'replied', own, { author: 'marketplace', text: 'Which ones?' });
  const titles = async () =>
    (await seller.call<{ data: { type: string; title: string }[] }>('GET', '/notifications')).body.data
      .filter(({ type }) => type.startsWith('ticket.'))
      .map(({ title }) => title);
  await expect
    .poll(titles)
    .toEqual([
      `Your request “${subject}” has a new answer`,
      `New claim about not received, order ${order.body.order_number}`,
    ]);
});
