/** What the marketplace and its buyers answer to what a seller says. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../test/support/app.ts';
import { say, threadsOf } from '../../test/support/conversations.ts';
import { eventually } from '../../test/support/feeds.ts';
import { callInternal } from '../../test/support/internal.ts';
import { create } from '../../test/support/products.ts';
import { readTicket, request } from '../../test/support/tickets.ts';
import { createTradePlan } from './plan-trade.ts';
import { createTrader } from './trader.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00Z' });
const { now, log } = app.app.services;
const { internalUrl, internalToken: token } = app;
const trader = createTrader({ internalUrl, token, now, log, plans: [createTradePlan(7, 'test')] });

/** Moves the clock in steps of ten seconds, with a step of the trader after each. */
async function pass(seconds: number): Promise<void> {
  for (let gone = 0; gone < seconds; gone += 10) {
    const body = { now: new Date(now() + 10_000).toISOString() };
    expect((await callInternal(app, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
    await trader.step();
  }
}

const statusOf = async (seller: TestSeller, thread_id: string, text: string): Promise<string | undefined> => {
  const { body } = await seller.call<{ data: { text: string; status: string }[] }>(
    'GET',
    `/messages/threads/${thread_id}/messages`,
  );
  return body.data.find((message) => message.text === text)?.status;
};

test('a buyer asks about the first product; answers are delivered or rejected, requests and FAQs decided', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { product_id } = await create(seller, { quantity_on_hand: 5 });
  const numbered = async (count: number) =>
    eventually(
      () => seller.call<{ last_sequence: number }>('GET', '/webhooks/events'),
      ({ body }) => body.last_sequence >= count,
    );
  await numbered(3);
  await pass(60);
  const [thread] = await threadsOf(seller);
  expect(thread).toMatchObject({ waiting_on: 'seller', subject: { product_id } });
  const thread_id = thread?.thread_id ?? '';
  for (const text of ['It is.', 'Please moderate this.'])
    expect((await say(seller, thread_id, text)).status).toBe(201);
  const ticket = await request(seller);
  const faq = async (question: string): Promise<string> => {
    const json = { scope: 'product', product_id, question, answer: 'Yes.' };
    const { body } = await seller.call<{ faq_id: string }>('POST', '/faqs', { json });
    await seller.call('POST', `/faqs/${body.faq_id}/publish`, { json: {} });
    return body.faq_id;
  };
  const faqs = [await faq('Is it blue?'), await faq('Do you reject returns?')];
  const { body } = await seller.call<{ last_sequence: number }>('GET', '/webhooks/events');
  await numbered(body.last_sequence);
  await pass(90);
  expect(await statusOf(seller, thread_id, 'It is.')).toBe('delivered');
  expect(await statusOf(seller, thread_id, 'Please moderate this.')).toBe('rejected');
  expect(await readTicket(seller, ticket)).toMatchObject({ status: 'resolved' });
  const published = await Promise.all(
    faqs.map((id) => seller.call<{ publication: string }>('GET', `/faqs/${id}`)),
  );
  expect(published.map((one) => one.body.publication)).toEqual(['live', 'rejected']);
  expect((await threadsOf(seller))[0]).toMatchObject({ waiting_on: 'seller' });
});
