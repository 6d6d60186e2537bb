/** The marketplace and the buyers of the tests of tickets. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { asOwner } from './audit.ts';
import { callInternal } from './internal.ts';
import { PHOTO } from './kyc.ts';
import { apply, orderEvent, placeOrder, stocked } from './orders.ts';

export interface Clock {
  readonly metric: string;
  readonly round: number;
  readonly obligated: string;
  readonly status: string;
  readonly due_at: string | null;
  readonly used_minutes: number;
  readonly target_minutes: number;
}
export interface Ticket {
  readonly ticket_id: string;
  readonly status: string;
  readonly priority: string;
  readonly subject: string;
  readonly waiting_on: string;
  readonly version: number;
  readonly escalated_at: string | null;
  readonly closes_at: string | null;
  readonly buyer: { readonly buyer_id: string } | null;
  readonly clocks: readonly Clock[];
  readonly claim: Readonly<Record<string, unknown>> | null;
  readonly allowed_actions: readonly string[];
  readonly code?: string;
  readonly [key: string]: unknown;
}
export interface Entry {
  readonly entry_id: string;
  readonly author: string;
  readonly move: string;
  readonly text: string | null;
  readonly masked: readonly string[];
  readonly redacted: { readonly reason: string } | null;
}

const BASE = '/customer_service/tickets';
export const post = (seller: TestSeller, path: string, json: object = {}, headers = {}) =>
  seller.call<Ticket>('POST', `${BASE}${path}`, { json, headers });

export const REQUEST = {
  topic: 'settlement',
  subject: 'An order is missing',
  text: 'Order 1002 is missing.',
};
export const request = async (seller: TestSeller, more: object = {}): Promise<Ticket> => {
  const { status, body, text } = await post(seller, '', { ...REQUEST, ...more });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return body;
};
export const readTicket = async (seller: TestSeller, { ticket_id }: { ticket_id: string }): Promise<Ticket> =>
  (await seller.call<Ticket>('GET', `${BASE}/${ticket_id}`)).body;
export const entriesOf = async (seller: TestSeller, { ticket_id }: { ticket_id: string }): Promise<Entry[]> =>
  (await seller.call<{ data: Entry[] }>('GET', `${BASE}/${ticket_id}/entries`)).body.data;
export const clockOf = ({ clocks }: Ticket, metric: string, round = 1): Clock => {
  const found = clocks.find((clock) => clock.metric === metric && clock.round === round);
  if (found === undefined) throw new Error(`no ${metric} ${round} in ${JSON.stringify(clocks)}`);
  return found;
};

/** Opens a ticket for the marketplace, and reads it. */
export async function opened(app: TestApp, seller: TestSeller, data: object): Promise<Ticket> {
  const subject = `T-${randomUUID()}`;
  await apply(app, orderEvent(app, seller, 'ticket.opened', subject, { text: 'Where is it?', ...data }));
  const { body } = await seller.call<{ data: Ticket[] }>('GET', BASE);
  const found = body.data.find(({ external_ticket_id }) => external_ticket_id === subject);
  if (found === undefined) throw new Error(`${subject} is not listed`);
  return found;
}
export const CLAIM = {
  kind: 'claim',
  subject: 'Parcel has not arrived',
  claim: { type: 'not_received', amount_minor: 6_345, currency: 'AUD', filed_at: '2026-04-01T00:00:00Z' },
};

/** Sends an event about a ticket; answers its status, or the code of its refusal. */
export async function tell(
  app: TestApp,
  seller: TestSeller,
  type: 'replied' | 'updated',
  { ticket_id }: { ticket_id: string },
  data: object,
  more: object = {},
): Promise<string | undefined> {
  const filled =
    type === 'replied' ? { reply_id: randomUUID(), author: 'buyer', text: 'Hello?', ...data } : data;
  const [result] = await app.events(orderEvent(app, seller, `ticket.${type}`, ticket_id, filled, more));
  return result?.code ?? result?.status;
}

/** Moves the clock, and signs the sellers in again. */
export async function moveTo<S extends readonly TestSeller[]>(
  app: TestApp,
  now: string,
  ...sellers: S
): Promise<TestSeller[]> {
  const { status, text } = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  if (status !== 200) throw new Error(text);
  return Promise.all(sellers.map((seller) => seller.renew()));
}

/** Requests that succeed, by the ids of their routes. */
export function ticketSendings(app: TestApp, sellerOf: () => TestSeller) {
  const own = async () => ({ ids: { ticket_id: (await request(sellerOf())).ticket_id } });
  const claim = async () => {
    const seller = sellerOf();
    const { sku } = await stocked(seller, 5);
    const found = await opened(app, seller, { ...CLAIM, order_id: await placeOrder(app, seller, [{ sku }]) });
    return { ids: { ticket_id: found.ticket_id } };
  };
  const area = 'customer_service';
  return {
    [`${area}.tickets.create`]: async () => ({ json: REQUEST }),
    [`${area}.tickets.update`]: own,
    [`${area}.replies.create`]: own,
    [`${area}.tickets.resolve`]: own,
    [`${area}.tickets.reopen`]: async () => {
      const sending = await own();
      await post(sellerOf(), `/${sending.ids.ticket_id}/resolve`, { resolution: 'solved' });
      return sending;
    },
    [`${area}.tickets.escalate`]: async () => {
      const sending = await own();
      const overdue = "update sla_clock set due_at = '2020-01-01' where ticket_id = $1";
      await asOwner(app, overdue, [sending.ids.ticket_id]);
      return sending;
    },
    [`${area}.claims.respond`]: claim,
    [`${area}.claims.accept`]: claim,
    [`${area}.claims.appeal`]: async () => {
      const sending = await claim();
      await tell(app, sellerOf(), 'updated', sending.ids, { claim: { decision: 'granted' } });
      return sending;
    },
    [`${area}.attachments.create`]: async () => ({
      body: new Uint8Array(PHOTO),
      headers: { 'content-type': 'image/jpeg' },
    }),
  };
}
