import { describe, expect, test } from 'vitest';
import { mapAll, openText, roleOf } from '../../../../../test/fixtures/profiles/profile-files.ts';
import { ADDED_MAX, rejectedCells } from './rejected-cells.ts';

const LIMITS = { MAX_CELL_BYTES: 128 * 1024, MAX_ROW_BYTES: 1024 * 1024 };
const ROWS = 2_499;

/** The cells of all rejected rows of a file, and how many characters they have. */
async function rejectedOf(text: string) {
  const cellsOf = rejectedCells(LIMITS);
  const rows = (await mapAll(openText(text))).filter((row) => roleOf(row) === 'error');
  const cells = rows.map((row) => cellsOf(row) ?? []);
  const sizes = cells.map((of) => of.reduce((sum, cell) => sum + (cell?.length ?? 0), 0));
  const longest = cells.flat().reduce((most, cell) => Math.max(most, cell?.length ?? 0), 0);
  return { cells, longest, largest: Math.max(...sizes), sum: sizes.reduce((sum, size) => sum + size, 0) };
}

const url = (index: number, length: number): string =>
  `https://cdn.example/${index}/`.padEnd(length, String(index));
/** A product of a store; each of its variants has a wrong price. */
const product = (picture: (index: number) => string, fabric = ''): string =>
  [
    'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Fabric (product.metafields.custom.fabric)',
    ...Array.from({ length: ROWS }, (_, index) => {
      const head = index === 0;
      const shared = head ? ',Tee,Size' : ',,';
      return `tee${shared},${index},T-${index},WRONG,${picture(index)},${head ? fabric : ''}`;
    }),
  ].join('\n');

describe('rows that are completed from other records have a limit together', () => {
  test('a picture of each of 2,499 variants: more than a cell may have are left out', async () => {
    const text = product((index) => url(index, 1_000));
    const { cells, longest, sum } = await rejectedOf(text);
    expect(cells).toHaveLength(ROWS);
    expect(longest).toBeLessThanOrEqual(LIMITS.MAX_CELL_BYTES);
    expect(sum).toBeLessThan(2 * text.length);
    // Without the pictures, no row says that its own one is all that the product has.
    expect(cells[1]?.slice(0, 7)).toEqual(['tee', 'Tee', 'Size', '1', 'T-1', 'WRONG', '']);
    expect(cells.filter((of) => of.length !== 8)).toEqual([]);
  });

  test.each<[string, string, string[]]>([
    ['120 pictures', product((index) => (index < 120 ? url(index, 1_000) : '')), ['tee', 'Tee', 'Size']],
    ['a long metafield', product(() => '', 'x'.repeat(120_000)), ['tee', '', '']],
  ])('%s of 2,499 variants: the first rows have them', async (_name, text, shared) => {
    const { cells, longest, sum } = await rejectedOf(text);
    expect(sum).toBeGreaterThan(ADDED_MAX / 2);
    expect(sum).toBeLessThan(ADDED_MAX + text.length);
    expect(longest).toBeGreaterThan(LIMITS.MAX_CELL_BYTES * 0.9);
    expect(longest).toBeLessThanOrEqual(LIMITS.MAX_CELL_BYTES);
    expect(cells.at(-1)).toEqual([...shared, '2498', 'T-2498', 'WRONG', '', '']);
  });

  test('a long parent of many variations', async () => {
    const header =
      'Action,CustomLabel,Category,Title,ConditionID,Format,StartPrice,Quantity,Description,C:Fabric,Relationship,RelationshipDetails';
    const long = 'x'.repeat(120_000);
    const variations = Array.from(
      { length: 1_000 },
      (_, index) => `,V${index},,,,,WRONG,1,,,Variation,Size=${index}`,
    );
    const text = [header, `Add,,1,Tee,1000,FixedPrice,,,${long},${long},,Size=1`, ...variations].join('\n');
    const { cells, largest, sum } = await rejectedOf(text);
    expect(cells).toHaveLength(1_000);
    expect(cells[0]?.indexOf(null)).toBe(12);
    expect(cells.at(-1)).toHaveLength(12);
    expect(largest).toBeLessThanOrEqual(LIMITS.MAX_ROW_BYTES);
    expect(sum).toBeLessThan(ADDED_MAX + text.length);
  });
});
