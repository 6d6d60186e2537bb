import { describe, expect, it } from 'vitest';
import { codesOf, LIMITS, openText } from '../../../../../../test/fixtures/profiles/profile-files.ts';
import type { FeedRow } from '../../row.ts';
import { findStoreInventory } from '../detection/find-header.ts';
import { inventoryLocations, mapInventoryFile } from './inventory.ts';

const HEADER =
  'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Location,Incoming,Unavailable,Committed,Available,On hand';
const line = (handle: string, option: string, sku: string, location: string, available: string): string =>
  `${handle},T,Size,${option},,,,,${sku},,,${location},0,0,0,${available},99`;

async function read(lines: readonly string[], locations: readonly string[] | null = null) {
  const open = openText(`${[HEADER, ...lines].join('\n')}\n`);
  const found = await findStoreInventory(open, LIMITS);
  if (found === null) throw new Error('not recognised');
  const rows: FeedRow[] = [];
  for await (const batch of mapInventoryFile(open, { ...found, locations })) rows.push(...batch);
  return { rows, locations: await inventoryLocations(open, { ...found, locations }) };
}
/** The patch of each row; without a patch its parent row, its role or its codes. */
const effects = ({ rows }: { rows: readonly FeedRow[] }) =>
  rows.map((row) => row.patch ?? row.part_of ?? row.role ?? codesOf(row).join());

describe('an inventory export', () => {
  const TEE = [
    line('tee', 'S', "'TEE-S", 'Perth', '3'),
    line('tee', 'M', '', 'Perth', '2'),
    line('tee', 'S', "'TEE-S", 'Sydney', '4'),
    line('mug', 'Default Title', 'MUG', 'Sydney', 'not stocked'),
    line('mug', 'Default Title', 'MUG', 'Perth', '-5'),
  ];

  it('sums the stock of a variant at all locations, in any order of records', async () => {
    const file = await read(TEE);
    expect(file.locations).toEqual(['Perth', 'Sydney']);
    expect(effects(file)).toEqual([
      { external_key: 'tee#S', seller_sku: 'TEE-S', quantity: 7 },
      { external_key: 'tee#M', quantity: 2 },
      1,
      'ignored',
      { external_key: 'mug', seller_sku: 'MUG', quantity: 0 },
    ]);
    expect(codesOf(file.rows[3])).toEqual(['not_stocked']);
    expect(codesOf(file.rows[4])).toEqual(['stock_negative']);
    expect(file.rows.map(({ row_number }) => row_number)).toEqual([1, 2, 3, 4, 5]);
  });

  it('counts only the locations that the seller has chosen', async () => {
    const file = await read(TEE, ['Sydney']);
    expect(effects(file)).toEqual([
      'ignored',
      'ignored',
      { external_key: 'tee#S', seller_sku: 'TEE-S', quantity: 4 },
      'ignored',
      'ignored',
    ]);
    expect(codesOf(file.rows[0])).toEqual(['location_not_chosen']);
  });

  it('writes the whole stock into the cells of a row, so that a corrected row can be sent alone', async () => {
    const { rows } = await read(TEE);
    expect(rows[0]?.standalone?.(1_000)[15]).toBe('7');
  });

  it('rejects all rows of a variant when one of its counts cannot be read', async () => {
    const { rows } = await read([
      line('tee', 'S', 'A', 'Perth', '3'),
      line('tee', 'S', 'A', 'Sydney', 'many'),
      line('tee', 'M', 'B', 'Perth', '1'),
    ]);
    expect(rows.map((row) => codesOf(row))).toEqual([['type_invalid'], ['type_invalid'], []]);
    expect(rows[0]?.messages[0]?.message).toContain('Row 2');
  });

  it('reads a blank handle as the handle above, and rejects a record with too few cells', async () => {
    const file = await read([line('tee', 'S', 'A', 'Perth', '3'), line('', 'M', 'B', 'Perth', '1'), 'x,y']);
    expect(effects(file).slice(1)).toEqual([
      { external_key: 'tee#M', seller_sku: 'B', quantity: 1 },
      'column_count_mismatch',
    ]);
  });

  it('differs from a native stock file, a products export and a binary file', async () => {
    for (const text of [
      'seller_sku,quantity\nA,1\n',
      'Handle,Title,Variant SKU,Variant Price\na,A,S,1\n',
      'PK\u0003\u0004',
    ])
      expect(await findStoreInventory(openText(text), LIMITS)).toBeNull();
  });
});
