/** A manifest on office paper: who sends, a table of parcels, the totals, and the place for the driver's signature. */
import { setImmediate as othersTurn } from 'node:timers/promises';
import { A4, type Drawing, type Item } from '../../../platform/pdf/drawing.ts';
import { SIZE_MIN } from '../../../platform/pdf/fit-text.ts';
import { type Paragraph, placeBlock, type TextStyle, textItems } from '../../../platform/pdf/place-text.ts';
import { carrierName, serviceName } from '../domain/carriers.ts';
import { kilograms } from '../domain/label.ts';
import type { ManifestLine, ManifestRow } from '../store/manifests.ts';

const MARGIN = 96;
const WIDTH = A4.width - 2 * MARGIN;
const RIGHT = A4.width - MARGIN;
/** Where the parties stand. What does not fit at 7 pt takes more height, and moves the table down. */
const PARTIES = { y: 254, height: 176 };
const PARTIES_MAX = 1_000;
const TABLE_TOP = 490;
/** The end of the table on every page; the signatures stand below it on the last one. */
const BOTTOM = 2_060;
const FOOT = 2_140;
const ROW_LINES_MAX = 4;
const ROW_LEADING = 28;
const ROW_GAP = 26;

interface Column {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly align?: 'right';
  /** A number shrinks where a text would go on in the next line. */
  readonly lines: number;
  readonly of: (line: ManifestLine, carrier: string) => string | readonly [head: string, tail: string];
}

/** The last word, and the country where there is one. */
const LAST_WORD = /(?:^| )(\S+(?: [A-Z]{2})?)$/;
/** Splits a destination before its postcode: a cut keeps the postcode and the country. */
function destinationOf({ destination, postcode }: ManifestLine): readonly [string, string] {
  // Lines of the release before do not name the postcode.
  const at =
    postcode === null ? (LAST_WORD.exec(destination)?.index ?? 0) : destination.lastIndexOf(postcode);
  return at < 0 ? [destination, ''] : [destination.slice(0, at).trim(), destination.slice(at).trim()];
}

const GAP = 12;
type Spec = readonly [title: string, width: number, of: Column['of'], lines?: number, align?: 'right'];

/** The columns from left to right. Their widths and the gaps fill the page. */
const SPECS: readonly Spec[] = [
  ['#', 52, ({ line_no }) => String(line_no), 1],
  ['Tracking number', 330, ({ tracking_number }) => tracking_number],
  ['Service', 160, ({ service }, carrier) => serviceName(carrier, service)],
  ['Recipient', 250, ({ recipient }) => recipient],
  ['Destination', 270, destinationOf],
  ['Order', 150, ({ order_number }) => order_number],
  ['Parcel', 100, (line) => `${line.package} of ${line.packages}`, 1],
  ['kg', 92, ({ weight_g }) => kilograms(weight_g), 1, 'right'],
];
const COLUMNS: readonly Column[] = SPECS.map(([title, width, of, lines = ROW_LINES_MAX, align], index) => {
  const before = SPECS.slice(0, index).reduce((sum, [, taken]) => sum + taken + GAP, 0);
  const x = MARGIN + before + (align === undefined ? 0 : width);
  return { title, x, width, of, lines, ...(align && { align }) };
});

const styleOf = ({ x, width, align }: Column): TextStyle => ({ x, width, size: 24, ...(align && { align }) });
const line = (y: number, height = 2): Item => ({ kind: 'rect', x: MARGIN, y, width: WIDTH, height });

const LEFT = { x: MARGIN, width: WIDTH * 0.56 };
const FACTS = { x: MARGIN + WIDTH * 0.6, label: 170, width: WIDTH * 0.4 };

/** The seller, its address and the place, as they were when the manifest was made. */
function parties({ seller_name, sender }: ManifestRow) {
  const { name, company, line1, line2, city, state, postcode, country, phone } = sender ?? {};
  const joined = (parts: readonly (string | null | undefined)[], separator: string) =>
    parts.filter((part) => part != null && part !== '').join(separator);
  const paragraphs: readonly Paragraph[] = [
    { text: seller_name ?? '', size: 30, weight: 'bold' },
    { text: joined([name === seller_name ? null : name, company], ', '), size: 26 },
    { text: joined([line1, line2], ', '), size: 26 },
    {
      text: joined([city, state], ' '),
      size: 26,
      tail: joined([postcode, country === 'AU' ? null : country], ' '),
    },
    { text: phone ?? '', size: 26 },
  ];
  const block = placeBlock(paragraphs, { ...LEFT, ...PARTIES });
  if (!block.isCut) return block;
  // In more height the texts would be large again.
  const small = paragraphs.map((paragraph) => ({ ...paragraph, size: SIZE_MIN }));
  return placeBlock(small, { ...LEFT, ...PARTIES, height: PARTIES_MAX });
}

function head(manifest: ManifestRow, seller: readonly Item[], page: number, pages: number): Item[] {
  const { carrier, dispatched_on, number, parcels, weight_g, manifest_id, sender } = manifest;
  const facts: readonly (readonly [name: string, value: string, tail?: string])[] = [
    ['Dispatched on', dispatched_on],
    ['Place', [sender?.city, sender?.state].filter(Boolean).join(' '), sender?.postcode ?? ''],
    ['Parcels', `${parcels} ${parcels === 1 ? 'parcel' : 'parcels'}, ${kilograms(weight_g)} kg`],
    ['Manifest', manifest_id],
    ['Page', `${page} of ${pages}`],
  ];
  return [
    ...textItems(carrierName(carrier), 150, { ...LEFT, size: 56, weight: 'bold', role: 'H1' }),
    ...textItems(`Manifest ${dispatched_on} no. ${number}`, 200, { ...LEFT, size: 34 }),
    ...facts.flatMap(([name, value, tail = ''], row) => {
      const y = 254 + row * 42;
      const width = FACTS.width - FACTS.label;
      return [
        ...textItems(name, y, {
          ...{ x: FACTS.x, width: FACTS.label - 8, size: 24, weight: 'bold' },
          ...{ role: 'TH', row, scope: 'Row' },
        } as TextStyle),
        ...textItems(value, y, { x: FACTS.x + FACTS.label, width, size: 26, role: 'TD', row, tail }),
      ];
    }),
    ...textItems('SENDER', 244, { ...LEFT, size: 20, weight: 'bold' }),
    ...seller,
  ];
}

/** The head of the table has a number of its own, so that its cells form one row. */
const TITLE_ROW = 1_000_000;
const titles = (top: number): Item[] => [
  ...COLUMNS.flatMap((column) =>
    textItems(column.title, top, {
      ...styleOf(column),
      weight: 'bold',
      role: 'TH',
      row: TITLE_ROW,
    }),
  ),
  line(top + 14, 3),
];

/** A row as high as its highest cell. */
function row(
  one: ManifestLine,
  carrier: string,
  y: number,
): { readonly items: Item[]; readonly end: number } {
  let last = y;
  const cells = COLUMNS.flatMap((column) => {
    const content = column.of(one, carrier);
    const [text, tail] = typeof content === 'string' ? [content, ''] : content;
    const items = textItems(text, y, {
      ...styleOf(column),
      ...{ lines: column.lines, leading: ROW_LEADING, role: 'TD', row: one.line_no, tail },
    });
    last = Math.max(last, items.at(-1)?.y ?? y);
    return items;
  });
  return { items: [...cells, line(last + 16, 1)], end: last + ROW_LEADING + ROW_GAP };
}

/** Distributes the rows over pages. It yields to the event loop after each page, as the drawing does. */
async function tables(lines: readonly ManifestLine[], carrier: string, top: number): Promise<Item[][]> {
  const pages = [titles(top)];
  let y = top + ROW_LEADING + ROW_GAP;
  for (const one of lines) {
    let drawn = row(one, carrier, y);
    if (drawn.end > BOTTOM) {
      await othersTurn();
      pages.push(titles(top));
      drawn = row(one, carrier, top + ROW_LEADING + ROW_GAP);
    }
    pages.at(-1)?.push(...drawn.items);
    y = drawn.end;
  }
  return pages;
}

function foot(): Item[] {
  const half = WIDTH / 2 - 20;
  return ['Driver (name and signature)', 'Date and time of collection'].flatMap((text, index): Item[] => {
    const x = index === 0 ? MARGIN : RIGHT - half;
    return [
      { kind: 'rect', x, y: FOOT, width: half, height: 2 },
      ...textItems(text, FOOT + 36, { x, width: half, size: 24 }),
    ];
  });
}

/** The pages of a manifest. The driver signs on the last page. */
export async function manifestPages(
  manifest: ManifestRow,
  lines: readonly ManifestLine[],
): Promise<Drawing[]> {
  const { items: seller, height } = parties(manifest);
  const top = TABLE_TOP + Math.max(0, height - PARTIES.height);
  const pages = await tables(lines, manifest.carrier, top);
  return pages.map((table, index) => ({
    ...A4,
    items: [
      ...head(manifest, seller, index + 1, pages.length),
      ...table,
      ...(index + 1 === pages.length ? foot() : []),
    ],
  }));
}
