import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { barcodesIn } from '../../../../test/support/barcode-reader.ts';
import { drawPng } from '../../../platform/pdf/draw-png.ts';
import { A4, A6 } from '../../../platform/pdf/drawing.ts';
import { runsOf, textWidth } from '../../../platform/pdf/fonts.ts';
import { CARRIERS } from '../domain/carriers.ts';
import type { Label, LabelAddress } from '../domain/label.ts';
import { newTrackingNumber } from '../domain/tracking-number.ts';
import { labelDrawing } from './label-layout.ts';
import { renderLabels } from './render-label.ts';

const LABEL: Label = {
  carrier: 'own',
  service: 'express',
  tracking_number: newTrackingNumber(),
  from: {
    name: 'Blue Mug Co',
    line1: '12 Harbour Street',
    city: 'Sydney',
    state: 'NSW',
    postcode: '2000',
    country: 'AU',
  },
  to: {
    name: 'Kim Lee',
    line1: 'Unit 4, 7 Example Road',
    city: 'Carlton',
    state: 'VIC',
    postcode: '3053',
    country: 'AU',
  },
  order_number: '1002',
  reference: 'shp_01j0000000000000000000000',
  parcel: { number: 1, count: 2, weight_g: 1250 },
  authority_to_leave: true,
  created_at: '2026-06-28T01:00:00Z',
};

const LONG =
  'Maximiliana Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh von und zu Hohenzollern, '.repeat(4);
const to = (address: Partial<LabelAddress>): Label => ({ ...LABEL, to: { ...LABEL.to, ...address } });
const LABELS: Readonly<Record<string, Label>> = {
  short: LABEL,
  'very long': {
    ...to({ name: LONG, company: LONG, line1: LONG, line2: 'W'.repeat(2_000), city: LONG, phone: LONG }),
    from: { ...LABEL.from, name: LONG, line1: LONG, city: LONG },
    order_number: '9'.repeat(500),
    reference: LONG,
  },
  'of many scripts': to({
    name: '王小明 Đặng Thị Μαρία',
    company: 'شركة محمد',
    line1: 'Москва ул. Ленина 5',
    line2: 'नमस्ते ご近所 😀👨‍👩‍👧 שרה (2)',
    city: '서울',
  }),
  'of characters that no font has': to({
    name: '\u{10000}\u{1F0CE}',
    company: '\u0000\u0007\u202E\uFFFE',
    line1: '\uD800',
    city: '\u{20000}',
  }),
  empty: to({ name: null, company: '', line1: '', city: '', state: null, postcode: null }),
  'of commands': to({ name: '^XZ^XA~JA', company: '_5EXZ \\&', line1: '^FS^FD>:', city: '~DG' }),
};
const labels = Object.entries(LABELS);

describe('a label', () => {
  test.each(labels)('%s: everything is inside the margins of the paper', (_, label) => {
    const { width, height, items } = labelDrawing(label);
    expect({ width, height }).toEqual(A6);
    const texts = items.filter((item) => item.kind === 'text');
    expect(texts.length).toBeGreaterThan(8);
    for (const { x, y, text, size, weight } of texts) {
      expect(x).toBeGreaterThanOrEqual(40);
      expect(x + textWidth(text, size, weight)).toBeLessThanOrEqual(width - 40 + 0.01);
      expect(y - size).toBeGreaterThanOrEqual(0);
      expect(y + size * 0.3).toBeLessThanOrEqual(height);
    }
  });

  test.each(labels)('%s: no texts overlap', (_, label) => {
    const texts = labelDrawing(label).items.filter((item) => item.kind === 'text');
    const boxes = texts.map(({ x, y, text, size, weight }) => ({
      text,
      left: x,
      right: x + textWidth(text, size, weight),
      // From the height of capitals to the baseline.
      top: y - size * 0.72,
      bottom: y,
    }));
    const overlaps = boxes.flatMap((one, index) =>
      boxes
        .slice(index + 1)
        .filter(
          (two) =>
            one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom,
        )
        .map((two) => [one.text, two.text]),
    );
    expect(overlaps).toEqual([]);
  });

  test('shows a visible mark for a character that no font has', () => {
    const shown = runsOf('a\u{10000}\u{20000}b', 'bold').map(({ text }) => text);
    expect(shown.join('')).toBe('a\uFFFDb');
  });

  test('says whether the parcel may be left', () => {
    const say = (authority_to_leave: boolean): string =>
      JSON.stringify(labelDrawing({ ...LABEL, authority_to_leave }).items);
    expect(say(true)).toContain('AUTHORITY TO LEAVE');
    expect(say(false)).not.toContain('AUTHORITY TO LEAVE');
  });

  test('is the same file each time it is made', async () => {
    for (const format of ['pdf', 'png', 'zpl'] as const) {
      const [one, two] = await Promise.all([1, 2].map(() => renderLabels([LABEL], { format, size: 'a6' })));
      expect(one?.data.equals(two?.data ?? Buffer.alloc(0)), format).toBe(true);
    }
  });
});

describe('as PNG', () => {
  test.each(labels)('%s: a scanner reads the tracking number', async (_, label) => {
    const { type, data } = await renderLabels([label], { format: 'png', size: 'a6' });
    expect(type).toBe('image/png');
    expect([data.readUInt32BE(16), data.readUInt32BE(20)]).toEqual([A6.width, A6.height]);
    expect(await barcodesIn(data)).toEqual([{ format: 'Code128', text: label.tracking_number }]);
  });

  test('A4: the same on a sheet', async () => {
    const { data } = await renderLabels([LABEL], { format: 'png', size: 'a4' });
    expect([data.readUInt32BE(16), data.readUInt32BE(20)]).toEqual([A4.width, A4.height]);
    expect(await barcodesIn(data)).toEqual([{ format: 'Code128', text: LABEL.tracking_number }]);
  });

  test.each(CARRIERS.map((carrier) => [carrier.name, carrier] as const))(
    'a number of %s',
    async (_, carrier) => {
      const label = { ...LABEL, carrier: carrier.code, tracking_number: carrier.tracking_example };
      const { data } = await renderLabels([label], { format: 'png', size: 'a6' });
      expect(await barcodesIn(data)).toEqual([{ format: 'Code128', text: carrier.tracking_example }]);
    },
  );
});

const hasPoppler = spawnSync('pdftoppm', ['-v']).error === undefined;

describe('as PDF', () => {
  test.each(labels)('%s: has tags, a language, a title, and its fonts inside', async (_, label) => {
    const { type, data } = await renderLabels([label], { format: 'pdf', size: 'a6' });
    expect(type).toBe('application/pdf');
    const text = data.toString('latin1');
    expect(text.startsWith('%PDF-1.7')).toBe(true);
    expect(text).toContain('/Marked true');
    expect(text).toContain('/Lang (en-AU)');
    expect(text).toContain(`Barcode ${label.tracking_number}`);
    expect(text).toContain('/FontFile2');
    expect(text).not.toMatch(/\/BaseFont \/(Helvetica|Times|Courier)/);
  });

  // Rendering needs Poppler; where it is missing the test is shown as skipped.
  test
    .runIf(hasPoppler)
    .each(
      labels.flatMap(([name, label]) => (['a6', 'a4'] as const).map((size) => [name, size, label] as const)),
    )('%s, %s: rendered, a scanner reads the tracking number', async (_, size, label) => {
    const { data } = await renderLabels([label], { format: 'pdf', size });
    const directory = mkdtempSync(join(tmpdir(), 'spp-label-'));
    try {
      writeFileSync(join(directory, 'label.pdf'), data);
      execFileSync('pdftoppm', ['-r', '203', '-png', '-singlefile', 'label.pdf', 'label'], {
        cwd: directory,
      });
      const page = readFileSync(join(directory, 'label.png'));
      const paper = size === 'a4' ? A4 : A6;
      expect(Math.abs(page.readUInt32BE(16) - paper.width)).toBeLessThan(4);
      expect(await barcodesIn(page)).toEqual([{ format: 'Code128', text: label.tracking_number }]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

/** Field data of a ZPL command, hexadecimal escapes undone. */
const fieldsOf = (zpl: string): string[] =>
  [...zpl.matchAll(/\^FH_\^FD([^^~]*)\^FS/g)].map(([, field = '']) =>
    Buffer.from(
      field
        .replaceAll(/_([0-9A-F]{2})/g, '%$1')
        .replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString(),
  );

describe('as ZPL', () => {
  test.each(labels)('%s: the barcode’s data is the tracking number, and it fits', async (_, label) => {
    const zpl = (await renderLabels([label], { format: 'zpl', size: 'a6' })).data.toString();
    const found = /\^FO(\d+),(\d+)\^BY(\d)\^BCN,(\d+),N,N,N,A\^FH_\^FD([0-9A-Z]+)\^FS/.exec(zpl);
    expect(found?.[5]).toBe(label.tracking_number);
    // The test draws the barcode of the command like a printer and expects the same bars at the same place.
    const [, x = '0', y = '0', module = '0', height = '0', text = ''] = found ?? [];
    const bars = {
      kind: 'code128',
      x: Number(x),
      y: Number(y),
      module: Number(module),
      height: Number(height),
      text,
    } as const;
    expect(await barcodesIn(await drawPng({ ...A6, items: [bars] }))).toEqual([
      { format: 'Code128', text: label.tracking_number },
    ]);
  });

  test.each(labels)('%s: no text of an address becomes a command', async (_, label) => {
    const zpl = (await renderLabels([label], { format: 'zpl', size: 'a4' })).data.toString();
    expect(zpl).toMatch(/^[\x20-\x7e\n]*$/);
    expect(zpl).not.toContain('~');
    expect(zpl.match(/\^XA/g)).toHaveLength(1);
    expect(zpl.match(/\^XZ/g)).toHaveLength(1);
    const commands = new Set([...zpl.matchAll(/\^([A-Z@]{2}|A0)/g)].map(([, name = '']) => name));
    const ours = [
      'XA',
      'XZ',
      'CI',
      'LH',
      'PW',
      'LL',
      'FT',
      'FO',
      'FR',
      'A0',
      'FH',
      'FD',
      'FS',
      'GB',
      'GF',
      'BY',
      'BC',
    ];
    expect([...commands].filter((name) => !ours.includes(name))).toEqual([]);
  });

  test('the text of an address is printed unchanged', async () => {
    const zpl = (
      await renderLabels([LABELS['of commands'] ?? LABEL], { format: 'zpl', size: 'a6' })
    ).data.toString();
    expect(fieldsOf(zpl)).toEqual(
      expect.arrayContaining(['^XZ^XA~JA', '_5EXZ \\&', '^FS^FD>:', '~DG VIC 3053']),
    );
  });

  test('letters that printers do not have are sent as a picture, others as text', async () => {
    const plain = (
      await renderLabels([to({ name: 'Zoë Müller' })], { format: 'zpl', size: 'a6' })
    ).data.toString();
    expect(plain).not.toContain('^GF');
    expect(fieldsOf(plain)).toContain('Zoë Müller');
    const foreign = (
      await renderLabels([to({ name: '王小明' })], { format: 'zpl', size: 'a6' })
    ).data.toString();
    const [, bytes, , perRow, hex = ''] = /\^GFA,(\d+),(\d+),(\d+),([0-9A-F]+)\^FS/.exec(foreign) ?? [];
    expect(hex).toHaveLength(Number(bytes) * 2);
    expect(Number(bytes) % Number(perRow)).toBe(0);
    expect(hex).toMatch(/[1-9A-F]/);
  });

  test('a picture holds the whole of letters that reach far down', async () => {
    const { data } = await renderLabels([to({ name: 'دبي' })], { format: 'zpl', size: 'a6' });
    const [, , perRow, hex = ''] = /\^GFA,(\d+),\d+,(\d+),([0-9A-F]+)\^FS/.exec(data.toString()) ?? [];
    expect(hex.slice(-2 * Number(perRow))).toMatch(/^0+$/);
  });
});
