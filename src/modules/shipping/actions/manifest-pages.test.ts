import { expect, test } from 'vitest';
import type { Drawing } from '../../../platform/pdf/drawing.ts';
import { SIZE_MIN } from '../../../platform/pdf/fit-text.ts';
import type { ManifestLine } from '../store/manifests.ts';
import { manifestPages } from './manifest-pages.ts';

const MANIFEST = {
  manifest_id: 'man_1',
  carrier: 'own',
  dispatched_on: '2026-06-29',
  number: 1,
  parcels: 70,
  weight_g: 70_000,
  seller_name: 'Blue Mug Pty Ltd',
  sender: {
    name: null,
    company: null,
    line1: '12 Harbour Street',
    line2: null,
    city: 'Sydney',
    state: 'NSW',
    postcode: '2000',
    country: 'AU',
    phone: null,
  },
  created_at: '2026-06-29T05:00:00.000Z',
};
const line = (no: number): ManifestLine => ({
  line_no: no,
  shipment_id: 'shp_1',
  order_id: 'ord_1',
  order_number: '1002',
  service: 'express',
  tracking_number: `SPX${String(no).padStart(16, '0')}`,
  recipient: 'Kim Lee',
  destination: 'Carlton VIC 3053',
  package: no,
  packages: 70,
  weight_g: 1_000,
  postcode: '3053',
});
const textsOf = ({ items }: Drawing): string[] =>
  items.flatMap((item) => (item.kind === 'text' ? [item.text] : []));

test('other work runs between two pages', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const pages = await manifestPages(
    MANIFEST,
    Array.from({ length: 200 }, (_, index) => line(index + 1)),
  );
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(pages.length - 1);
});

test('every package has one row on the pages, with its number and its position', async () => {
  const lines = Array.from({ length: 70 }, (_, index) => line(index + 1));
  const pages = (await manifestPages(MANIFEST, lines)).map(textsOf);
  expect(pages).toHaveLength(3);
  const texts = pages.flat();
  for (const { tracking_number, package: no } of lines)
    expect(texts).toEqual(expect.arrayContaining([tracking_number, `${no} of 70`]));
  // The driver signs once for all packages.
  expect(pages.map((page) => page.includes('Driver (name and signature)'))).toEqual([false, false, true]);
});

test.each([
  ['London SW1A 1AA GB', 'SW1A 1AA', 'SW1A 1AA GB'],
  ['Toronto ON K1A 0B1 CA', 'K1A 0B1', 'K1A 0B1 CA'],
  ['Amsterdam 1012 AB NL', '1012 AB', '1012 AB NL'],
  ['Brasília DF 70040-010 BR', '70040-010', '70040-010 BR'],
  ['Hong Kong HK', null, 'HK'],
])('a cut of a long town keeps the whole end of %s', async (destination, postcode, end) => {
  const town = 'Llanfairpwllgwyngyllgogerychwyrndrobwll '.repeat(20);
  const [page] = await manifestPages(MANIFEST, [{ ...line(1), destination: town + destination, postcode }]);
  const shown = page === undefined ? [] : textsOf(page);
  expect(shown.filter((text) => text.endsWith(end))).toHaveLength(1);
  expect(shown.join(' ')).toContain('…');
});

test('no number of a row is broken over two lines', async () => {
  const most = { ...line(1), line_no: 1_000, package: 20, packages: 20, weight_g: 1_000_000 };
  const [page] = await manifestPages(MANIFEST, [most]);
  const shown = page === undefined ? [] : textsOf(page);
  expect(shown).toEqual(expect.arrayContaining(['1000', '20 of 20', '1000.000']));
});

test.each([
  ['words', 'Wide Workshop '.repeat(14).trim()],
  ['one word', 'W'.repeat(200)],
])('a sender’s name of 200 characters in %s is not cut', async (_what, seller_name) => {
  const sender = { ...MANIFEST.sender, name: seller_name, company: seller_name, line2: seller_name };
  const lines = Array.from({ length: 40 }, (_, index) => line(index + 1));
  const pages = await manifestPages({ ...MANIFEST, seller_name, sender }, lines);
  for (const { items } of pages) {
    const texts = items.flatMap((item) => (item.kind === 'text' ? [item] : []));
    const titles = texts.find(({ text }) => text === 'Recipient')?.y ?? 0;
    const left = texts.filter(({ x, y }) => x < 900 && y > 244 && y < titles).map(({ text }) => text);
    expect(left.join('').replaceAll(' ', '')).toContain(seller_name.replaceAll(' ', '').repeat(2));
    expect(left.join(' ')).toContain('Sydney NSW 2000');
    expect(left.join('')).not.toContain('…');
    const sizes = texts.filter(({ x, y }) => x < 900 && y > 250 && y < titles).map(({ size }) => size);
    expect(new Set(sizes)).toEqual(new Set([SIZE_MIN]));
  }
});
