/** Addresses on labels and manifests are complete and readable, with their postcode, or they are refused. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../../../test/support/any-text.ts';
import { drawBits } from '../../../platform/pdf/draw-png.ts';
import type { Drawing, TextItem } from '../../../platform/pdf/drawing.ts';
import { layoutOf, runsOf, textWidth } from '../../../platform/pdf/fonts.ts';
import type { Label, LabelAddress, PrintedAddress } from '../domain/label.ts';
import type { ManifestLine } from '../store/manifests.ts';
import { addressTooLong, labelDrawing, onSheets } from './label-layout.ts';
import { manifestPages } from './manifest-pages.ts';
import { renderLabels } from './render-label.ts';

/** 7 pt in dots. */
const FLOOR = (7 / 72) * 25.4 * 8;

const words = fc
  .array(fc.constantFrom('Unit', '1204', 'Old', 'Princes', 'Wolfeschlegelstein', 'of', 'W'.repeat(30)), {
    maxLength: 16,
  })
  .map((list) => list.join(' '));
/** Marks that fonts draw to the left of their place. */
const marks = fc.constantFrom('\ua9b3', '\u09bf', '\u09cb \u09cb', 'i\u09c7', '\u20dd');
const part = fc.oneof(
  words,
  marks,
  anyText({ maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
);
const optional = fc.option(part);
const address: fc.Arbitrary<PrintedAddress> = fc.record({
  name: optional,
  company: optional,
  line1: part,
  line2: optional,
  city: part,
  state: fc.constantFrom('NSW', 'VIC', 'WA'),
  postcode: fc.integer({ min: 800, max: 9_999 }).map((code) => String(code).padStart(4, '0')),
  country: fc.constantFrom('AU', 'AU', 'NZ', 'ZZ', 'not a code'),
  phone: optional,
});
const labelOf = (from: LabelAddress, to: LabelAddress): Label => ({
  carrier: 'own',
  service: 'express',
  tracking_number: 'SPX1000000000000008',
  from,
  to,
  order_number: '1002',
  reference: 'shp_01j0000000000000000000000',
  parcel: { number: 1, count: 1, weight_g: 1_250 },
  authority_to_leave: true,
  created_at: '2026-06-28T01:00:00Z',
});
const labels = fc.tuple(address, address).map(([from, to]) => labelOf(from, to));

const textsOf = ({ items }: Drawing) => items.filter((item) => item.kind === 'text');
const wordsOf = (page: Drawing): string[] => textsOf(page).flatMap(({ text }) => text.split(' '));

/** How far the letters of a text reach below and above its baseline, as factors of its size. */
function inkOf({ text, weight, base }: TextItem): { readonly depth: number; readonly height: number } {
  const edges = runsOf(text, weight, base).flatMap((run) => {
    const { glyphs, positions } = layoutOf(run);
    return glyphs.map(({ bbox }, index) => {
      const up = positions[index]?.yOffset ?? 0;
      const { unitsPerEm } = run.face.font;
      return { depth: -(bbox.minY + up) / unitsPerEm, height: (bbox.maxY + up) / unitsPerEm };
    });
  });
  const most = (values: readonly number[]) => Math.max(0, ...values.filter(Number.isFinite));
  return { depth: most(edges.map((edge) => edge.depth)), height: most(edges.map((edge) => edge.height)) };
}

function expectReadable(page: Drawing, margin: number): void {
  for (const { x, y, text, size, weight } of textsOf(page)) {
    expect(size).toBeGreaterThanOrEqual(FLOOR);
    expect(x).toBeGreaterThanOrEqual(margin);
    expect(x + textWidth(text, size, weight)).toBeLessThanOrEqual(page.width - margin + 0.01);
    expect(y - size).toBeGreaterThanOrEqual(0);
    expect(y + size * 0.3).toBeLessThanOrEqual(page.height);
  }
}

const ORDINARY: PrintedAddress = {
  ...{ name: 'Kim Lee', company: null, line1: 'Unit 4, 7 Example Road', line2: null },
  ...{ city: 'Carlton', state: 'VIC', postcode: '3053', country: 'AU', phone: null },
};
const LONG: PrintedAddress = {
  ...ORDINARY,
  name: 'Maximiliana Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh von und zu Hohenzollern',
  company: 'Department of Environment, Land, Water and Planning, Regional Services Division',
  line1: 'Unit 1204, Tower 3, The Extremely Long Residential Complex Name, 1200 Old Princes Highway',
  line2: 'Deliver to the loading dock behind the second gate, ring twice and ask for Maximiliana',
  city: 'Mount Macedon Upper Woodend North Junction',
};
/** Fills the box of the receiver to its last line. */
const NEARLY_FULL: PrintedAddress = { ...LONG, line2: 'ring twice '.repeat(45).trim() };
const ENDLESS: PrintedAddress = { ...LONG, line2: 'ring twice '.repeat(200) };

describe('the addresses of a label', () => {
  test('have their postcode, at least 7 pt, and no letter outside of the page', () => {
    fc.assert(
      fc.property(labels, (label) => {
        const page = labelDrawing(label);
        expectReadable(page, 40);
        expect(wordsOf(page)).toEqual(expect.arrayContaining([label.to.postcode, label.from.postcode]));
      }),
      { numRuns: 150 },
    );
  });

  test('that are long are wrapped and whole', () => {
    expect(addressTooLong({ from: ORDINARY, to: LONG })).toBeUndefined();
    const shown = wordsOf(labelDrawing(labelOf(ORDINARY, LONG))).join('');
    const { name, company, line1, line2, city, postcode } = LONG;
    for (const text of [name, company, line1, line2, city, postcode])
      expect(shown).toContain(text?.replaceAll(' ', ''));
  });

  test('that do not fit are found before the label is made', () => {
    expect(addressTooLong({ from: ORDINARY, to: ENDLESS })).toBe('to');
    expect(addressTooLong({ from: ENDLESS, to: ORDINARY })).toBe('from');
    expect(addressTooLong({ from: ORDINARY, to: ORDINARY })).toBeUndefined();
  });

  test.each([ORDINARY, LONG])('show a long telephone text whole: $name', (address) => {
    const phone =
      'Ring 0491 570 156 until six, then the office on 02 5550 4321, ext. 77, and ask for the porter';
    const to = { ...address, phone };
    expect(addressTooLong({ from: ORDINARY, to })).toBeUndefined();
    expect(wordsOf(labelDrawing(labelOf(ORDINARY, to))).join('')).toContain(phone.replaceAll(' ', ''));
  });

  test.each([
    [ORDINARY, 30],
    [NEARLY_FULL, 2],
  ])('that fit are not refused for their telephone text, which is cut: %#', (address, times) => {
    const phone =
      'Ring 0491 570 156 until six, then the office on 02 5550 4321, and ask for the porter '.repeat(times);
    const to = { ...address, phone };
    expect(addressTooLong({ from: ORDINARY, to: address })).toBeUndefined();
    expect(addressTooLong({ from: ORDINARY, to })).toBeUndefined();
    const page = labelDrawing(labelOf(ORDINARY, to));
    expectReadable(page, 40);
    const shown = wordsOf(page).join('');
    for (const text of [address.name, address.line1, address.line2, address.city, address.postcode])
      expect(shown).toContain(text?.replaceAll(' ', '') ?? '');
    expect(shown).toContain('Ring0491570156');
    expect(shown.match(/…/g)).toHaveLength(1);
    const lowest = Math.max(...textsOf(page).flatMap(({ y }) => (y < 700 ? [y] : [])));
    expect(lowest).toBeLessThan(690);
    // An address that does not fit is found, also with such a text.
    expect(addressTooLong({ from: ORDINARY, to: { ...ENDLESS, phone } })).toBe('to');
  });

  test('leave the number of the shipment its own line', () => {
    const reference = 'shp_01m8krd1h1004h4pb47ahvdwqt';
    const texts = textsOf(labelDrawing({ ...labelOf(ORDINARY, ORDINARY), reference }));
    expect(texts.map(({ text }) => text)).toContain(reference);
  });

  test('leave room for the whole number of the order', () => {
    const order_number = Array.from({ length: 20 }, (_, index) => `W${1_000 + index}`).join('');
    const shown = wordsOf(labelDrawing({ ...labelOf(ORDINARY, ORDINARY), order_number })).join('');
    expect(shown).toContain(order_number);
  });

  test('in Arabic and Devanagari do not touch the line below', () => {
    const to = { ...ORDINARY, name: 'دبي', line1: 'कृष्ण', city: 'دبي', country: 'AE' };
    const drawn = textsOf(labelDrawing(labelOf(to, to)));
    const lines = drawn.filter(({ x, y }) => x === 40 && y > 322 && y < 680);
    for (const [index, above] of lines.entries()) {
      const below = lines[index + 1];
      if (below === undefined) continue;
      const depth = inkOf(above).depth * above.size;
      expect(above.y + depth).toBeLessThanOrEqual(below.y - inkOf(below).height * below.size);
    }
  });

  test('abroad name their country in capitals', () => {
    const texts = textsOf(labelDrawing(labelOf(ORDINARY, { ...ORDINARY, country: 'NZ' })));
    expect(texts.map(({ text }) => text)).toContain('NEW ZEALAND');
  });
});

describe('in every format', () => {
  const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined;

  test.runIf(hasPoppler)('PDF: the postcodes are in the text', async () => {
    const property = fc.asyncProperty(labels, fc.constantFrom('a6', 'a4'), async (label, size) => {
      const { data } = await renderLabels([label], { format: 'pdf', size });
      const { stdout } = spawnSync('pdftotext', ['-layout', '-', '-'], { input: data });
      const found = stdout.toString();
      expect(found).toContain(label.to.postcode);
      expect(found).toContain(label.from.postcode);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  test('PNG: the edge of the paper stays white', async () => {
    const property = fc.asyncProperty(labels, async (label) => {
      const page = labelDrawing(label);
      const { data, bytesPerRow } = await drawBits(page);
      const isDark = (at: number) => data[at] !== 0;
      const isEdge = (at: number) =>
        [0, bytesPerRow - 1].includes(at % bytesPerRow) ||
        [0, page.height - 1].includes(Math.floor(at / bytesPerRow));
      const dark = [...data.keys()].filter((at) => isEdge(at) && isDark(at));
      expect(dark).toEqual([]);
    });
    await fc.assert(property, { numRuns: 10 });
  });

  test('ZPL: the postcodes are fields, no font is below 7 pt, everything is inside the paper', async () => {
    const ascii = labels.map((label) =>
      labelOf({ ...label.from, city: 'Sydney' }, { ...label.to, city: 'Carlton' }),
    );
    const property = fc.asyncProperty(ascii, async (label) => {
      const zpl = (await renderLabels([label], { format: 'zpl', size: 'a6' })).data.toString();
      const fields = zpl.replaceAll('_20', ' ').replaceAll('_C2_A0', ' ');
      expect(fields).toContain(label.to.postcode);
      expect(fields).toContain(label.from.postcode);
      for (const [, height = ''] of zpl.matchAll(/\^A0N,(\d+),/g))
        expect(Number(height)).toBeGreaterThanOrEqual(FLOOR);
      for (const [, x = '', y = ''] of zpl.matchAll(/\^F[OT](\d+),(\d+)/g)) {
        expect(Number(x)).toBeLessThan(840);
        expect(Number(y)).toBeLessThan(1_184);
      }
      for (const [, x = '', bytes = ''] of zpl.matchAll(/\^FO(\d+),\d+\^GFA,\d+,\d+,(\d+),/g))
        expect(Number(x) + Number(bytes) * 8).toBeLessThanOrEqual(840);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test('A4: four labels a sheet, each in its quarter', () => {
    const drawn = Array.from({ length: 6 }, () => labelDrawing(labelOf(ORDINARY, ORDINARY)));
    const sheets = onSheets(drawn);
    const codes = sheets.map(({ items }) => items.filter(({ kind }) => kind === 'code128'));
    expect(codes.map(({ length }) => length)).toEqual([4, 2]);
    for (const sheet of sheets) expectReadable(sheet, 40);
    const [sheet] = sheets;
    const corners = codes[0]?.flatMap((item) => (item.kind === 'code128' ? [[item.x, item.y]] : []));
    const [[x = 0, y = 0] = []] = corners ?? [];
    expect(corners).toEqual([
      [x, y],
      [x + 840, y],
      [x, y + 1_184],
      [x + 840, y + 1_184],
    ]);
    expect(sheet?.width).toBe(1_680);
  });
});

test('the place of a manifest keeps its postcode', async () => {
  const manifest = {
    ...{
      manifest_id: 'man_1',
      carrier: 'own',
      dispatched_on: '2026-06-29',
      number: 1,
      parcels: 0,
      weight_g: 0,
    },
    ...{ seller_name: 'Blue Mug Co', sender: { ...ORDINARY, city: 'Upper Woodend '.repeat(5).trim() } },
    created_at: '2026-06-29T05:00:00.000Z',
  };
  const [page] = await manifestPages(manifest, []);
  const facts = (page === undefined ? [] : textsOf(page)).filter(({ role }) => role === 'TD');
  expect(facts.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^Upper Woodend.*3053$/));
});

describe('the destinations of a manifest', () => {
  const lines = fc.array(fc.tuple(part, part, address), { minLength: 1, maxLength: 40 }).map((rows) =>
    rows.map(
      ([recipient, city, { state, postcode }], index): ManifestLine => ({
        ...{ line_no: index + 1, shipment_id: 'shp_1', order_id: 'ord_1', order_number: '1002' },
        ...{ service: 'express', tracking_number: `SPX${String(index).padStart(16, '0')}` },
        ...{ recipient, destination: [city, state, postcode].join(' '), postcode: postcode ?? null },
        ...{ package: 1, packages: 1, weight_g: 1_000 },
      }),
    ),
  );

  test('have their postcode, at least 7 pt, and no letter outside of the page', async () => {
    await fc.assert(
      fc.asyncProperty(lines, address, part, async (rows, sender, seller_name) => {
        const manifest = {
          ...{ manifest_id: 'man_1', carrier: 'own', dispatched_on: '2026-06-29', number: 1 },
          ...{ parcels: rows.length, weight_g: 1_000, seller_name, sender },
          created_at: '2026-06-29T05:00:00.000Z',
        };
        const pages = await manifestPages(manifest, rows);
        for (const page of pages) expectReadable(page, 90);
        const shown = pages.flatMap(wordsOf);
        const wanted = rows.map(({ destination }) => destination.split(' ').at(-1));
        expect(shown).toEqual(expect.arrayContaining([...wanted, sender.postcode]));
      }),
      { numRuns: 40 },
    );
  });
});
