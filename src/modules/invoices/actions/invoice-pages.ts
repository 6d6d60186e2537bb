/**
 * A fee document on A4 pages: supplier and recipient on the left, the facts on the right, a line for each type of fee,
 * the total and one sentence about GST. It shows no GST amount. Source: docs/design/money.md#invoices.
 */
import { currencyExponent, formatDecimal, type Minor, minor } from '../../../kernel/money.ts';
import { A4, type Drawing, type Item, type TextItem } from '../../../platform/pdf/drawing.ts';
import { NO_BREAK } from '../../../platform/pdf/fit-text.ts';
import { type Paragraph, placeBlock, type TextStyle, textItems } from '../../../platform/pdf/place-text.ts';
import { adjustmentReason, adjustmentTotal, gstSentence, HEADINGS } from '../domain/invoice.ts';
import type { InvoiceReference, InvoiceRow } from '../store/invoices.ts';

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
const QUANTITY = RIGHT - 360;
const DESCRIPTION_WIDTH = 860;

/** Draws a text, with its first line on the baseline `y`. For right-aligned text, `x` is the right edge. */
const write = (content: string, y: number, style: Partial<TextStyle> = {}): TextItem[] =>
  textItems(content, y, { x: MARGIN, width: WIDTH, size: TEXT, leading: LINE, ...style });

const rule = (y: number, height: number): Item => ({ kind: 'rect', x: MARGIN, y, width: WIDTH, height });

/** A block that is not split over two pages. A new page repeats the head of the table before the rows. */
interface Block {
  readonly height: number;
  readonly inTable?: true;
  readonly draw: (y: number) => Item[];
}

const DAY = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone: 'UTC' });
/** A day, on one line. */
const day = (date: string): string => DAY.format(Date.parse(date)).replaceAll(' ', NO_BREAK);
const abn = (number: string | null): string =>
  number === null ? '' : `ABN ${number.replace(/^(\d\d)(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4')}`;

/** A whole number in groups of three digits, with the minus sign (U+2212) that is as wide as a digit. */
const inGroups = (whole: string): string => whole.replaceAll(/\B(?=(\d{3})+$)/g, ',').replace('-', '\u2212');

function amount(value: Minor, currency: string): string {
  const [whole = '', fraction] = formatDecimal(value, currencyExponent(currency)).split('.');
  const grouped = inGroups(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const PARTY = { x: MARGIN, width: WIDTH * 0.5 };
const FACTS = { x: MARGIN + WIDTH * 0.54, name: 170, width: WIDTH * 0.46 };
const HEAD_TOP = 270;
const SUPPLIER_HEIGHT = 180;
const RECIPIENT_HEIGHT = 240;
/** Two companies so high leave room for a row and the total. */
const PARTY_HEIGHT_MAX = 700;

/** Items, and the lower edge of their area. */
interface Section {
  readonly items: readonly Item[];
  readonly end: number;
}

/** One of the two companies, below its title. Its area grows until no text is cut. */
function party(title: string, y: number, least: number, paragraphs: readonly Paragraph[]): Section {
  const at = (height: number) => placeBlock(paragraphs, { ...PARTY, y: y + 14, height });
  let height = least;
  let block = at(height);
  while (block.isCut && height < PARTY_HEIGHT_MAX) {
    height = Math.min(PARTY_HEIGHT_MAX, height + LINE);
    block = at(height);
  }
  return { items: [...write(title, y, { ...PARTY, size: 22 }), ...block.items], end: y + height };
}

/** What names a document on a note. The words tax invoice are for the heading of one. */
const nameOf = ({ kind, invoice_number, issued_on }: InvoiceReference): string =>
  `${kind === 'adjustment_note' ? 'Adjustment note' : 'Invoice'} ${invoice_number} of${NO_BREAK}${day(issued_on)}`;

/** The head of the first page. */
function head(invoice: InvoiceRow, adjusts: readonly InvoiceReference[]): Section {
  const { supplier, recipient } = invoice;
  const [adjusted] = adjusts.length === 1 ? adjusts : [];
  const facts: readonly (readonly [string, string])[] = [
    ['Number', invoice.invoice_number],
    ['Issue date', day(invoice.issued_on)],
    ...(adjusted === undefined ? [] : ([['Adjusts', nameOf(adjusted)]] as const)),
    ['Fee period', `${day(invoice.period_start)} to ${day(invoice.period_end)}`],
    ['Settlement', invoice.settlement_id],
    ['Document', invoice.invoice_id],
  ];
  const items: Item[] = write(HEADINGS[invoice.kind], 180, { size: 64, weight: 'bold', role: 'H1' });
  let y = HEAD_TOP;
  for (const [row, [name, value]] of facts.entries()) {
    items.push(
      ...write(name, y, {
        ...{ x: FACTS.x, width: FACTS.name, weight: 'bold', role: 'TH', row, scope: 'Row' },
      } as TextStyle),
    );
    const style = { x: FACTS.x + FACTS.name, width: FACTS.width - FACTS.name, lines: 2, row } as const;
    const drawn = write(value, y, { ...style, role: 'TD' });
    items.push(...drawn);
    y += LINE * Math.max(1, drawn.length) + 14;
  }
  const from = party('From', HEAD_TOP, SUPPLIER_HEIGHT, [
    { text: supplier.name ?? '', size: 32, weight: 'bold' },
    { text: abn(supplier.abn), size: TEXT },
    { text: supplier.address ?? '', size: TEXT },
  ]);
  const to = party('Issued to', from.end + 60, RECIPIENT_HEIGHT, [
    { text: recipient.business_name, size: 32, weight: 'bold' },
    { text: abn(recipient.abn), size: TEXT },
    ...(recipient.address_lines ?? []).map((text) => ({ text, size: TEXT })),
  ]);
  return { items: [...items, ...from.items, ...to.items], end: to.end };
}

/** The texts of one row of the table. The number of the row groups them in the structure of the PDF. */
function cells(
  texts: readonly [string, string, string],
  y: number,
  row: number,
  style: Partial<TextStyle>,
): Item[] {
  const [description, quantity, money] = texts;
  return [
    ...write(description, y, { width: DESCRIPTION_WIDTH, row, ...style }),
    ...write(quantity, y, { x: QUANTITY, width: 200, row, align: 'right', ...style }),
    ...write(money, y, { x: RIGHT, width: 340, row, align: 'right', ...style }),
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

const TOTAL = { height: 110, size: 44 };

/** The total, which stands out. The names of an adjustment say its direction, so its amount needs no sign. */
function totalBlock({ lines, total_minor, kind, currency }: InvoiceRow): Block {
  const total = minor(total_minor);
  const isNote = kind === 'adjustment_note';
  const shown = amount(isNote && total < 0n ? minor(-total) : total, currency);
  const style = { size: TOTAL.size, weight: 'bold', role: 'TD', row: lines.length + 1 } as const;
  return {
    height: TOTAL.height,
    inTable: true,
    draw: (y) => [
      ...write(isNote ? adjustmentTotal(total) : 'Total', y + 24, { ...style, width: WIDTH * 0.4 }),
      ...write(`${currency} ${shown}`, y + 24, { ...style, x: RIGHT, width: WIDTH * 0.55, align: 'right' }),
      rule(y + 50, 5),
    ],
  };
}

const paragraph = (text: string, style: Partial<TextStyle> = {}): Block => ({
  height: LINE,
  draw: (y) => write(text, y, style),
});
/** Blocks below one another on one page; they begin as the first of them does. */
function together(blocks: readonly Block[]): Block {
  const height = blocks.reduce((sum, block) => sum + block.height, 0);
  const draw = (y: number): Item[] => {
    let at = y;
    return blocks.flatMap((block) => {
      const items = block.draw(at);
      at += block.height;
      return items;
    });
  };
  return { height, draw, ...(blocks[0]?.inTable && { inTable: true }) };
}

function tableBlocks(invoice: InvoiceRow): Block[] {
  const rows = invoice.lines.map(
    (line, index): Block => ({
      height: ROW,
      inTable: true,
      draw: (y) => [
        ...cells(
          [
            line.description,
            inGroups(String(line.quantity)),
            amount(minor(line.amount_minor), invoice.currency),
          ],
          y,
          index + 1,
          { role: 'TD' },
        ),
        rule(y + 17, 1),
      ],
    }),
  );
  const sentence = gstSentence(invoice.kind, invoice.gst_mode);
  return [
    ...rows.slice(0, -1),
    // No page shows a total without a line, or without its sentence about GST.
    together([
      ...rows.slice(-1),
      totalBlock(invoice),
      ...(sentence === undefined ? [] : [paragraph(sentence, { weight: 'bold' })]),
    ]),
  ];
}

const gap: Block = { height: LINE / 2, draw: () => [] };

/** The documents that a note adjusts. A single one stands in the head. */
const references = (adjusts: readonly InvoiceReference[]): Block[] =>
  adjusts.length < 2
    ? []
    : [
        gap,
        together([
          paragraph('Adjusts', { weight: 'bold' }),
          ...adjusts.slice(0, 1).map((one) => paragraph(nameOf(one))),
        ]),
        ...adjusts.slice(1).map((one) => paragraph(nameOf(one))),
      ];

function closing(invoice: InvoiceRow, adjusts: readonly InvoiceReference[]): Block[] {
  const { kind, total_minor, settlement_id } = invoice;
  const isNote = kind === 'adjustment_note';
  const paid =
    total_minor < 0n
      ? `Paid: added to settlement ${settlement_id}`
      : `Paid: deducted from settlement ${settlement_id}`;
  return [
    // A note with a total of zero moves no money.
    ...(isNote && total_minor === 0n ? [] : [paragraph(paid)]),
    ...(isNote ? [gap, paragraph(adjustmentReason(minor(total_minor))), ...references(adjusts)] : []),
    gap,
    paragraph(
      'This document covers fees charged to you by the marketplace. It is not a record of your sales and not a tax statement.',
      { size: 22 },
    ),
  ];
}

/** Distributes the blocks below the head over pages. The table of the first page begins at `top`. */
function paginate(blocks: readonly Block[], currency: string, top: number): Item[][] {
  const pages: Item[][] = [[...tableHead(top, currency, 0)]];
  let y = top + ROW;
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
 * @param adjusts the documents that an adjustment note adjusts
 */
export function invoicePages(invoice: InvoiceRow, adjusts: readonly InvoiceReference[]): Drawing[] {
  const blocks = [...tableBlocks(invoice), ...closing(invoice, adjusts)];
  const first = head(invoice, adjusts);
  const pages = paginate(blocks, invoice.currency, first.end + 80);
  const title = `${HEADINGS[invoice.kind]} ${invoice.invoice_number}`;
  return pages.map((body, index) => ({
    ...A4,
    items: [
      ...(index === 0 ? first.items : write(`${title}, continued`, 160, { weight: 'bold' })),
      ...body,
      ...write(title, FOOT, { size: 22, width: WIDTH * 0.6 }),
      ...write(`Page ${index + 1} of ${pages.length}`, FOOT, {
        x: RIGHT,
        align: 'right',
        size: 22,
        width: 300,
      }),
    ],
  }));
}
