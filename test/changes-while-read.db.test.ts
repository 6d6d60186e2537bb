/**
 * Lists of changes while rows change: who begins each list at `resume_since` of the one before ends with what the whole
 * list shows. Source: docs/design/wire.md.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from './support/app.ts';
import { asked, message, moveTo } from './support/conversations.ts';
import { apply, orderEvent, placeOrder } from './support/orders.ts';
import { rated } from './support/reviews.ts';
import { opened, tell } from './support/tickets.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-16T01:00:00Z' });
/** Longer than the time that `resume_since` goes back, so that the next list does not read everything again. */
const STEP_MS = 90_000;
/** The alias of the buyer who is erased. */
const GONE = 'mia_blue';

interface Row {
  readonly version: number;
  readonly buyer: object | null;
  readonly [field: string]: unknown;
}
interface List {
  readonly data: readonly Row[];
  readonly page: { readonly next_cursor: string | null };
  readonly resume_since: string;
}
type Change = () => Promise<unknown>;

const now = (): string => new Date(app.app.services.now()).toISOString();
const pass = (): Promise<void> => moveTo(app, new Date(app.app.services.now() + STEP_MS).toISOString());

/** Makes a row about an order of a buyer. Returns how it is changed. */
const MAKERS: Readonly<
  Record<string, (seller: TestSeller, order: string, customer_ref: string) => Promise<Change>>
> = {
  orders: async (seller, order) => {
    const request = { request_id: randomUUID(), reason: 'changed_mind' };
    return () => apply(app, orderEvent(app, seller, 'order.cancel_requested', order, request));
  },
  'messages/threads': async (seller, order, customer_ref) => {
    const { thread_id } = await asked(app, seller, order, { customer_ref });
    return () => apply(app, message(app, seller, thread_id));
  },
  'customer_service/tickets': async (seller, order_id) => {
    const ticket = await opened(app, seller, { kind: 'enquiry', order_id });
    return () => tell(app, seller, 'replied', ticket, {});
  },
  // Only the buyer's own texts are deleted of such a ticket.
  'customer_service/tickets of the marketplace': async (seller, order_id) => {
    const ticket = await opened(app, seller, { kind: 'marketplace_request', order_id });
    await tell(app, seller, 'replied', ticket, { text: `I am ${GONE}` });
    return () => tell(app, seller, 'replied', ticket, {});
  },
  'reviews/ratings': async (seller, order, customer_ref) => {
    const review_id = randomUUID();
    await rated(app, seller, order, { review_id, customer_ref, rating: 1 });
    let rating = 1;
    return () => {
      rating = (rating % 5) + 1;
      return apply(app, orderEvent(app, seller, 'review.revised', order, { review_id, rating }));
    };
  },
};

test.each(Object.keys(MAKERS))(
  '/%s',
  async (path) => {
    let seller = await app.seller();
    const read = async (query: string) =>
      (await seller.call<List>('GET', `/${path.split(' ')[0]}?${query}`)).body;
    const idOf = (row: Row): string => String(Object.values(row)[0]);
    const known = new Map<string, Row>();
    const changes: Change[] = [];
    const erased = randomUUID();
    const add = async (customer_ref: string): Promise<void> => {
      const buyer = { customer_ref, alias: customer_ref === erased ? GONE : 'sam_green' };
      const order = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer });
      const make = MAKERS[path];
      if (make !== undefined) changes.push(await make(seller, order, customer_ref));
    };
    /** Reads the changes page by page, and changes rows between the pages. */
    const follow = async (since: string, between: readonly Change[]): Promise<string> => {
      const waiting = [...between];
      let list = await read(`limit=2&updated_since=${since}`);
      const resume = list.resume_since;
      for (;;) {
        for (const row of list.data) known.set(idOf(row), row);
        await waiting.shift()?.();
        const { next_cursor } = list.page;
        if (next_cursor === null) break;
        await pass();
        list = await read(`limit=2&updated_since=${since}&cursor=${next_cursor}`);
      }
      for (const change of waiting) await change();
      await pass();
      seller = await seller.renew();
      return resume;
    };

    let since = now();
    for (let row = 0; row < 5; row += 1) await add(row === 0 ? erased : randomUUID());
    const [first, second, third, , fifth] = changes;
    // The first rows are on the last page, the fifth is on the first one.
    since = await follow(since, [...(first && fifth ? [first, fifth] : []), () => add(randomUUID())]);
    const request = { request_id: randomUUID(), customer_ref: erased };
    let erasedAt = '';
    const erase = () => {
      erasedAt = now();
      return apply(app, orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, request));
    };
    since = await follow(since, [...(third && second ? [third, second] : []), erase]);
    since = await follow(since, []);
    await follow(since, []);

    const all = (await read('')).data;
    expect(all).toHaveLength(6);
    expect(all.filter(({ updated_at }) => updated_at === erasedAt)).toHaveLength(1);
    expect(JSON.stringify([...known.values()])).not.toContain(GONE);
    const shown = ({ version, buyer, updated_at }: Row) => ({ version, buyer, updated_at });
    expect(all.map((row) => [idOf(row), shown(known.get(idOf(row)) ?? row)])).toEqual(
      all.map((row) => [idOf(row), shown(row)]),
    );
  },
  120_000,
);
