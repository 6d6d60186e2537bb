/** Replays what the shop and the marketplace say to each other: answers, FAQs, requests, contests and points. */
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { demoEvent } from '../demo-event.ts';
import { type Json, listOf, textOf } from '../shop-owner.ts';
import type { PastStep } from './past-step.ts';
import { post, type Replay, send } from './replay.ts';

const FAQS = [
  ['CUP-SAND', 'Can it go into the dishwasher?', 'Yes, on the upper rack.'],
  ['BOWL-FERN', 'Is it safe for the oven?', 'Up to 180 degrees, if it warms up slowly.'],
  ['THROW-WOOL', 'How do I wash it?', 'By hand in cold water, and dry it flat.'],
  ['CANDLE-GUM', 'Does it heal a cold?', 'Yes, in two days.'],
] as const;
const REJECTED = { code: 'health_claim', detail: 'Say nothing about health.' };

/** Publishes FAQs, of which the marketplace rejects one, and enrols the shop in the loyalty program. */
export async function openTalks(replay: Replay, at: number, products: readonly Json[]): Promise<void> {
  const { sellerId } = replay;
  const own = { subject: sellerId, sellerId, at };
  const version = 'demo-points';
  const program = {
    ...{ version, name: 'Marketplace points', effective_from: sydneyDate(at), points_per_major: 200 },
    ...{ notice_days: 30, terms_url: 'https://marketplace.example/points', terms_sha256: '0'.repeat(64) },
  };
  const enrolled = { enrolment_id: null, state: 'active', from_on: addDays(sydneyDate(at), 1) };
  const events = [
    demoEvent({ id: 'past-program', type: 'loyalty.program_published', subject: version, at, data: program }),
    demoEvent({ id: 'past-enrolled', type: 'loyalty.enrolment_decided', ...own, data: enrolled }),
  ];
  const ids = new Map(products.map(({ seller_sku, product_id }) => [seller_sku, product_id]));
  for (const [sku, question, answer] of FAQS) {
    const faq = { scope: 'product', product_id: ids.get(sku), question, answer };
    const subject = textOf((await post(replay, '/faqs', `past-faq-${sku}`, faq))['faq_id']);
    await post(replay, `/faqs/${subject}/publish`, `past-publish-${sku}`, {});
    const isBad = sku === 'CANDLE-GUM';
    const decided = { version: 1, decision: isBad ? 'rejected' : 'live', reasons: isBad ? [REJECTED] : [] };
    const about = { subject, sellerId, at, data: decided };
    events.push(demoEvent({ id: `past-faq-${sku}`, type: 'faq.decided', ...about }));
  }
  await send(replay, events);
}

async function answerBuyer(replay: Replay, at: number, orderId: string): Promise<void> {
  const { owner, sellerId } = replay;
  const [thread] = listOf((await owner.get(`/messages/threads?order_id=${orderId}`)).body);
  const path = `/messages/threads/${textOf(thread?.['thread_id'])}/messages`;
  const said = {
    text: 'Thank you for asking. We have looked into it: all is well, and we will write again.',
  };
  const subject = textOf((await post(replay, path, `past-answer-${orderId}`, said))['message_id']);
  const about = {
    subject,
    sellerId,
    at,
    data: { decision: 'delivered', reasons: [], at: new Date(at).toISOString() },
  };
  await send(replay, [demoEvent({ id: `past-answer-${orderId}`, type: 'message.moderated', ...about })]);
}

/** The shop contests a rating, and the marketplace no longer counts it. */
async function contestRating(replay: Replay, at: number, orderId: string): Promise<void> {
  const { owner, sellerId } = replay;
  const [rating] = listOf((await owner.get(`/reviews/ratings?order_id=${orderId}`)).body);
  const path = `/reviews/ratings/${textOf(rating?.['rating_id'])}/contest`;
  const why = { reason: 'wrong_order', detail: 'The buyer means a parcel of another shop.' };
  const subject = textOf((await post(replay, path, `past-contest-rating-${orderId}`, why))['contest_id']);
  const data = { status: 'upheld', reason_code: 'wrong_order', detail: 'The buyer confirms it.' };
  const about = { subject, sellerId, at, data };
  await send(replay, [demoEvent({ id: `past-rating-${orderId}-upheld`, type: 'contest.decided', ...about })]);
}

const REQUEST = {
  topic: 'settlement',
  subject: 'Why is money held back?',
  text: 'A reserve stands on our statement. What is it for?',
};

/** The marketplace answers the shop's request and resolves it. */
async function answerRequest(replay: Replay, at: number): Promise<void> {
  const { owner, sellerId } = replay;
  const [ticket] = listOf((await owner.get('/customer_service/tickets?kind=seller_request')).body);
  const about = { subject: textOf(ticket?.['ticket_id']), sellerId };
  const text = 'It covers returns of a new shop. It is released on the day that the statement names.';
  const reply = { reply_id: 'past-request-reply', author: 'marketplace', text };
  const resolved = { status: 'resolved', resolution: 'solved' };
  await send(replay, [
    demoEvent({ id: 'past-request-reply', type: 'ticket.replied', ...about, at, data: reply }),
    demoEvent({ id: 'past-request-solved', type: 'ticket.updated', ...about, at: at + 1, data: resolved }),
  ]);
}

const POINTS_PER_CENT = 2;
/** Gives points for what orders have paid into the loyalty fund, and takes them back with a refund. */
async function bookPoints(replay: Replay, at: number): Promise<void> {
  const { owner, sellerId } = replay;
  const orders = listOf((await owner.get('/loyalty/reconciliation?limit=200')).body);
  const events = orders.flatMap(({ order_id, fund_minor, difference_minor: difference }) => {
    if (typeof difference !== 'number' || difference === 0) return [];
    const name = `past-points-${textOf(order_id)}-${String(fund_minor)}`;
    const funded_minor = Math.abs(difference);
    const points = POINTS_PER_CENT * funded_minor;
    const member_ref = `member-${textOf(order_id)}`;
    const data = { transaction_id: name, member_ref, order_id, points, funded_minor };
    const type = `loyalty.${difference > 0 ? 'earned' : 'reversed'}`;
    return [demoEvent({ id: name, type, subject: sellerId, sellerId, at, data })];
  });
  await send(replay, events);
}

/** Runs the steps of one instant that are about conversations. */
export async function runTalks(replay: Replay, at: number, steps: readonly PastStep[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'answer') await answerBuyer(replay, at, step.orderId);
    if (step.kind === 'contest_rating') await contestRating(replay, at, step.orderId);
    if (step.kind === 'ask') await post(replay, '/customer_service/tickets', 'past-request', REQUEST);
    if (step.kind === 'hear') await answerRequest(replay, at);
    if (step.kind === 'points') await bookPoints(replay, at);
  }
}
