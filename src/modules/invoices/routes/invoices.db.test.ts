/** Fee documents over HTTP, from the close of a settlement to the file. */

import { createHash } from 'node:crypto';
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
import { sql } from '../../../../test/support/sql.ts';
import { acting } from '../../../platform/acting.ts';
import { issueInvoices } from '../actions/issue-invoices.ts';
import { renderInvoices } from '../actions/render-invoices.ts';

/** The day must not end between two requests of a test, and no nightly job may close its books. */
const CLOCK = { CLOCK: 'manual', CLOCK_START: '2026-09-01T00:00:00Z' };
const app = await startTestApp(CLOCK);
/** A marketplace without the business number of its operator. */
const unnamed = await startTestApp({ ...CLOCK, OPERATOR_LEGAL_NAME: 'Market Pty Ltd' });
/** One that must not charge GST for one component. */
const mixed = await startTestApp({ ...CLOCK, OPERATOR_UNTAXED_COMPONENTS: 'payment_processing' });
beforeAll(() => untilJobsRest(app, unnamed, mixed));

const linesOf = ({ lines }: InvoiceBody) =>
  lines.map(({ type, quantity, amount_minor }) => [type, quantity, amount_minor]);

describe('the documents of a settlement', () => {
  test('one invoice; a credit for a fee of the same settlement is a line of it below zero', async () => {
    const seller = await app.seller();
    const books = bookkeeper(app, seller.seller_id);
    await books.post('2026-05-02', [...delivered('ord_a'), ...delivered('ord_b')]);
    await books.post('2026-05-03', [
      { amount: 250, type: 'platform_fee_credit', related_id: 'rf_1', ...line('ord_a', 'oli_1') },
    ]);
    const invoices = await close(app, seller, FIRST);
    expect(invoices).toHaveLength(1);
    const [invoice] = invoices;
    if (invoice === undefined) throw new Error('no invoice');
    expect(invoice).toMatchObject({
      kind: 'tax_invoice',
      status: 'issued',
      period_start: FIRST[0],
      period_end: FIRST[1],
      issued_on: '2026-05-16',
      total_minor: 2_510,
      adjusts_invoice_ids: [],
      paid_by: 'settlement_deduction',
      supplier: { abn: '51824753556' },
      recipient: { business_name: 'Test Goods', abn: null, address_lines: [] },
      pdf_status: 'available',
    });
    expect(invoice.invoice_number).toMatch(/^\d{8}-0001$/);
    expect(linesOf(invoice)).toEqual([
      ['platform_fee', 2, 2_000],
      ['platform_fee_credit', 1, -250],
      ['loyalty_program_fund', 2, 400],
      ['seller_order_fee', 2, 60],
      ['payment_processing', 2, 300],
    ]);
  });

  test('an adjustment note for credits of an earlier invoice, which is then adjusted', async () => {
    const seller = await app.seller();
    const books = bookkeeper(app, seller.seller_id);
    await books.post('2026-05-02', delivered('ord_a'));
    const [earlier] = await close(app, seller, FIRST);
    await books.post('2026-05-20', delivered('ord_b'));
    await books.post('2026-05-21', [
      { amount: -2_500, type: 'dispute_fee', related_id: 'dp_1', ...line('ord_a') },
      { amount: 1_000, type: 'platform_fee_credit', related_id: 'dp_1', ...line('ord_a', 'oli_1') },
      { amount: 2_500, type: 'dispute_fee_credit', related_id: 'dp_1', ...line('ord_a') },
      { amount: 100, type: 'platform_fee_credit', related_id: 'rf_2', ...line('ord_b', 'oli_1') },
    ]);
    const [invoice, note, ...more] = await close(app, seller, SECOND);
    expect(more).toEqual([]);
    // The dispute's fee was charged and credited in the same settlement; ord_a's own fee in the one before.
    expect(invoice?.total_minor).toBe(1_280);
    expect(note).toMatchObject({
      kind: 'adjustment_note',
      total_minor: -1_000,
      adjusts_invoice_ids: [earlier?.invoice_id],
    });
    expect(note?.lines).toEqual([
      {
        component: 'platform_fee',
        type: 'platform_fee_credit',
        description: 'Platform fee credit',
        quantity: 1,
        amount_minor: -1_000,
      },
    ]);
    expect([invoice, note].map((one) => one?.invoice_number?.slice(-4))).toEqual(['0002', '0003']);
    const again = await seller.call<InvoiceBody>('GET', `/financials/invoices/${earlier?.invoice_id}`);
    expect(again.body).toEqual({ ...earlier, status: 'adjusted' });
  });

  test('a note alone if there are only credits, and no document without fees', async () => {
    const seller = await app.seller();
    const books = bookkeeper(app, seller.seller_id);
    await books.post('2026-05-02', delivered('ord_a'));
    const [first] = await close(app, seller, FIRST);
    await books.post('2026-05-18', [{ amount: 400, type: 'platform_fee_credit', ...line('ord_a', 'oli_1') }]);
    const second = await close(app, seller, SECOND);
    expect(second.map(({ kind, adjusts_invoice_ids }) => [kind, adjusts_invoice_ids])).toEqual([
      ['adjustment_note', [first?.invoice_id]],
    ]);
    // A failed refund reverses its credit, so the note is a charge.
    await books.post('2026-06-02', [
      { amount: -400, type: 'platform_fee_credit_reversal', ...line('ord_a', 'oli_1') },
    ]);
    const third = await close(app, seller, ['2026-06-01', '2026-06-15']);
    expect(third.map(({ kind, total_minor }) => [kind, total_minor])).toEqual([['adjustment_note', 400]]);
    await books.post('2026-06-17', [{ amount: 500, type: 'manual_adjustment' }]);
    expect(await close(app, seller, ['2026-06-16', '2026-06-30'])).toEqual([]);
  });

  test('a component that is not taxable has a document of its own', async () => {
    const seller = await mixed.seller();
    const books = bookkeeper(mixed, seller.seller_id);
    await books.post('2026-05-02', delivered('ord_a'));
    const [first, second] = await close(mixed, seller, FIRST);
    expect([first, second].map((one) => [one?.kind, one?.total_minor])).toEqual([
      ['tax_invoice', 1_230],
      ['invoice', 150],
    ]);
    await books.post('2026-05-18', [
      { amount: 1_000, type: 'platform_fee_credit', ...line('ord_a', 'oli_1') },
      { amount: 150, type: 'payment_processing_credit', ...line('ord_a') },
    ]);
    const notes = await close(mixed, seller, SECOND);
    expect(notes.map(({ kind, adjusts_invoice_ids }) => [kind, adjusts_invoice_ids])).toEqual([
      ['adjustment_note', [first?.invoice_id]],
      ['adjustment_note', [second?.invoice_id]],
    ]);
  });

  test('are issued once, in one series without gaps, through failures and concurrent closes', async () => {
    const seller = await app.seller();
    const { services } = app.app;
    const books = bookkeeper(app, seller.seller_id);
    await books.post('2026-05-02', delivered('ord_a'));
    const settlement_id = await books.close(...FIRST);
    const settlement = {
      settlement_id,
      currency: 'AUD',
      period_start: FIRST[0],
      period_end: FIRST[1],
      closed_at: '2026-05-15T16:00:00.000Z',
    };
    const issue = (fails: boolean) =>
      services.withSeller(seller.seller_id, 'write', async (db) => {
        const ids = await issueInvoices(acting(services, { db, seller_id: seller.seller_id }), settlement);
        if (fails) throw new Error('on purpose');
        return ids;
      });
    await expect(issue(true)).rejects.toThrow('on purpose');
    const [one, two] = [await issue(false), await issue(false)];
    expect(two).toEqual(one);
    await books.post('2026-05-20', delivered('ord_b'));
    const [next] = await close(app, seller, SECOND);
    expect(next?.invoice_number).toMatch(/-0002$/);
    const numbers = async () => {
      const path = '/webhooks/events?types=invoice.issued&limit=10';
      const { body } = await seller.call<{ data: { data: { object: InvoiceBody } }[] }>('GET', path);
      return body.data.map(({ data }) => data.object.invoice_number?.slice(-4));
    };
    await expect.poll(numbers, { timeout: 10_000 }).toEqual(['0001', '0002']);
    const told = await seller.call<{ data: { title: string }[] }>(
      'GET',
      '/notifications?type=invoice.issued',
    );
    expect(told.body.data.map(({ title }) => title)).toEqual(
      ['0002', '0001'].map((end) =>
        expect.stringMatching(new RegExp(`^The fee document .+-${end} of -?[0-9.]+ AUD was issued$`)),
      ),
    );
  });
});

describe('the file', () => {
  test('is served as it was made, with its hash, and only to its seller', async () => {
    const [seller, stranger] = [await app.seller(), await app.seller()];
    await bookkeeper(app, seller.seller_id).post('2026-05-02', delivered('ord_a'));
    const [invoice] = await close(app, seller, FIRST);
    if (invoice?.pdf_path == null) throw new Error('no file');
    const read = () =>
      fetch(`${app.url}${invoice.pdf_path}`, { headers: { authorization: `Bearer ${seller.token}` } });
    const [one, two] = [await read(), await read()];
    expect(one.status).toBe(200);
    expect(one.headers.get('content-type')).toBe('application/pdf');
    expect(one.headers.get('cache-control')).toBe('no-store');
    expect(one.headers.get('content-disposition')).toBe(
      `attachment; filename="invoice-${invoice.invoice_number}.pdf"`,
    );
    await bookkeeper(app, seller.seller_id).post('2026-05-17', [
      { amount: 500, type: 'platform_fee_credit', ...line('ord_a', 'oli_1') },
    ]);
    const note = (await close(app, seller, SECOND)).find(({ kind }) => kind === 'adjustment_note');
    const noteFile = await fetch(`${app.url}${note?.pdf_path}`, {
      headers: { authorization: `Bearer ${seller.token}` },
    });
    expect(noteFile.headers.get('content-disposition')).toBe(
      `attachment; filename="adjustment-note-${note?.invoice_number}.pdf"`,
    );
    const bytes = Buffer.from(await one.arrayBuffer());
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('%PDF-1.7');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(invoice.pdf_sha256);
    expect(bytes.equals(Buffer.from(await two.arrayBuffer()))).toBe(true);
    const path = `/financials/invoices/${invoice.invoice_id}`;
    const same = await seller.call('GET', `${path}/pdf`, {
      headers: { 'if-none-match': `"${invoice.pdf_sha256}"` },
    });
    expect(same.status).toBe(304);
    for (const foreign of [path, `${path}/pdf`]) {
      const answer = await stranger.call<{ detail: string }>('GET', foreign);
      expect(answer.status).toBe(404);
      const unknown = await stranger.call<{ detail: string }>(
        'GET',
        foreign.replace(invoice.invoice_id, 'inv_0'),
      );
      expect(answer.body.detail.replace(invoice.invoice_id, 'inv_0')).toBe(unknown.body.detail);
    }
    expect((await stranger.call<List>('GET', '/financials/invoices')).body.data).toEqual([]);
  });

  test('shows the business details of its issue; later changes change no issued document, byte for byte', async () => {
    const [seller, stranger] = [await app.seller(), await app.seller()];
    const address = (line1: string) => ({
      ...{ line1, city: 'Carlton', state: 'VIC', postcode: '3053', country: 'AU' },
    });
    const details = (json: object) => seller.call('PATCH', '/sellers/me/business', { json });
    const first = {
      legal_name: 'Blue Mug Pty Ltd',
      abn: '83 914 571 673',
      registered_address: address('1 Old Street'),
    };
    expect((await details(first)).status).toBe(200);
    const books = bookkeeper(app, seller.seller_id);
    await books.post('2026-05-02', delivered('ord_a'));
    const [issued] = await close(app, seller, FIRST);
    const recipient = {
      business_name: 'Blue Mug Pty Ltd',
      abn: '83914571673',
      address_lines: ['1 Old Street', 'Carlton VIC 3053'],
    };
    expect(issued?.recipient).toEqual(recipient);
    const path = `/financials/invoices/${issued?.invoice_id}`;
    const file = async () => {
      const headers = { authorization: `Bearer ${seller.token}` };
      return Buffer.from(await (await fetch(`${app.url}${issued?.pdf_path}`, { headers })).arrayBuffer());
    };
    const [record, bytes] = [(await seller.call<InvoiceBody>('GET', path)).text, await file()];
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-');
    const second = {
      legal_name: 'Red Mug Pty Ltd',
      abn: '51824753556',
      registered_address: address('2 New Street'),
    };
    expect((await details(second)).status).toBe(200);
    await seller.call('PATCH', '/sellers/me', { json: { business_name: 'Red Mugs' } });
    await renderInvoices(app.app.services, seller.seller_id, issued?.settlement_id ?? '');
    expect((await seller.call<InvoiceBody>('GET', path)).text).toBe(record);
    expect((await file()).equals(bytes)).toBe(true);
    await books.post('2026-05-20', delivered('ord_b'));
    const [next] = await close(app, seller, SECOND);
    expect(next?.recipient).toEqual({
      business_name: 'Red Mug Pty Ltd',
      abn: '51824753556',
      address_lines: ['2 New Street', 'Carlton VIC 3053'],
    });
    await bookkeeper(app, stranger.seller_id).post('2026-05-02', delivered('ord_c'));
    const [other] = await close(app, stranger, FIRST);
    expect(other?.recipient).toEqual({ business_name: 'Test Goods', abn: null, address_lines: [] });
  });

  test('gets 503 while the operator’s details are missing, and the record says so', async () => {
    const seller = await unnamed.seller();
    await bookkeeper(unnamed, seller.seller_id).post('2026-05-02', delivered('ord_a'));
    const [invoice] = await close(unnamed, seller, FIRST);
    expect(invoice).toMatchObject({ pdf_status: 'unavailable', pdf_path: null, pdf_sha256: null });
    const answer = await seller.call<Record<string, unknown>>(
      'GET',
      `/financials/invoices/${invoice?.invoice_id}/pdf`,
    );
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('3600');
    expect(answer.body).toMatchObject({ code: 'invoice_pdf_unavailable', pdf_status: 'unavailable' });
    // When the details are known, the files of earlier documents are made.
    const { services } = unnamed.app;
    const config = { ...services.config, OPERATOR_ABN: '51824753556' };
    await renderInvoices({ ...services, config }, seller.seller_id, invoice?.settlement_id ?? '');
    const { body } = await seller.call<InvoiceBody>('GET', `/financials/invoices/${invoice?.invoice_id}`);
    expect(body).toMatchObject({
      pdf_status: 'available',
      supplier: { name: 'Market Pty Ltd', abn: '51824753556' },
      total_minor: invoice?.total_minor,
    });
  });

  test('that cannot be made is marked as failed, and made at the next attempt', async () => {
    const seller = await unnamed.seller();
    await bookkeeper(unnamed, seller.seller_id).post('2026-05-02', delivered('ord_a'));
    const [invoice] = await close(unnamed, seller, FIRST);
    const { services } = unnamed.app;
    const tools = { ...services, config: { ...services.config, OPERATOR_ABN: '51824753556' } };
    const broken = { ...services.files, put: () => Promise.reject(new Error('on purpose')) };
    const settlement = invoice?.settlement_id ?? '';
    await expect(renderInvoices({ ...tools, files: broken }, seller.seller_id, settlement)).rejects.toThrow();
    const path = `/financials/invoices/${invoice?.invoice_id}`;
    expect((await seller.call<InvoiceBody>('GET', path)).body.pdf_status).toBe('failed');
    expect((await seller.call('GET', `${path}/pdf`)).headers.get('retry-after')).toBe('60');
    await renderInvoices(tools, seller.seller_id, settlement);
    expect((await seller.call('GET', `${path}/pdf`)).status).toBe(200);
  });
});

describe('the list', () => {
  test('is paged newest first, has filters, and refuses another seller’s cursor', async () => {
    const [seller, stranger] = [await app.seller(), await app.seller()];
    const books = bookkeeper(app, seller.seller_id);
    const periods = [FIRST, SECOND, ['2026-06-01', '2026-06-15'], ['2026-06-16', '2026-06-30']] as const;
    for (const [index, period] of periods.entries()) {
      await books.post(period[0], delivered(`ord_${index}`));
      await close(app, seller, period);
    }
    const seen: InvoiceBody[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const answer: { body: List } = await seller.call<List>(
        'GET',
        `/financials/invoices?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...answer.body.data);
      cursor = answer.body.page.next_cursor;
    }
    expect(seen.map(({ invoice_number }) => invoice_number?.slice(-4))).toEqual([
      '0004',
      '0003',
      '0002',
      '0001',
    ]);
    const filtered = await seller.call<List>(
      'GET',
      '/financials/invoices?issued_from=2026-06-01&issued_to=2026-06-30&kind=tax_invoice',
    );
    expect(filtered.body.data.map(({ issued_on }) => issued_on)).toEqual(['2026-06-16', '2026-06-01']);
    const first = await seller.call<List>('GET', '/financials/invoices?limit=1');
    expect(first.body).toMatchObject({
      generated_at: expect.any(String),
      source: { system: 'marketplace_ledger', contract: 'financials.invoices.v1' },
    });
    const foreign = await stranger.call(
      'GET',
      `/financials/invoices?limit=1&cursor=${first.body.page.next_cursor}`,
    );
    expect(foreign.status).toBe(422);
  });

  test('names no tax', async () => {
    const seller = await app.seller();
    await bookkeeper(app, seller.seller_id).post('2026-05-02', delivered('ord_a'));
    const [invoice] = await close(app, seller, FIRST);
    const keys: string[] = [];
    JSON.stringify(invoice, (key, value: unknown) => {
      keys.push(key);
      return value;
    });
    expect(keys.filter((key) => /gst|tax|bas|ex_/i.test(key))).toEqual([]);
    const totals = await bookkeeper(app, seller.seller_id).inside((db) =>
      db.all(
        sql(
          'select from invoice i where total_minor <> (select sum(e.amount_minor) from invoice_line l join ledger_entry e using (seller_id, entry_id) where l.invoice_id = i.invoice_id)',
        ),
      ),
    );
    expect(totals).toEqual([]);
  });
});
