/** Drafts of fee documents, and their numbers, over HTTP. */

import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  closeAndIssue as close,
  delivered,
  FIRST,
  type InvoiceBody,
  type InvoiceList as List,
  ofOrder as line,
  SECOND,
} from '../../../../test/support/invoices.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { acting } from '../../../platform/acting.ts';
import { issueInvoices } from './issue-invoices.ts';

/** The day must not end between two requests of a test, and no nightly job may close its books. */
const CLOCK = { CLOCK: 'manual', CLOCK_START: '2026-09-01T00:00:00Z' };
const app = await startTestApp(CLOCK);
/** A marketplace that must not charge GST for one component. */
const mixed = await startTestApp({ ...CLOCK, OPERATOR_UNTAXED_COMPONENTS: 'payment_processing' });
beforeAll(() => untilJobsRest(app, mixed));

test('numbers have no gap when closes run concurrently and some of them fail', async () => {
  const seller = await app.seller();
  const { services } = app.app;
  const books = bookkeeper(app, seller.seller_id);
  const closed: { settlement_id: string; start: string; end: string }[] = [];
  for (let day = 1; day <= 12; day += 1) {
    const date = `2026-05-${String(day).padStart(2, '0')}`;
    await books.post(date, delivered(`ord_${day}`));
    closed.push({ settlement_id: await books.close(date, date), start: date, end: date });
  }
  const issue = ({ settlement_id, start, end }: (typeof closed)[number], fails: boolean) =>
    services.withSeller(seller.seller_id, 'write', async (db) => {
      const settlement = { settlement_id, currency: 'AUD', period_start: start, period_end: end };
      await issueInvoices(acting(services, { db, seller_id: seller.seller_id }), {
        ...settlement,
        closed_at: `${end}T16:00:00.000Z`,
      });
      if (fails) throw new Error('on purpose');
    });
  const numbers = async () =>
    (await seller.call<List>('GET', '/financials/invoices?limit=200')).body.data
      .map(({ invoice_number }) => Number(invoice_number?.slice(-4)))
      .sort((a, b) => a - b);
  const outcomes = await Promise.allSettled(closed.map((one, index) => issue(one, index % 3 === 0)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  // The failed ones are issued later with the next numbers; the others do not change.
  await Promise.all(closed.map((one) => issue(one, false)));
  expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

describe('a draft', () => {
  test('previews the fees of the open settlement under the id of its invoice, and has no file: 409', async () => {
    const seller = await app.seller();
    const books = bookkeeper(app, seller.seller_id);
    await books.post('2026-05-02', [
      ...delivered('ord_a'),
      { amount: 300, type: 'platform_fee_credit', ...line('ord_a', 'oli_1') },
    ]);
    expect((await seller.call<List>('GET', '/financials/invoices')).body.data).toEqual([]);
    const drafts = await seller.call<List>('GET', '/financials/invoices?status=draft');
    expect(drafts.body.data).toHaveLength(1);
    const [draft] = drafts.body.data;
    expect(draft).toMatchObject({
      ...{ status: 'draft', invoice_number: null, issued_on: null, created_at: null },
      ...{ period_start: FIRST[0], period_end: FIRST[1], total_minor: 1_080, pdf_status: 'pending' },
    });
    const path = `/financials/invoices/${draft?.invoice_id}`;
    expect((await seller.call<InvoiceBody>('GET', path)).body).toEqual(draft);
    const refused = await seller.call<Record<string, unknown>>('GET', `${path}/pdf`);
    expect([refused.status, refused.body['code']]).toEqual([409, 'invoice_draft']);
    const stranger = await app.seller();
    expect((await stranger.call('GET', `${path}/pdf`)).status).toBe(404);
    const [issued] = await close(app, seller, FIRST);
    expect(issued).toMatchObject({
      invoice_id: draft?.invoice_id,
      status: 'issued',
      total_minor: 1_080,
      lines: draft?.lines,
    });
    expect((await seller.call('GET', `${path}/pdf`)).status).toBe(200);
    expect((await seller.call<List>('GET', '/financials/invoices?status=draft')).body.data).toEqual([]);
  });

  test('of each document of the period equals the document that is issued later', async () => {
    const seller = await mixed.seller();
    const books = bookkeeper(mixed, seller.seller_id);
    await books.post('2026-05-02', delivered('ord_a'));
    await close(mixed, seller, FIRST);
    await books.post('2026-05-20', [
      ...delivered('ord_b'),
      { amount: 1_000, type: 'platform_fee_credit', ...line('ord_a', 'oli_1') },
      { amount: 150, type: 'payment_processing_credit', ...line('ord_a') },
    ]);
    const shown = (documents: readonly InvoiceBody[]) =>
      documents
        .map(({ invoice_id, kind, total_minor, lines, adjusts_invoice_ids }) => ({
          ...{ invoice_id, kind, total_minor, lines, adjusts_invoice_ids },
        }))
        .toSorted((a, b) => (a.invoice_id < b.invoice_id ? -1 : 1));
    const drafts = await seller.call<List>('GET', '/financials/invoices?status=draft');
    expect(drafts.body.data.map(({ kind, total_minor }) => [kind, total_minor])).toEqual([
      ['tax_invoice', 1_230],
      ['adjustment_note', -1_000],
      ['invoice', 150],
      ['adjustment_note', -150],
    ]);
    expect(shown(await close(mixed, seller, SECOND))).toEqual(shown(drafts.body.data));
  });
});
