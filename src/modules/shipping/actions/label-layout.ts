/** The layout of a label. Each part has its own box, and its text cannot leave the box. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { code128Modules, QUIET_MODULES } from '../../../platform/pdf/code128.ts';
import { A4, A6, type Drawing, type Item } from '../../../platform/pdf/drawing.ts';
import { SIZE_MIN } from '../../../platform/pdf/fit-text.ts';
import { type Paragraph, placeBlock, type TextStyle, textItems } from '../../../platform/pdf/place-text.ts';
import { carrierName, serviceName } from '../domain/carriers.ts';
import { kilograms, type Label, type LabelAddress } from '../domain/label.ts';

const MARGIN = 40;
const WIDTH = A6.width - 2 * MARGIN;
const MODULE_MAX = 4;
const BARCODE = { y: 790, height: 200 };
/** The sender and the order number share a row of this height. */
const SENDER = { x: MARGIN, y: 152, width: WIDTH * 0.5, height: 124 };
const RECIPIENT = { x: MARGIN, y: 330, width: WIDTH, height: 322 };
/** One line below the address. A telephone text that is longer goes on in lines that the address leaves. */
const PHONE = { x: MARGIN, y: 654.8, width: WIDTH, height: 35 };

const plain = (size: number, width = WIDTH): TextStyle => ({ x: MARGIN, width, size });
const bold = (size: number, width = WIDTH): TextStyle => ({ ...plain(size, width), weight: 'bold' });
const rule = (y: number): Item => ({ kind: 'rect', x: MARGIN, y, width: WIDTH, height: 4 });

const joined = (parts: readonly (string | null | undefined)[], separator: string): string =>
  parts.filter((part) => part != null && part !== '').join(separator);

let countries: Intl.DisplayNames | undefined;
/** Made with the first label: the names take 20 ms to load. */
function countryName(code: string): string {
  countries ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
  return countries.of(code) ?? code;
}
/** Domestic addresses do not name the country. Postal services want it in capitals. */
function abroad({ country }: LabelAddress): string {
  if (country === 'AU') return '';
  return (/^[A-Z]{2}$/.test(country) ? countryName(country) : country).toUpperCase();
}

/** Town, state and postcode. The postcode is never cut. */
const place = ({ city, state, postcode }: LabelAddress, size: number): Paragraph => ({
  text: joined([city, state], ' '),
  size,
  weight: 'bold',
  ...(postcode == null ? {} : { tail: postcode }),
});

const senderBlock = ({ name, company, line1, line2, ...area }: LabelAddress) => {
  const country = abroad({ line1, ...area });
  return placeBlock(
    [
      { text: joined([name, company], ', '), size: 24 },
      { text: joined([line1, line2], ', '), size: 24 },
      { ...place({ line1, ...area }, 24), weight: 'regular' },
      { text: country, size: 24 },
    ],
    SENDER,
  );
};

function recipientBlock(to: LabelAddress) {
  const address: Paragraph[] = [
    { text: to.name ?? '', size: 46, weight: 'bold' },
    { text: to.company ?? '', size: 34 },
    { text: to.line1, size: 38 },
    { text: to.line2 ?? '', size: 38 },
    place(to, 54),
    { text: abroad(to), size: 40, weight: 'bold' },
  ];
  const phone: Paragraph = { text: to.phone ?? '', size: 28 };
  const below = placeBlock([phone], PHONE);
  if (below.isCut) {
    const whole = placeBlock([...address, phone], { ...RECIPIENT, height: RECIPIENT.height + PHONE.height });
    if (!whole.isCut) return whole;
  }
  // A parcel arrives without the end of a telephone text, so only a cut of the address counts.
  const { items, isCut } = placeBlock(address, RECIPIENT);
  return { items: [...items, ...below.items], isCut };
}

/** Which of the two addresses does not fit on a label at 7 pt; undefined if both fit. */
export function addressTooLong({ from, to }: Pick<Label, 'from' | 'to'>): 'to' | 'from' | undefined {
  if (recipientBlock(to).isCut) return 'to';
  return senderBlock(from).isCut ? 'from' : undefined;
}

function header({ carrier, service }: Label): Item[] {
  const white = { inverted: true, weight: 'bold' } as const;
  return [
    { kind: 'rect', x: MARGIN, y: MARGIN, width: WIDTH, height: 72 },
    ...textItems(carrierName(carrier), 90, {
      ...plain(42, WIDTH * 0.6 - 30),
      ...white,
      x: MARGIN + 16,
      role: 'H1',
    }),
    ...textItems(serviceName(carrier, service), 88, {
      ...plain(34, WIDTH * 0.4 - 16),
      ...white,
      x: MARGIN + WIDTH - 16,
      align: 'right',
    }),
  ];
}

function sender({ from, order_number, reference }: Label): Item[] {
  const x = SENDER.x + SENDER.width + 20;
  const width = WIDTH - SENDER.width - 20;
  return [
    ...textItems('FROM', 144, bold(20, SENDER.width)),
    ...senderBlock(from).items,
    ...textItems('ORDER', 144, { ...bold(20, width), x }),
    ...placeBlock(
      [
        { text: order_number, size: 30, weight: 'bold' },
        { text: reference, size: SIZE_MIN },
      ],
      { ...SENDER, x, width },
    ).items,
    rule(286),
  ];
}

function recipient({ to }: Label): Item[] {
  return [...textItems('TO', 322, bold(22)), ...recipientBlock(to).items, rule(696)];
}

/** The barcode with its number below. A bar is as wide as a whole number of dots allows. */
function barcode({ tracking_number, authority_to_leave }: Label): Item[] {
  const modules = code128Modules(tracking_number);
  const module = Math.max(1, Math.min(MODULE_MAX, Math.floor(A6.width / (modules + 2 * QUIET_MODULES))));
  const x = Math.round((A6.width - modules * module) / 2);
  const instruction = authority_to_leave ? 'AUTHORITY TO LEAVE' : 'HAND OVER IN PERSON';
  return [
    ...textItems(instruction, 748, bold(36)),
    { kind: 'code128', x, ...BARCODE, module, text: tracking_number },
    ...textItems(tracking_number, BARCODE.y + BARCODE.height + 48, {
      ...bold(40),
      x: A6.width / 2,
      align: 'centre',
    }),
    rule(1064),
  ];
}

function footer({ parcel, created_at }: Label): Item[] {
  const third = WIDTH / 3;
  const cells = [
    `Parcel ${parcel.number} of ${parcel.count}`,
    `${kilograms(parcel.weight_g)} kg`,
    sydneyDate(Date.parse(created_at)),
  ];
  return cells.flatMap((cell, index) =>
    textItems(cell, 1116, { ...plain(30, third - 10), x: MARGIN + index * third }),
  );
}

/** The label, 105 by 148 mm. */
export function labelDrawing(label: Label): Drawing {
  const items = [header, sender, recipient, barcode, footer].flatMap((part) => part(label));
  return { ...A6, items };
}

/** The corners of the labels of a sheet, in reading order. */
const CORNERS = [0, A6.height].flatMap((y) => [0, A6.width].map((x) => ({ x, y })));

function moved(item: Item, { x, y }: { readonly x: number; readonly y: number }): Item {
  if (item.kind !== 'cut') return { ...item, x: item.x + x, y: item.y + y };
  const { from, to } = item;
  return { ...item, from: [from[0] + x, from[1] + y], to: [to[0] + x, to[1] + y] };
}

/** Office paper with four labels a sheet, and lines for cutting. */
export function onSheets(labels: readonly Drawing[]): Drawing[] {
  const sheets = Math.ceil(labels.length / CORNERS.length);
  return Array.from({ length: sheets }, (_, sheet): Drawing => {
    const shown = labels.slice(sheet * CORNERS.length, (sheet + 1) * CORNERS.length);
    const items = shown.flatMap(({ items: own }, index) =>
      own.map((item) => moved(item, CORNERS[index] ?? { x: 0, y: 0 })),
    );
    return {
      ...A4,
      items: [
        ...items,
        { kind: 'cut', from: [A6.width, 0], to: [A6.width, shown.length > 2 ? A4.height : A6.height] },
        { kind: 'cut', from: [0, A6.height], to: [shown.length > 1 ? A4.width : A6.width, A6.height] },
      ],
    };
  });
}
