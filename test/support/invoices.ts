/** Fee documents of settlements that are written by hand. */

import type { Static } from 'typebox';
import { issueInvoices } from '../../src/modules/invoices/actions/issue-invoices.ts';
import type { Invoice } from '../../src/modules/invoices/schemas/invoice.ts';
import { acting } from '../../src/platform/acting.ts';
import type { TestApp, TestSeller } from './app.ts';
import { untilJobsRest } from './jobs.ts';
import { bookkeeper, type Posting } from './settlements.ts';

export type InvoiceBody = Static<typeof Invoice>;
export interface InvoiceList {
  readonly data: InvoiceBody[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
}

/** Two periods, one after the other. */
export const FIRST = ['2026-05-01', '2026-05-15'] as const;
export const SECOND = ['2026-05-16', '2026-05-31'] as const;

/** The order and the order line of a posting. */
export const ofOrder = (order_id: string, order_line_id: string | null = null) => ({
  order_id,
  order_line_id,
});

/** The postings of a delivered order. */
export const delivered = (order_id: string): Posting[] => [
  { amount: 10_000, type: 'sale', ...ofOrder(order_id, 'oli_1') },
  { amount: -1_000, type: 'platform_fee', ...ofOrder(order_id, 'oli_1') },
  { amount: -200, type: 'loyalty_program_fund', ...ofOrder(order_id, 'oli_1') },
  { amount: -30, type: 'seller_order_fee', ...ofOrder(order_id) },
  { amount: -150, type: 'payment_processing', ...ofOrder(order_id) },
];

/** Closes a period, issues its documents, and waits for their files; returns the documents by number. */
export async function closeAndIssue(
  on: TestApp,
  seller: TestSeller,
  [start, end]: readonly [string, string],
): Promise<InvoiceBody[]> {
  const { services } = on.app;
  const settlement_id = await bookkeeper(on, seller.seller_id).close(start, end);
  const settlement = {
    settlement_id,
    currency: 'AUD',
    period_start: start,
    period_end: end,
    closed_at: `${end}T16:00:00.000Z`,
  };
  await services.withSeller(seller.seller_id, 'write', (db) =>
    issueInvoices(acting(services, { db, seller_id: seller.seller_id }), settlement),
  );
  await services.jobs.runDue();
  // The worker may already have taken a job.
  await untilJobsRest(on);
  const answer = await seller.call<InvoiceList>('GET', `/financials/invoices?settlement_id=${settlement_id}`);
  return answer.body.data.toSorted((a, b) => ((a.invoice_number ?? '') < (b.invoice_number ?? '') ? -1 : 1));
}
