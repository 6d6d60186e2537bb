/**
 * Plans what buyers say about their orders and what the shop answers. Most steps share an instant with steps of orders,
 * because each instant costs the replay a move of the clock.
 */
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { dayOf, nextTimeOfDay, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { demoEvent } from '../demo-event.ts';
import type { EventStep, PastOptions, PastStep } from './past-step.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** When the shop answers orders and buyers, and buyers rate. */
const EVENING = { hour: 17, minute: 0 } as const;
const eveningAfter = (at: number): number => nextTimeOfDay(at + MINUTE_MS, EVENING);

/** A fifth of the deliveries brings a question. One answer comes so much too late. */
const ASKS_EVERY = 5;
const LATE = { index: 2, ms: 8 * DAY_MS } as const;
const QUESTIONS = [
  'My parcel is here, thank you. Is it safe for the dishwasher?',
  'One corner of the box is dented. Please call me on 0412 345 678.',
  'Can I have an invoice with our company on it? My address is ana@example.com.',
  'Do you have it in another colour?',
] as const;
/** What the last two buyers ask; they still wait. */
const LAST_QUESTIONS = [
  'Does the glaze hold in the oven?',
  'I ordered two and got one. Is the other one on its way?',
] as const;
/** Two of five deliveries are rated. The shop contests the first single star. */
const RATED = [1, 3];
const STARS = [5, 5, 4, 1, 5, 3, 4, 5] as const;
const FEEDBACK_EVERY = 8;
/** The day on which a reserve is held: the shop asks why. */
const ASKED_DAY = 17;

const isType = (step: PastStep, type: string): step is EventStep =>
  step.kind === 'event' && step.event.type === `marketplace.${type}`;

function said(
  type: string,
  name: string,
  at: number,
  about: { subject: string; sellerId: string },
  data: object,
): PastStep {
  return { kind: 'event', at, event: demoEvent({ id: `past-${name}`, type, ...about, at, data }) };
}

const question = (at: number, about: { subject: string; sellerId: string }, text: string): PastStep =>
  said('message.received', `question-${about.subject}`, at, about, {
    ...{ message_id: `past-question-${about.subject}`, topic: 'item', text },
  });

/** What follows a delivery. */
function afterDelivery(index: number, { at, event }: EventStep, sellerId: string): PastStep[] {
  const about = { subject: event.subject ?? '', sellerId };
  const [orderId, evening] = [about.subject, eveningAfter(at)];
  if (index % ASKS_EVERY === 0) {
    const asked = index / ASKS_EVERY;
    const answeredAt = evening + (asked === LATE.index ? LATE.ms : 0);
    const text = QUESTIONS[asked % QUESTIONS.length] ?? QUESTIONS[0];
    return [question(at, about, text), { kind: 'answer', at: answeredAt, orderId }];
  }
  const feedback = {
    feedback_id: `past-feedback-${orderId}`,
    topic: 'packaging',
    text: 'Less plastic, please.',
  };
  const told =
    index % FEEDBACK_EVERY === 6
      ? [
          said('feedback.posted', `feedback-${orderId}`, evening, about, {
            ...feedback,
            posted_at: event.time,
          }),
        ]
      : [];
  const place = RATED.indexOf(index % ASKS_EVERY);
  if (place === -1) return told;
  const number = RATED.length * Math.floor(index / ASKS_EVERY) + place;
  const rating = STARS[number % STARS.length] ?? 5;
  const data = { review_id: `past-review-${orderId}`, rating, posted_at: event.time };
  const contested: PastStep[] =
    number === STARS.indexOf(1) ? [{ kind: 'contest_rating', at: evening + DAY_MS, orderId }] : [];
  return [...told, said('review.posted', `review-${orderId}`, evening, about, data), ...contested];
}

/** Points follow the deliveries and refunds of orders with the loyalty mark. */
function pointSteps(orders: readonly PastStep[]): PastStep[] {
  const loyal = new Set(
    orders.flatMap((step) =>
      isType(step, 'order.placed') && (step.event.data as { loyalty?: boolean }).loyalty === true
        ? [step.event.subject]
        : [],
    ),
  );
  const booked = orders.filter(
    (step) =>
      (isType(step, 'order.delivered') || isType(step, 'refund.created')) && loyal.has(step.event.subject),
  );
  return [...new Set(booked.map(({ at }) => eveningAfter(at)))].map((at) => ({ kind: 'points', at }));
}

/** What the shop and the marketplace ask each other. */
function ticketSteps({ beganAt, until, sellerId }: PastOptions): PastStep[] {
  const askedAt = dayOf(addDays(sydneyDate(beganAt), ASKED_DAY)).start + 11 * HOUR_MS;
  const asked = {
    ...{ kind: 'marketplace_request', topic: 'catalogue', subject: 'Origin of the clay lamp' },
    text: 'Please send us the test report of the lamp.',
  };
  return [
    { kind: 'ask', at: askedAt },
    { kind: 'hear', at: eveningAfter(askedAt) },
    said('ticket.opened', 'ticket-open', until, { subject: 'T-past-open', sellerId }, asked),
  ];
}

/** @param orders the steps of all orders, order by order */
export function planTalks(orders: readonly PastStep[], options: PastOptions): PastStep[] {
  const { until, sellerId } = options;
  const delivered = orders.filter((step) => isType(step, 'order.delivered'));
  const quiet = delivered.filter(({ at }, index) => at < until && index % ASKS_EVERY === 4);
  return [
    ...delivered.flatMap((step, index) => afterDelivery(index, step, sellerId)),
    ...quiet
      .slice(-LAST_QUESTIONS.length)
      .flatMap(({ event: { subject = '' } }, index) =>
        LAST_QUESTIONS[index] === undefined
          ? []
          : [question(until, { subject, sellerId }, LAST_QUESTIONS[index])],
      ),
    ...pointSteps(orders),
    ...ticketSteps(options),
  ];
}
