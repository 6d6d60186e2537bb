/**
 * Fee documents as PDF. The limit is the bare PDF library, which writes the same texts in the same fonts without the
 * structure of the document.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import { minor } from '../src/kernel/money.ts';
import { invoicePages } from '../src/modules/invoices/actions/invoice-pages.ts';
import { renderInvoice } from '../src/modules/invoices/actions/render-invoices.ts';
import type { InvoiceRow } from '../src/modules/invoices/store/invoices.ts';
import { DOTS_PER_MM, type TextItem } from '../src/platform/pdf/drawing.ts';
import { unwrapWoff } from '../src/platform/pdf/woff.ts';
import { median, milliseconds, pairedRatio, report } from './lab/statistics.ts';

const LINES = [
  ['platform_fee', 'Platform fee', 2_400, 482_310],
  ['platform_fee_credit', 'Platform fee credit', 31, -6_120],
  ['loyalty_program_fund', 'Loyalty program fund', 410, 20_480],
  ['seller_order_fee', 'Seller order fee', 1_900, 57_000],
  ['payment_processing', 'Payment processing', 1_900, 148_990],
  ['dispute_fee', 'Dispute fee', 2, 5_000],
] as const;

/** An ordinary document: one page. */
const documentOf = (number: number): InvoiceRow => ({
  invoice_id: `inv_${number}`,
  invoice_number: `INV-${String(number).padStart(6, '0')}`,
  kind: 'tax_invoice',
  settlement_id: 'stl_01j0000000000000000000000',
  period_start: '2026-07-01',
  period_end: '2026-07-15',
  issued_on: '2026-07-16',
  status: 'issued',
  currency: 'AUD',
  total_minor: minor(707_660),
  supplier: {
    name: 'Example Marketplace Pty Ltd',
    abn: '51824753556',
    address: '1 Example Street, Sydney NSW 2000',
  },
  recipient: {
    business_name: `Tea & Coffee House ${number} Pty Ltd`,
    abn: '83914571673',
    address_lines: ['12 Harbour Street', 'Sydney NSW 2000'],
  },
  gst_mode: 'registered',
  adjusts_invoice_ids: [],
  lines: LINES.map(([type, description, quantity, amount_minor]) => ({
    ...{ type, description, quantity, amount_minor },
    component: type.replace(/_credit$/, ''),
  })),
  pdf_status: 'pending',
  pdf_file_id: null,
  pdf_sha256: null,
  created_at: '2026-07-15T16:00:00.000Z',
});

const require = createRequire(import.meta.url);
const fontOf = (weight: number): Buffer =>
  unwrapWoff(
    readFileSync(require.resolve(`@fontsource/noto-sans/files/noto-sans-latin-${weight}-normal.woff`)),
  );
const FONTS = { regular: fontOf(400), bold: fontOf(700) };
const POINTS_PER_DOT = 72 / 25.4 / DOTS_PER_MM;

/** The same texts by the library alone. */
function bareDocument(texts: readonly TextItem[]): Promise<number> {
  const doc = new PDFDocument({ size: 'A4', margin: 0 });
  const finished = new Promise<number>((resolve) => {
    let bytes = 0;
    doc.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    doc.once('end', () => resolve(bytes));
  });
  doc.registerFont('regular', FONTS.regular);
  doc.registerFont('bold', FONTS.bold);
  for (const { x, y, text, size, weight } of texts) {
    doc.font(weight).fontSize(size * POINTS_PER_DOT);
    doc.text(text, x * POINTS_PER_DOT, y * POINTS_PER_DOT, { lineBreak: false });
  }
  doc.end();
  return finished;
}

/** Documents of one worker, one after the other. */
export async function benchDocuments(quick: boolean): Promise<void> {
  const count = quick ? 20 : 60;
  const documents = Array.from({ length: count }, (_, index) => documentOf(index + 1));
  const texts = documents.map((document) =>
    invoicePages(document, [])
      .flatMap(({ items }) => items)
      .filter((item): item is TextItem => item.kind === 'text'),
  );
  const ours: number[] = [];
  const limits: number[] = [];
  // The first turn compiles.
  for (let round = 0; round < (quick ? 3 : 6); round += 1) {
    const ms = await milliseconds(async () => {
      for (const document of documents) await renderInvoice(document, []);
    });
    const limitMs = await milliseconds(async () => {
      for (const one of texts) await bareDocument(one);
    });
    if (round === 0) continue;
    ours.push(ms);
    limits.push(limitMs);
  }
  const rate = (ms: number): string =>
    `${((1000 * count) / ms).toFixed(0)}/s  ${(ms / count).toFixed(1)} ms each`;
  report({
    name: 'fee documents as PDF (limit: the bare library)',
    figure: rate(median(ours)),
    limit: rate(median(limits)),
    ratio: `${pairedRatio(ours, limits).toFixed(2)}x`,
    aim: '<= 2x',
  });
}
