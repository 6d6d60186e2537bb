/** Buyers who write to a seller, as the marketplace tells of it. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { callInternal } from './internal.ts';
import { orderEvent, placeOrder } from './orders.ts';

export interface ThreadView {
  readonly thread_id: string;
  readonly status: string;
  readonly waiting_on: string;
  readonly unread_count: number;
  readonly message_count: number;
  readonly respond_by: string | null;
  readonly locked: boolean;
  readonly buyer: { readonly buyer_id: string; readonly alias: string } | null;
  readonly turn: Readonly<Record<string, unknown>> | null;
  readonly previous_thread_id: string | null;
  readonly allowed_actions: readonly string[];
  readonly version: number;
}
export interface MessageView {
  readonly message_id: string;
  readonly thread_id: string;
  readonly origin: string;
  readonly text: string | null;
  readonly masked: readonly string[];
  readonly redacted: { readonly reason: string } | null;
  readonly status: string;
  readonly attachments: readonly Readonly<Record<string, unknown>>[];
}
type Seller = Pick<TestSeller, 'seller_id' | 'call'>;

/** `message.received` about a subject. In a thread, which has a buyer, it names none by a reference. */
export const message = (
  app: TestApp,
  seller: Seller,
  subject: string,
  data: object = {},
  more: object = {},
) =>
  orderEvent(
    app,
    seller,
    'message.received',
    subject,
    {
      message_id: `m-${randomUUID()}`,
      from: 'buyer_9f2',
      customer_ref: subject.startsWith('thr_') ? null : 'cus_77',
      text: 'Where is it?',
      ...data,
    },
    more,
  );

/** The statuses of events, or the codes of their rejections. */
export const tell = async (app: TestApp, ...events: readonly object[]): Promise<(string | undefined)[]> =>
  (await app.events(...(events as Record<string, unknown>[]))).map(({ status, code }) => code ?? status);

/** The thread that a message makes or joins. */
export async function asked(
  app: TestApp,
  seller: Seller,
  subject: string,
  data: object = {},
): Promise<ThreadView> {
  const [status] = await tell(app, message(app, seller, subject, data));
  if (status !== 'applied') throw new Error(`message: ${status}`);
  const [thread] = await threadsOf(seller);
  if (thread === undefined) throw new Error('no thread');
  return thread;
}

/** The thread about a new order of a new buyer. */
export async function conversation(
  app: TestApp,
  seller: TestSeller,
  lines: Parameters<typeof placeOrder>[2],
  data: object = {},
): Promise<ThreadView & { readonly order_id: string }> {
  const buyer = { alias: 'buyer_9f2', customer_ref: randomUUID() };
  const order_id = await placeOrder(app, seller, lines, { buyer });
  return { ...(await asked(app, seller, order_id, { customer_ref: null, ...data })), order_id };
}

/** Status and code of a refusal. */
export const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
/** The problems of a refused text. */
export const typesOf = ({ body }: { body: { detail: unknown } }) =>
  (body.detail as { type: string; loc: unknown; ctx?: object }[]).map(({ type, loc, ctx }) => [
    type,
    loc,
    ctx,
  ]);

export const threadsOf = async (seller: Seller, query = ''): Promise<readonly ThreadView[]> =>
  (await seller.call<{ data: ThreadView[] }>('GET', `/messages/threads${query}`)).body.data;
export const thread = async (seller: Seller, id: string): Promise<ThreadView> =>
  (await seller.call<ThreadView>('GET', `/messages/threads/${id}`)).body;
export const messagesOf = async (seller: Seller, id: string): Promise<readonly MessageView[]> =>
  (await seller.call<{ data: MessageView[] }>('GET', `/messages/threads/${id}/messages`)).body.data;

/** Posts below a thread. */
export const act = (seller: Seller, id: string, path: string, json: object = {}) =>
  seller.call<MessageView & ThreadView & { code: string; detail: unknown }>(
    'POST',
    `/messages/threads/${id}/${path}`,
    { json },
  );
export const say = (seller: Seller, id: string, text = 'It left today.', more: object = {}) =>
  act(seller, id, 'messages', { text, ...more });

/** Moves the manual clock. */
export async function moveTo(app: TestApp, instant: string): Promise<void> {
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: instant } });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** A thread whose buyer waits, after some steps of the seller. */
async function waiting(app: TestApp, seller: TestSeller, ...steps: readonly string[]) {
  const order = await placeOrder(app, seller, [{ title: 'Mug' }]);
  const { thread_id } = await asked(app, seller, order, { customer_ref: null, from: null });
  for (const step of steps) await act(seller, thread_id, step);
  const [last] = await messagesOf(seller, thread_id);
  return { ids: { thread_id, message_id: last?.message_id ?? '' } };
}

/** Ids for tests of every route. */
export const conversationObjects = async (
  app: TestApp,
  seller: TestSeller,
): Promise<Record<string, string>> => (await waiting(app, seller)).ids;

/** Requests that succeed, by the ids of their routes. */
export function conversationSendings(app: TestApp, sellerOf: () => TestSeller) {
  const thread = () => waiting(app, sellerOf());
  return {
    'messages.threads.create': async () => {
      const order_id = await placeOrder(app, sellerOf(), [{ title: 'Mug' }], {
        buyer: { alias: `b-${randomUUID()}` },
      });
      return { json: { order_id, topic: 'delay', text: 'Your mug leaves tomorrow.' } };
    },
    ...{ 'messages.thread_messages.create': thread, 'messages.thread_messages.report': thread },
    ...{ 'messages.threads.acknowledge': thread, 'messages.threads.settle': thread },
    'messages.threads.close': () => waiting(app, sellerOf(), 'no-reply-needed'),
    'messages.threads.reopen': () => waiting(app, sellerOf(), 'no-reply-needed', 'close'),
    'messages.attachments.create': async () => ({
      body: 'A note',
      headers: { 'content-type': 'text/plain' },
    }),
  };
}
