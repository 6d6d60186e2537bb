/** Events of one thread end alike in every order, if the marketplace repeats those that were rejected. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { message, messagesOf, tell, threadsOf } from '../../../../test/support/conversations.ts';
import { orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { permutations } from '../../../../test/support/permutations.ts';

const app = await startTestApp();
const seller = await app.seller();
const HOUR_MS = 3_600_000;
const began = app.app.services.now() - 24 * HOUR_MS;

type Step = readonly [kind: 'ask' | 'inform' | 'update', data: object];
const ASK: Step = ['ask', {}];
const NOTE: Step = ['inform', { automatic: true }];
const update = (data: object): Step => ['update', data];
const CLOSE = update({ status: 'closed' });

/** Sends the steps in an order, and repeats what is rejected until everything is taken. */
async function endOf(steps: readonly Step[], order: readonly number[]) {
  const subject = await placeOrder(app, seller, [{ title: 'Mug' }]);
  const ref = `conv-${randomUUID()}`;
  let left = order.map((index) => {
    const [kind, data] = steps[index] ?? ASK;
    const more = { time: new Date(began + index * HOUR_MS).toISOString() };
    return kind === 'update'
      ? orderEvent(app, seller, 'thread.updated', ref, data, more)
      : message(app, seller, subject, { customer_ref: null, from: null, thread_ref: ref, ...data }, more);
  });
  for (let rounds = steps.length; left.length > 0 && rounds > 0; rounds -= 1) {
    const again: typeof left = [];
    for (const event of left) {
      const [status] = await tell(app, event);
      if (status !== 'applied' && status !== 'stale') again.push(event);
    }
    left = again;
  }
  const threads = await threadsOf(seller, `?order_id=${subject}`);
  const [thread] = threads;
  const kept = await messagesOf(seller, thread?.thread_id ?? '');
  return {
    threads: threads.length,
    status: thread?.status,
    waiting_on: thread?.waiting_on,
    locked: thread?.locked,
    unread: thread?.unread_count,
    origins: kept.map(({ origin }) => origin).sort(),
    rejected: left.length,
  };
}

test.each<[string, readonly Step[], object]>([
  ['a question after the closing', [ASK, CLOSE, ASK], { status: 'open', waiting_on: 'seller' }],
  ['a closing after two questions', [ASK, ASK, CLOSE], { status: 'closed', waiting_on: 'nobody' }],
  [
    'a closing, an opening and a note',
    [ASK, CLOSE, update({ status: 'open', locked: true }), NOTE],
    { status: 'open', waiting_on: 'nobody', locked: true },
  ],
  [
    'an opening and a question',
    [ASK, CLOSE, update({ status: 'open' }), ASK],
    { status: 'open', waiting_on: 'seller' },
  ],
  ['a note after the closing', [ASK, CLOSE, NOTE], { status: 'open', waiting_on: 'nobody' }],
])('%s', async (_, steps, expected) => {
  for (const order of permutations(steps.map((__, index) => index)))
    expect({ order, ...(await endOf(steps, order)) }).toMatchObject({
      order,
      threads: 1,
      rejected: 0,
      ...expected,
    });
});
