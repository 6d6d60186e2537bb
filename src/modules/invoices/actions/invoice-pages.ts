/**
 * A fee document on A4 pages: supplier, recipient, period, a line for each type of fee, the total and one
 * sentence about GST. It shows no GST amount. Source: docs/design/money.md#invoices.
 */
import { currencyExponent, formatDecimal, type Minor, minor } from '../../../kernel/money.ts';
import { A4, type Drawing, type Item, type TextItem, type TextRole } from '../../../platform/pdf/drawing.ts';
import { fitText } from '../../../platform/pdf/fit-text.ts';
import { textWidth, type Weight } from '../../../platform/pdf/fonts.ts';
import { adjustmentReason, adjustmentTotal, gstSentence, HEADINGS } from '../domain/invoice.ts';
import type { InvoiceRow } from '../store/invoices.ts';

const MARGIN = 128;
const WIDTH = A4.width - 2 * MARGIN;
const RIGHT = A4.width - MARGIN;
const TEXT = 26;
const LINE = 38;
const ROW = 54;
/** The baseline below the head of further pages, and the end of every page. */
const TOP = 260;
const BOTTOM = A4.height - 200;
const FOOT = A4.height - 110;

/** Right edges of the columns with numbers. */
const QUANTITY = RIGHT - 280;
const DESCRIPTION_WIDTH = 900;

interface TextStyle {
  readonly x?: number;
  readonly width?: number;
  readonly size?: number;
  readonly weight?: Weight;
  readonly role?: TextRole;
  readonly row?: number;
  readonly scope?: 'Row';
  readonly align?: 'right';
  readonly lines?: number;
}

/** Draws a text, with its first line on the baseline `y`. For right-aligned text, `x` is the right edge. */
function write(content: string, y: number, style: TextStyle = {}): TextItem[] {
  const { x = MARGIN, width = WIDTH, size = TEXT, weight = 'regular', role = 'P', lines = 1 } = style;
  const fitted = fitText(content, { width, lines, weight, size, sizeMin: 16 });
  return fitted.lines.map((text, index) => ({
    kind: 'text',
    x: style.align === 'right' ? x - textWidth(text, fitted.size, weight) : x,
    y: y + index * LINE,
    text,
    size: fitted.size,
    weight,
    role,
    ...(style.row === undefined ? {} : { row: style.row }),
    ...(style.scope === undefined ? {} : { scope: style.scope }),
  }));
}

const rule = (y: number, height: number): Item => ({ kind: 'rect', x: MARGIN, y, width: WIDTH, height });

/** A block that is not split over two pages. A new page repeats the head of the table before the rows. */
interface Block {
  readonly height: number;
  readonly inTable?: true;
  readonly draw: (y: number) => Item[];
}

const DAY = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone: 'UTC' });
const day = (date: string): string => DAY.format(Date.parse(date));
const abn = (number: string): string =>
  `ABN ${number.replace(/^(\d\d)(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4')}`;

function amount(value: Minor, currency: string): string {
  const [whole = '', fraction] = formatDecimal(value, currencyExponent(currency)).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const isPresent = (text: string | null): text is string => text !== null;

/** The head of the first page. @returns its items and the baseline after it */
function head(invoice: InvoiceRow): { readonly items: Item[]; readonly end: number } {
  const { supplier, recipient } = invoice;
  const items: Item[] = [...write(HEADINGS[invoice.kind], 180, { size: 64, weight: 'bold', role: 'H1' })];
  let y = 260;
  const put = (text: string, style: TextStyle = {}): void => {
    const drawn = write(text, y, { lines: 2, ...style });
    items.push(...drawn);
    y += LINE * Math.max(1, drawn.length);
  };
  put(supplier.name ?? '', { size: 30, weight: 'bold' });
  for (const text of [supplier.abn === null ? null : abn(supplier.abn), supplier.address].filter(isPresent))
    put(text);
  y += LINE;
  put('Issued to', { weight: 'bold' });
  put(recipient.business_name);
  if (recipient.abn !== null) put(abn(recipient.abn));
  y += LINE;
  const facts: readonly (readonly [string, string])[] = [
    ['Number', invoice.invoice_number],
    ['Document', invoice.invoice_id],
    ['Issue date', day(invoice.issued_on)],
    ['Fee period', `${day(invoice.period_start)} to ${day(invoice.period_end)}`],
    ['Settlement', invoice.settlement_id],
  ];
  for (const [row, [name, value]] of facts.entries()) {
    items.push(...write(name, y, { width: 260, weight: 'bold', role: 'TH', row, scope: 'Row' }));
    items.push(...write(value, y, { x: MARGIN + 280, width: WIDTH - 280, role: 'TD', row }));
    y += LINE;
  }
  return { items, end: y + LINE };
}

/** The texts of one row of the table. The number of the row groups them in the structure of the PDF. */
function cells(texts: readonly [string, string, string], y: number, row: number, style: TextStyle): Item[] {
  const [description, quantity, money] = texts;
  return [
    ...write(description, y, { width: DESCRIPTION_WIDTH, row, ...style }),
    ...write(quantity, y, { x: QUANTITY, width: 200, row, align: 'right', ...style }),
    ...write(money, y, { x: RIGHT, width: 270, row, align: 'right', ...style }),
  ];
}

/** The numbers of the tags after the rows. No document has so many rows. */
const HEAD_ROW = 1_000_000;
const tableHead = (y: number, currency: string, page: number): Item[] => [
  ...cells(['Description', 'Quantity', `Amount (${currency})`], y, HEAD_ROW + page, {
    weight: 'bold',
    role: 'TH',
  }),
  rule(y + 16, 3),
];

function tableBlocks({ lines, total_minor, kind, currency }: InvoiceRow): Block[] {
  const rows = lines.map(
    (line, index): Block => ({
      height: ROW,
      inTable: true,
      draw: (y) => [
        ...cells(
          [line.description, String(line.quantity), amount(minor(line.amount_minor), currency)],
          y,
          index + 1,
          { role: 'TD' },
        ),
        rule(y + 17, 1),
      ],
    }),
  );
  const name = kind === 'adjustment_note' ? adjustmentTotal(minor(total_minor)) : 'Total';
  const total: Block = {
    height: ROW,
    inTable: true,
    draw: (y) => {
      const style = { row: lines.length + 1, weight: 'bold', role: 'TD' } as const;
      return [
        ...write(name, y, { width: DESCRIPTION_WIDTH, ...style }),
        ...write(amount(minor(total_minor), currency), y, { x: RIGHT, width: 270, align: 'right', ...style }),
        rule(y + 16, 3),
      ];
    },
  };
  return [...rows, total];
}

const paragraph = (text: string): Block => ({ height: LINE, draw: (y) => write(text, y) });
const gap: Block = { height: LINE / 2, draw: () => [] };
const NUMBERS_PER_LINE = 6;

/** The numbers of the documents that a note adjusts, with as many on a line as fit. */
function references(numbers: readonly string[]): Block[] {
  if (numbers.length === 0) return [];
  const lines = Array.from({ length: Math.ceil(numbers.length / NUMBERS_PER_LINE) }, (_, index) =>
    numbers.slice(index * NUMBERS_PER_LINE, (index + 1) * NUMBERS_PER_LINE).join(', '),
  );
  return [gap, paragraph('Adjusts invoices'), ...lines.map(paragraph)];
}

function closing(invoice: InvoiceRow, adjusts: readonly string[]): Block[] {
  const { kind, gst_mode, total_minor, settlement_id } = invoice;
  const isNote = kind === 'adjustment_note';
  const sentence = gstSentence(kind, gst_mode);
  const paid =
    total_minor < 0n
      ? `Paid: added to settlement ${settlement_id}`
      : `Paid: deducted from settlement ${settlement_id}`;
  return [
    gap,
    ...(sentence === undefined ? [] : [paragraph(sentence)]),
    // A note with a total of zero moves no money.
    ...(isNote && total_minor === 0n ? [] : [paragraph(paid)]),
    ...(isNote ? [gap, paragraph(adjustmentReason(minor(total_minor))), ...references(adjusts)] : []),
    gap,
    paragraph(
      'This document covers fees charged to you by the marketplace. It is not a record of your sales and not a tax statement.',
    ),
  ];
}

/** Distributes the blocks below the head over pages. */
function paginate(blocks: readonly Block[], start: number, currency: string): Item[][] {
  const pages: Item[][] = [[...tableHead(start, currency, 0)]];
  let y = start + ROW;
  for (const block of blocks) {
    if (y + block.height > BOTTOM) {
      pages.push([]);
      y = TOP;
      if (block.inTable) {
        pages.at(-1)?.push(...tableHead(y, currency, pages.length));
        y += ROW;
      }
    }
    pages.at(-1)?.push(...block.draw(y));
    y += block.height;
  }
  return pages;
}

/**
 * The pages of a document. Most documents have one page.
 *
 * @param adjusts the numbers of the documents that an adjustment note adjusts
 */
export function invoicePages(invoice: InvoiceRow, adjusts: readonly string[]): Drawing[] {
  const { items, end } = head(invoice);
  const blocks = [...tableBlocks(invoice), ...closing(invoice, adjusts)];
  const pages = paginate(blocks, end + LINE, invoice.currency);
  const title = `${HEADINGS[invoice.kind]} ${invoice.invoice_number}`;
  return pages.map((body, index) => ({
    ...A4,
    items: [
      ...(index === 0 ? items : write(`${title}, continued`, 160, { weight: 'bold' })),
      ...body,
      ...write(`Page ${index + 1} of ${pages.length}`, FOOT, {
        x: RIGHT,
        align: 'right',
        size: 22,
        width: 300,
      }),
    ],
  }));
}
