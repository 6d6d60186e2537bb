/** The layout of a label. Each part has its own box, and its text cannot leave the box. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { code128Modules, QUIET_MODULES } from '../../../platform/pdf/code128.ts';
import { A4, A6, type Drawing, type Item, type TextRole } from '../../../platform/pdf/drawing.ts';
import { fitText, type TextBox } from '../../../platform/pdf/fit-text.ts';
import { textWidth } from '../../../platform/pdf/fonts.ts';
import { carrierName, serviceName } from '../domain/carriers.ts';
import { kilograms, type Label, type LabelAddress } from '../domain/label.ts';

const MARGIN = 40;
const WIDTH = A6.width - 2 * MARGIN;
/** The distance of two baselines, as a factor of the font's height. */
const LEADING = 1.15;
const MODULE_MAX = 4;
const BARCODE = { y: 790, height: 200 };

interface Place {
  readonly x: number;
  readonly y: number;
  readonly role?: TextRole;
  readonly inverted?: boolean;
}

/** A text in its box, from the first baseline down. */
function text(content: string, { x, y, role = 'P', inverted }: Place, box: TextBox): Item[] {
  const { size, lines } = fitText(content, box);
  return lines.map((line, index) => ({
    kind: 'text',
    x,
    y: y + index * box.size * LEADING,
    text: line,
    size,
    weight: box.weight,
    role,
    ...(inverted ? { inverted } : {}),
  }));
}

const one = (size: number, width = WIDTH): TextBox => ({
  width,
  lines: 1,
  weight: 'regular',
  size,
  sizeMin: 16,
});
const bold = (box: TextBox): TextBox => ({ ...box, weight: 'bold' });
const rule = (y: number): Item => ({ kind: 'rect', x: MARGIN, y, width: WIDTH, height: 4 });

const place = ({ city, state, postcode }: LabelAddress): string =>
  [city, state, postcode].filter((part) => part != null && part !== '').join(' ');
/** Domestic addresses do not name the country. */
const abroad = ({ country }: LabelAddress): string => (country === 'AU' ? '' : country);

function header({ carrier, service }: Label): Item[] {
  return [
    { kind: 'rect', x: MARGIN, y: MARGIN, width: WIDTH, height: 92 },
    ...text(
      carrierName(carrier),
      { x: MARGIN + 20, y: 102, role: 'H1', inverted: true },
      bold(one(46, WIDTH * 0.6 - 30)),
    ),
    ...text(
      serviceName(carrier, service),
      { x: MARGIN + WIDTH * 0.6, y: 100, inverted: true },
      bold(one(34, WIDTH * 0.4 - 20)),
    ),
  ];
}

function sender({ from, order_number, reference }: Label): Item[] {
  const left = WIDTH * 0.56;
  const column = MARGIN + left + 20;
  const right = WIDTH - left - 20;
  const lines = [
    [from.name, from.company].filter(Boolean).join(', '),
    [from.line1, from.line2].filter(Boolean).join(', '),
    [place(from), abroad(from)].filter(Boolean).join(' '),
  ];
  return [
    ...text('FROM', { x: MARGIN, y: 164 }, bold(one(20, left))),
    ...lines.flatMap((line, index) => text(line, { x: MARGIN, y: 192 + index * 28 }, one(24, left))),
    ...text('ORDER', { x: column, y: 164 }, bold(one(20, right))),
    ...text(order_number, { x: column, y: 196 }, bold(one(30, right))),
    ...text(reference, { x: column, y: 232 }, one(20, right)),
    rule(266),
  ];
}

/** The line that is used for sorting. State and postcode have their own box, so a long town does not push them out. */
function destination({ city, state, postcode }: LabelAddress, y: number): Item[] {
  const area = [state, postcode].filter(Boolean).join(' ');
  const areaBox = { ...bold(one(54, WIDTH / 2)), sizeMin: 26 };
  const { size, lines } = fitText(area, areaBox);
  const taken = lines.reduce((most, line) => Math.max(most, textWidth(line, size, 'bold')), 0);
  const gap = taken === 0 ? 0 : 24;
  const townBox = { ...bold(one(54, WIDTH - taken - gap)), sizeMin: 26 };
  return [...text(city, { x: MARGIN, y }, townBox), ...text(area, { x: MARGIN + WIDTH - taken, y }, areaBox)];
}

function recipient({ to }: Label): Item[] {
  const street = [to.line1, to.line2].filter(Boolean).join(', ');
  return [
    ...text('TO', { x: MARGIN, y: 302 }, bold(one(22))),
    ...text(to.name ?? '', { x: MARGIN, y: 356 }, { ...bold(one(46)), lines: 2, sizeMin: 30 }),
    ...text(to.company ?? '', { x: MARGIN, y: 456 }, one(34)),
    ...text(street, { x: MARGIN, y: 504 }, { ...one(38), lines: 2, sizeMin: 20 }),
    ...destination(to, 616),
    ...text([abroad(to), to.phone].filter(Boolean).join('   '), { x: MARGIN, y: 664 }, one(30)),
    rule(684),
  ];
}

/** The barcode with its number below. A bar is as wide as a whole number of dots allows. */
function barcode({ tracking_number, authority_to_leave }: Label): Item[] {
  const modules = code128Modules(tracking_number);
  const module = Math.max(1, Math.min(MODULE_MAX, Math.floor(A6.width / (modules + 2 * QUIET_MODULES))));
  const x = Math.round((A6.width - modules * module) / 2);
  const { size, lines } = fitText(tracking_number, bold(one(40)));
  const instruction = authority_to_leave ? 'AUTHORITY TO LEAVE' : 'HAND OVER IN PERSON';
  return [
    ...text(instruction, { x: MARGIN, y: 736 }, bold(one(36))),
    { kind: 'code128', x, ...BARCODE, module, text: tracking_number },
    ...lines.map((line): Item => {
      const left = Math.round((A6.width - textWidth(line, size, 'bold')) / 2);
      return {
        kind: 'text',
        x: left,
        y: BARCODE.y + BARCODE.height + 48,
        text: line,
        size,
        weight: 'bold',
        role: 'P',
      };
    }),
    rule(1064),
  ];
}

function footer({ parcel, created_at }: Label): Item[] {
  const third = WIDTH / 3 - 10;
  const cells = [
    `Parcel ${parcel.number} of ${parcel.count}`,
    `${kilograms(parcel.weight_g)} kg`,
    sydneyDate(Date.parse(created_at)),
  ];
  return cells.flatMap((cell, index) =>
    text(cell, { x: MARGIN + index * (WIDTH / 3), y: 1116 }, one(30, third)),
  );
}

/** The label, 105 by 148 mm. */
export function labelDrawing(label: Label): Drawing {
  const items = [header, sender, recipient, barcode, footer].flatMap((part) => part(label));
  return { ...A6, items };
}

/** The same label in the corner of a sheet of office paper, with lines for cutting. */
export function onSheet({ width, height, items }: Drawing): Drawing {
  return {
    ...A4,
    items: [
      ...items,
      { kind: 'cut', from: [width, 0], to: [width, height] },
      { kind: 'cut', from: [0, height], to: [width, height] },
    ],
  };
}
