/** The file of a fee document: one page, the words that the law requires, and no figure of GST. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import type { Drawing } from '../../../platform/pdf/drawing.ts';
import { textWidth } from '../../../platform/pdf/fonts.ts';
import type { InvoiceReference, InvoiceRow } from '../store/invoices.ts';
import { invoicePages } from './invoice-pages.ts';
import { renderInvoice } from './render-invoices.ts';

const line = (description: string, quantity: number, amount_minor: number) => ({
  ...{ type: 'platform_fee', component: 'platform_fee' },
  ...{ description, quantity, amount_minor },
});
const INVOICE: InvoiceRow = {
  invoice_id: 'inv_01j2zk8yq4000000000000000a',
  invoice_number: '48213377-0001',
  kind: 'tax_invoice',
  settlement_id: 'stl_01j2zk8yq4000000000000000a',
  period_start: '2026-07-01',
  period_end: '2026-07-15',
  issued_on: '2026-07-16',
  status: 'issued',
  currency: 'AUD',
  total_minor: minor(123_456_789),
  supplier: {
    name: 'Example Marketplace Pty Ltd',
    abn: '51824753556',
    address: '1 Example Street, Sydney NSW 2000',
  },
  recipient: {
    business_name: 'Blue Mug Co',
    abn: '83914571673',
    address_lines: ['12 Harbour Street', 'Sydney NSW 2000'],
  },
  gst_mode: 'registered',
  adjusts_invoice_ids: [],
  lines: [line('Platform fee', 12_345, 123_456_989), line('Platform fee credit', 1, -200)],
  pdf_status: 'pending',
  pdf_file_id: null,
  pdf_sha256: null,
  created_at: '2026-07-15T16:00:00.000Z',
};
const NOTE: InvoiceRow = {
  ...INVOICE,
  invoice_number: '48213377-0003',
  kind: 'adjustment_note',
  total_minor: minor(-7_585),
  lines: [line('Platform fee credit', 3, -6_587), line('Loyalty program fund credit', 1, -998)],
  adjusts_invoice_ids: ['inv_1'],
};
const of = (change: Partial<InvoiceRow>): InvoiceRow => ({ ...INVOICE, ...change });
const originalOf = (invoice_number: string): InvoiceReference => ({
  ...{ kind: 'tax_invoice', invoice_number, issued_on: '2026-06-16' },
});
const ORIGINAL = originalOf('48213377-0001');
const many = (count: number): InvoiceRow =>
  of({
    lines: Array.from({ length: count }, (_, index) =>
      line(`Fee of kind ${index + 1}`, index + 1, 100 + index),
    ),
  });
const LONG = 'Maximiliana Wolfeschlegelsteinhausenbergerdorff und Söhne Handelsgesellschaft '.repeat(6);

const CASES: readonly (readonly [name: string, invoice: InvoiceRow, adjusts: readonly InvoiceReference[]])[] =
  [
    ['an invoice', INVOICE, []],
    ['a note', NOTE, [ORIGINAL]],
    [
      'a note that concerns very many',
      NOTE,
      Array.from({ length: 200 }, (_, index) => originalOf(`48213377-${1000 + index}`)),
    ],
    ['an invoice of one line', many(1), []],
    ['an invoice of 300 lines', many(300), []],
    [
      'an invoice with names that are too long',
      of({
        supplier: { name: LONG, abn: null, address: LONG },
        recipient: {
          business_name: `王小明 ${LONG}`,
          abn: null,
          address_lines: [LONG, LONG, LONG, `Sydney NSW 2000`],
        },
      }),
      [],
    ],
  ];
const textsOf = ({ items }: Drawing) => items.filter((item) => item.kind === 'text');

describe('pages', () => {
  test.each(CASES)(
    '%s: every text is inside the paper and overlaps no other text',
    (_name, invoice, adjusts) => {
      for (const page of invoicePages(invoice, adjusts)) {
        const boxes = textsOf(page).map(({ x, y, text, size, weight }) => ({
          text,
          left: x,
          right: x + textWidth(text, size, weight),
          top: y - size * 0.72,
          bottom: y,
        }));
        expect(
          boxes.filter(
            ({ left, right, top, bottom }) => left < 120 || right > 1_561 || top < 100 || bottom > 2_300,
          ),
        ).toEqual([]);
        const overlaps = boxes.flatMap((one, index) =>
          boxes
            .slice(index + 1)
            .filter(
              (two) =>
                one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom,
            ),
        );
        expect(overlaps).toEqual([]);
      }
    },
  );

  test('show the whole name and address of both companies', () => {
    const long = (word: string, length: number) => `${word} `.repeat(length).slice(0, length).trim();
    const lines = [120, 120, 120, 120].map((length, index) => long(`Line${index}`, length));
    const supplier = { name: long('Market', 200), abn: '51824753556', address: long('Street', 390) };
    const recipient = {
      ...{ business_name: 'W'.repeat(200), abn: '83914571673' },
      address_lines: [...lines, 'Llanfairpwllgwyngyll Upper Woodend North Junction NSW 2000'],
    };
    const [page] = invoicePages(of({ supplier, recipient }), []);
    const shown = textsOf(page ?? { width: 0, height: 0, items: [] }).map(({ text }) => text);
    expect(shown.filter((text) => text.includes('…'))).toEqual([]);
    for (const text of [supplier.name, supplier.address, recipient.business_name, ...recipient.address_lines])
      expect(shown.join('').replaceAll(' ', '')).toContain(text.replaceAll(' ', ''));
  });

  test('one for the ordinary case, more if needed, and no line is left out', () => {
    expect(invoicePages(INVOICE, [])).toHaveLength(1);
    const pages = invoicePages(many(300), []).map((page) => textsOf(page).map(({ text }) => text));
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.flat()).toEqual(
      expect.arrayContaining(many(300).lines.map(({ description }) => description)),
    );
    expect(pages.every((texts, index) => texts.includes(`Page ${index + 1} of ${pages.length}`))).toBe(true);
    expect(pages.filter((texts) => texts.includes('Description'))).toHaveLength(pages.length);
    const [, , originals = []] = CASES[2] ?? [];
    const note = invoicePages(NOTE, originals)
      .flatMap((page) => textsOf(page).map(({ text }) => text))
      .join(' ');
    for (const { invoice_number } of originals)
      expect(note).toContain(`Invoice ${invoice_number} of 16 June 2026`);
  });

  test('keep the total with the last line, and the heading of the originals with the first of them', () => {
    for (let count = 1; count < 60; count += 1)
      for (const page of invoicePages(many(count), [])) {
        const texts = textsOf(page).map(({ text }) => text);
        if (texts.includes('Total')) expect(texts).toContain(`Fee of kind ${count}`);
      }
    for (let count = 2; count < 60; count += 1) {
      const originals = Array.from({ length: count }, (_, index) => originalOf(`1000-${index}`));
      for (const page of invoicePages(NOTE, originals)) {
        const texts = textsOf(page).map(({ text }) => text);
        if (texts.includes('Adjusts')) expect(texts.join()).toContain('1000-0');
      }
    }
    const longNote = { ...NOTE, lines: many(21).lines };
    for (let lines = 1; lines < 30; lines += 1) {
      const note = { ...longNote, lines: many(lines).lines };
      for (const page of invoicePages(note, [originalOf('1000-0'), originalOf('1000-1')])) {
        const texts = textsOf(page).map(({ text }) => text);
        if (texts.includes('Adjusts')) expect(texts.join()).toContain('1000-0');
      }
    }
  });

  test('show the total as people write it, and the number of the operator in groups', () => {
    const texts = invoicePages(INVOICE, []).flatMap((page) => textsOf(page).map(({ text }) => text));
    expect(texts).toEqual(
      expect.arrayContaining([
        'AUD 1,234,567.89',
        '\u22122.00',
        '12,345',
        'ABN 51 824 753 556',
        'ABN 83 914 571 673',
        '16 July 2026',
      ]),
    );
  });
});

describe('the layout', () => {
  const on = (invoice: InvoiceRow, adjusts: readonly InvoiceReference[] = []) =>
    invoicePages(invoice, adjusts).flatMap(textsOf);
  const placeOf = (texts: ReturnType<typeof on>, wanted: string) => {
    const found = texts.find(({ text }) => text === wanted);
    if (found === undefined) throw new Error(`no text ${wanted}`);
    return found;
  };

  test('has the parties on the left, the facts on the right, and one total that stands out', () => {
    const texts = on(INVOICE);
    for (const left of ['Example Marketplace Pty Ltd', 'Blue Mug Co', '12 Harbour Street', 'Sydney NSW 2000'])
      expect(placeOf(texts, left).x).toBe(128);
    for (const right of ['48213377-0001', '16 July 2026', '1 July 2026 to 15 July 2026'])
      expect(placeOf(texts, right).x).toBeGreaterThan(840);
    const total = placeOf(texts, 'AUD 1,234,567.89');
    expect([total.weight, total.size]).toEqual(['bold', 44]);
    expect(texts.filter(({ size }) => size >= 44).map(({ text }) => text)).toEqual([
      'Tax invoice',
      'Total',
      'AUD 1,234,567.89',
    ]);
  });

  test('has true minus signs, and a decrease without one', () => {
    const texts = on(NOTE, [ORIGINAL]).map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining(['\u221265.87', '\u22129.98', 'Total decrease', 'AUD 75.85']),
    );
    expect(texts.filter((text) => /-\d+\.\d\d$/.test(text))).toEqual([]);
    const below = on(of({ total_minor: minor(-200), lines: [line('Platform fee credit', 1, -200)] }));
    expect(placeOf(below, 'AUD \u22122.00').weight).toBe('bold');
  });

  test('names the single original of a note beside its date', () => {
    expect(
      on(NOTE, [ORIGINAL])
        .map(({ text }) => text)
        .join(' '),
    ).toContain('Adjusts Invoice 48213377-0001 of 16 June 2026');
  });

  test('has no font below 7 pt', () => {
    for (const [, invoice, adjusts] of CASES)
      for (const { size } of on(invoice, adjusts)) expect(size).toBeGreaterThanOrEqual((7 / 72) * 25.4 * 8);
  });
});

describe('the file', () => {
  test('has tags, a language, a title, its fonts inside, and heads of rows and columns', async () => {
    const text = (await renderInvoice(INVOICE, [])).toString('latin1');
    expect(text.startsWith('%PDF-1.7')).toBe(true);
    for (const part of [
      '/Marked true',
      '/Lang (en-AU)',
      '/FontFile2',
      '/S /Table',
      '/Scope /Column',
      '/Scope /Row',
    ])
      expect(text, part).toContain(part);
    expect(text).not.toMatch(/\/BaseFont \/(Helvetica|Times|Courier)/);
  });

  test('is the same each time it is made', async () => {
    const [one, two] = [await renderInvoice(INVOICE, []), await renderInvoice(INVOICE, [])];
    expect(one.equals(two)).toBe(true);
  });
});

const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined;

/** The words and the properties that Poppler reads from the file. */
function textOf(data: Buffer): string {
  const directory = mkdtempSync(join(tmpdir(), 'spp-invoice-'));
  try {
    writeFileSync(join(directory, 'invoice.pdf'), data);
    return execFileSync('pdftotext', ['-layout', 'invoice.pdf', '-'], { cwd: directory, encoding: 'utf8' });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

// Reading the file needs Poppler; where it is missing the tests are shown as skipped.
describe.runIf(hasPoppler)('the words', () => {
  const forbidden = [/GST\s*[:=]?\s*\$?\d/, /BAS/, /\b(G1|1A|1B)\b/];
  const everywhere = [
    '48213377-',
    // The id by which the API knows the document stands on it too (docs/design/money.md#invoices).
    'inv_01j2zk8yq4000000000000000a',
    'Issued to',
    'Blue Mug Co',
    'stl_01j2zk8yq4000000000000000a',
    '16 July 2026',
    '1 July 2026 to 15 July 2026',
  ];
  const FOOTER =
    'This document covers fees charged to you by the marketplace. It is not a record of your sales and not a tax statement.';

  test.each([
    [
      'a registered operator’s invoice',
      INVOICE,
      [
        'Tax invoice',
        '51 824 753 556',
        '1,234,567.89',
        'Total price includes GST.',
        'Paid: deducted from settlement',
      ],
      [/No GST/],
    ],
    [
      'a registered operator’s note',
      NOTE,
      [
        'Adjustment note',
        'Invoice 48213377-0001',
        '16 June 2026',
        '\u221265.87',
        'Total decrease',
        'AUD 75.85',
        'Amounts include GST.',
        'Reason: ',
      ],
      [/[Tt]ax invoice/],
    ],
    [
      'a note of what was credited and charged again',
      { ...NOTE, total_minor: minor(0) },
      [
        'Adjustment note',
        'Total',
        '0.00',
        'Amounts include GST.',
        'charged again because refunds did not go through.',
      ],
      [/Total (in|de)crease/, /Paid:/],
    ],
    [
      'an invoice under limited registration',
      of({ kind: 'invoice', gst_mode: 'limited' }),
      ['Invoice', 'No GST has been charged on these fees.'],
      [/[Tt]ax invoice/, /includes GST/],
    ],
    [
      'an invoice of an operator that is not registered',
      of({ kind: 'invoice', gst_mode: 'none' }),
      ['Invoice', '1,234,567.89'],
      [/[Tt]ax invoice/, /GST/],
    ],
    [
      'a note of an operator that is not registered',
      { ...NOTE, gst_mode: 'none' as const },
      ['Adjustment note'],
      [/[Tt]ax invoice/, /GST/],
    ],
  ])('of %s', async (_name, invoice, wanted, unwanted) => {
    const text = textOf(await renderInvoice(invoice, invoice.kind === 'adjustment_note' ? [ORIGINAL] : []));
    for (const part of [...everywhere, FOOTER, ...wanted]) expect(text).toContain(part);
    for (const pattern of [...forbidden, ...unwanted]) expect(text).not.toMatch(pattern);
  });
});
