/** A manifest on office paper: a table of parcels, the totals, and the place for the driver's signature. */
import { A4, type Drawing, type Item, type TextRole } from '../../../platform/pdf/drawing.ts';
import { fitText } from '../../../platform/pdf/fit-text.ts';
import type { Weight } from '../../../platform/pdf/fonts.ts';
import { carrierName, serviceName } from '../domain/carriers.ts';
import { kilograms } from '../domain/label.ts';
import type { ManifestLine, ManifestRow } from '../store/manifests.ts';

const MARGIN = 96;
const ROW = 52;
const TABLE_TOP = 330;
/** The number of rows between the head and the foot of a page. */
const ROWS_PER_PAGE = 32;
const FOOT = 2_140;

interface Column {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly of: (line: ManifestLine, carrier: string) => string;
}

const GAP = 8;
type Spec = readonly [title: string, width: number, of: Column['of']];

/** The columns from left to right. Their widths and the gaps fill the page. */
const SPECS: readonly Spec[] = [
  ['#', 52, ({ line_no }) => String(line_no)],
  ['Tracking number', 330, ({ tracking_number }) => tracking_number],
  ['Service', 170, ({ service }, carrier) => serviceName(carrier, service)],
  ['Recipient', 255, ({ recipient }) => recipient],
  ['Destination', 265, ({ destination }) => destination],
  ['Order', 180, ({ order_number }) => order_number],
  ['Parcel', 100, (line) => `${line.package} of ${line.packages}`],
  ['kg', 80, ({ weight_g }) => kilograms(weight_g)],
];
const COLUMNS: readonly Column[] = SPECS.map(([title, width, of], index) => {
  const before = SPECS.slice(0, index).reduce((sum, [, taken]) => sum + taken + GAP, 0);
  return { title, x: MARGIN + before, width, of };
});

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly weight?: Weight;
  readonly role?: TextRole;
  readonly row?: number;
}

function cell(content: string, { x, y, width, size, weight = 'regular', role = 'P', row }: Cell): Item[] {
  const fitted = fitText(content, { width, lines: 1, weight, size, sizeMin: 14 });
  return fitted.lines.map((text) => ({
    kind: 'text',
    x,
    y,
    text,
    size: fitted.size,
    weight,
    role,
    ...(row === undefined ? {} : { row }),
  }));
}

const WIDTH = A4.width - 2 * MARGIN;
const line = (y: number, height = 2): Item => ({ kind: 'rect', x: MARGIN, y, width: WIDTH, height });

function head(manifest: ManifestRow, page: number, pages: number): Item[] {
  const { carrier, dispatched_on, number, parcels, weight_g, manifest_id } = manifest;
  const title = `Manifest ${dispatched_on} no. ${number}`;
  const facts = `${parcels} ${parcels === 1 ? 'parcel' : 'parcels'}, ${kilograms(weight_g)} kg`;
  return [
    ...cell(carrierName(carrier), {
      x: MARGIN,
      y: 150,
      width: WIDTH * 0.6,
      size: 56,
      weight: 'bold',
      role: 'H1',
    }),
    ...cell(`Page ${page} of ${pages}`, { x: MARGIN + WIDTH * 0.8, y: 150, width: WIDTH * 0.2, size: 28 }),
    ...cell(title, { x: MARGIN, y: 206, width: WIDTH * 0.6, size: 34 }),
    ...cell(facts, { x: MARGIN, y: 250, width: WIDTH * 0.6, size: 28 }),
    ...cell(manifest_id, { x: MARGIN + WIDTH * 0.6, y: 250, width: WIDTH * 0.4, size: 24 }),
  ];
}

function table(lines: readonly ManifestLine[], carrier: string): Item[] {
  const titles = COLUMNS.flatMap(({ title, x, width }) =>
    cell(title, { x, y: TABLE_TOP, width, size: 24, weight: 'bold', role: 'TH', row: 0 }),
  );
  const rows = lines.flatMap((one, index) => {
    const y = TABLE_TOP + ROW * (index + 1);
    return [
      ...COLUMNS.flatMap(({ x, width, of }) =>
        cell(of(one, carrier), { x, y, width, size: 24, role: 'TD', row: one.line_no }),
      ),
      line(y + 16, 1),
    ];
  });
  return [...titles, line(TABLE_TOP + 14, 3), ...rows];
}

function foot(): Item[] {
  const half = WIDTH / 2 - 20;
  return ['Driver (name and signature)', 'Date and time of collection'].flatMap((text, index): Item[] => {
    const x = MARGIN + index * (half + 40);
    return [
      { kind: 'rect', x, y: FOOT, width: half, height: 2 },
      ...cell(text, { x, y: FOOT + 36, width: half, size: 24 }),
    ];
  });
}

/** The pages of a manifest. The driver signs on the last page. */
export function* manifestPages(manifest: ManifestRow, lines: readonly ManifestLine[]): Generator<Drawing> {
  const pages = Math.max(1, Math.ceil(lines.length / ROWS_PER_PAGE));
  for (let page = 1; page <= pages; page += 1) {
    const shown = lines.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE);
    yield {
      ...A4,
      items: [
        ...head(manifest, page, pages),
        ...table(shown, manifest.carrier),
        ...(page === pages ? foot() : []),
      ],
    };
  }
}
