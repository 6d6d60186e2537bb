/** Tickets that name the buyer only by a rating. Source: docs/design/buyers.md#erasure. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { rated } from '../../../../test/support/reviews.ts';
import { opened, post, REQUEST, tell } from '../../../../test/support/tickets.ts';

const app = await startTestApp();
const text = 'Mia waits at the blue door';
const minutesAgo = (minutes: number) => ({
  time: new Date(app.app.services.now() - minutes * 60_000).toISOString(),
});

test('an erasure reaches tickets about a rating by the buyer’s order, also late ones', async () => {
  const seller = await app.seller();
  const buyer = { alias: 'mia', customer_ref: 'cus_1' };
  const order_id = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer });
  const { rating_id } = await rated(app, seller, order_id, { rating: 1 });
  const links = { rating_id };
  const { body: own } = await post(seller, '', { ...REQUEST, links });
  expect(await tell(app, seller, 'replied', own, { author: 'buyer', text })).toBe('applied');
  await opened(app, seller, { kind: 'enquiry', links, subject: text, text });
  const stored = async () =>
    JSON.stringify(
      await Promise.all(
        ['ticket', 'ticket_entry', 'outbox'].map((table) =>
          asOwner(app, `select to_jsonb(t)::text as row from ${table} t where seller_id = $1`, [
            seller.seller_id,
          ]),
        ),
      ),
    );
  expect(await stored()).toContain('blue door');
  const request = { request_id: randomUUID(), customer_ref: 'cus_1' };
  await apply(app, orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, request));
  expect(await tell(app, seller, 'replied', own, { author: 'buyer', text }, minutesAgo(5))).toBe('applied');
  const late = { kind: 'enquiry', links, subject: text, text };
  await apply(app, orderEvent(app, seller, 'ticket.opened', randomUUID(), late, minutesAgo(5)));
  expect(await stored()).not.toContain('blue door');
});
