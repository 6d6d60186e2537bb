/** Any interleaving of buyers, the seller and moderation. Source: docs/design/conversations.md#threads. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import {
  act,
  message,
  messagesOf,
  moveTo,
  say,
  tell,
  thread,
  threadsOf,
} from '../../../../test/support/conversations.ts';
import { orderEvent, placeOrder } from '../../../../test/support/orders.ts';

const RUNS = 6;
const START = Date.parse('2026-06-02T01:00:00.000Z');
const DAY_MS = 86_400_000;
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: new Date(START).toISOString() });

/** What others write, and what the marketplace says of the thread. */
const WRITINGS: Readonly<Record<string, object>> = {
  ask: {},
  inform: { role: 'marketplace' },
  automatic: { automatic: true },
};
const UPDATES: Readonly<Record<string, object>> = {
  ...{ closed: { status: 'closed' }, open: { status: 'open' } },
  ...{ lock: { locked: true }, unlock: { locked: false } },
};
const MOVES = ['reply', 'no_reply_needed', 'close', 'reopen'] as const;
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('ask', 'ask', 'inform', 'automatic') }),
  fc.record({ do: fc.constantFrom(...MOVES, 'reply', 'reply') }),
  fc.record({ do: fc.constantFrom('closed', 'open', 'lock', 'unlock') }),
  fc.record({ do: fc.constantFrom('delivered', 'held', 'rejected', 'rejected', 'removed'), of: fc.nat(5) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What the rules say about a thread. */
interface Model {
  waiting: 'seller' | 'buyer' | 'nobody';
  /** Who has closed it. */
  closed: 'seller' | 'marketplace' | null;
  turns: number;
  /** The newest turn is open exactly while the thread waits for the seller; else the reply that has ended it. */
  endedBy: string | null;
  /** The seller's messages since the buyer's last one, the oldest first. */
  row: string[];
  messages: number;
}

function rejected(model: Model, id: string): void {
  const later = model.row.slice(model.row.indexOf(id) + 1);
  model.row = model.row.filter((one) => one !== id);
  if (model.endedBy !== id) return;
  model.endedBy = later[0] ?? null;
  if (model.endedBy !== null || model.closed === 'marketplace') return;
  Object.assign(model, { waiting: 'seller', closed: null });
}

/** The model after a step that was taken. @param id of the message that it is about */
function follow(model: Model, done: string, id: string): void {
  if (done === 'ask') {
    if (model.waiting !== 'seller') Object.assign(model, { turns: model.turns + 1, endedBy: null });
    Object.assign(model, { waiting: 'seller', closed: null, row: [] });
  }
  if (done === 'inform' || done === 'automatic') model.closed = null;
  if (['ask', 'inform', 'automatic', 'reply'].includes(done)) model.messages += 1;
  if (done === 'reply') {
    if (model.waiting === 'seller') model.endedBy = id;
    Object.assign(model, { waiting: 'buyer', closed: null, row: [...model.row, id] });
  }
  if (done === 'no_reply_needed') model.waiting = 'nobody';
  if (done === 'close') Object.assign(model, { closed: 'seller', waiting: 'nobody' });
  if (done === 'closed') Object.assign(model, { closed: 'marketplace', waiting: 'nobody' });
  if ((done === 'open' || done === 'reopen') && model.closed !== null)
    Object.assign(model, { closed: null, waiting: 'nobody' });
  if (done === 'rejected') rejected(model, id);
}

interface Done {
  readonly taken: boolean;
  /** The message that the step is about. */
  readonly id: string;
}

/** A thread about a new order, in which a buyer has asked. */
async function begin(seller: TestSeller) {
  const order = await placeOrder(app, seller, [{ title: 'Mug' }]);
  let at = START - DAY_MS;
  const later = () => {
    at += 1_000;
    return { time: new Date(at).toISOString() };
  };
  const told = (type: string, subject: string, about: object) =>
    tell(app, orderEvent(app, seller, type, subject, about, later()));
  const written = async (subject: string, data: object) => {
    const unnamed = { customer_ref: null, from: null };
    expect(await tell(app, message(app, seller, subject, { ...unnamed, ...data }, later()))).toEqual([
      'applied',
    ]);
  };
  await written(order, {});
  const [{ thread_id } = { thread_id: '' }] = await threadsOf(seller, `?order_id=${order}`);
  const sent: string[] = [];
  /** What is offered is taken, and nothing else. */
  const move = async (name: string): Promise<Done> => {
    const { allowed_actions } = await thread(seller, thread_id);
    const { status, body } =
      name === 'reply'
        ? await say(seller, thread_id, 'It is on its way.')
        : await act(seller, thread_id, name.replaceAll('_', '-'));
    const taken = status < 400;
    expect([name, taken, taken || status]).toEqual([name, allowed_actions.includes(name), taken || 409]);
    const id = name === 'reply' && taken ? body.message_id : '';
    if (id !== '') sent.push(id);
    return { taken, id };
  };
  const run = async (one: Step): Promise<Done> => {
    const { do: made } = one;
    if (WRITINGS[made] !== undefined) await written(thread_id, WRITINGS[made]);
    else if (UPDATES[made] !== undefined) await told('thread.updated', thread_id, UPDATES[made]);
    else if (!('of' in one)) return move(made);
    else {
      const id = sent.at(-1 - one.of);
      const [status] = id === undefined ? [] : await told('message.moderated', id, { decision: made });
      return { taken: status === 'applied', id: id ?? '' };
    }
    return { taken: true, id: '' };
  };
  return { thread_id, run };
}

/** Plays a history. @returns the number of turns */
async function play(seller: TestSeller, steps: readonly Step[]): Promise<number> {
  const { thread_id, run } = await begin(seller);
  const model: Model = { waiting: 'seller', closed: null, turns: 1, endedBy: null, row: [], messages: 1 };
  for (const one of steps) {
    const { taken, id } = await run(one);
    if (taken) follow(model, one.do, id);
    const now = await thread(seller, thread_id);
    expect([one.do, now]).toMatchObject([
      one.do,
      {
        ...{ waiting_on: model.waiting, status: model.closed === null ? 'open' : 'closed' },
        ...{ message_count: model.messages, turn: { turn_no: model.turns } },
      },
    ]);
    const isOpen = model.waiting === 'seller';
    expect([now.turn?.['outcome'] === 'open', now.respond_by !== null]).toEqual([isOpen, isOpen]);
  }
  expect(await messagesOf(seller, thread_id)).toHaveLength(model.messages);
  return model.turns;
}

test('a turn is open exactly while the seller is waited for, and outcomes sum to what was received', async () => {
  let seller = await app.seller();
  let received = 0;
  const histories = fc.sample(fc.array(step, { minLength: 12, maxLength: 20 }), { numRuns: RUNS, seed: 7 });
  for (const steps of histories) received += await play(seller, steps);
  const open = await asOwner<{ turns: number }>(
    app,
    "select count(*)::int as turns from thread_turn where seller_id = $1 and outcome = 'open' group by thread_id",
    [seller.seller_id],
  );
  expect(open.every(({ turns }) => turns === 1)).toBe(true);
  await moveTo(app, new Date(START + DAY_MS).toISOString());
  seller = await seller.renew();
  const { body } = await seller.call<Record<string, number>>('GET', '/messages/metrics?window=7');
  const outcomes = ['in_time', 'late', 'overdue_open', 'pending', 'no_reply_needed', 'withdrawn'];
  expect([body['received'], outcomes.reduce((sum, name) => sum + (body[name] ?? 0), 0)]).toEqual([
    received,
    received,
  ]);
});
