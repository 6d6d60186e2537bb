/**
 * The profiles on real export files. The files are not part of the repository; the tests run where their folder is
 * beside it. An independent CSV reader has read the expected values from the files.
 */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  AUCTION_FILES,
  HANDMADE_FILES,
  MARKETPLACE_FILES,
} from '../../../../../test/fixtures/profiles/expected-listings.ts';
import { STORE_FILES } from '../../../../../test/fixtures/profiles/expected-store-platform.ts';
import {
  codesOf,
  detect,
  mapAll,
  mapDetected,
  openPath,
  patchAt,
  roleOf,
  rolesOf,
  rowAt,
} from '../../../../../test/fixtures/profiles/profile-files.ts';
import { validatePatch } from '../fields/validate-patch.ts';

const SAMPLES = new URL('../../../../../../shared/samples/', import.meta.url).pathname;

const FILES = [...STORE_FILES, ...MARKETPLACE_FILES, ...AUCTION_FILES, ...HANDMADE_FILES];

describe.skipIf(!existsSync(SAMPLES))('real export files', () => {
  it.each(FILES)('$path (second header: $second_header)', async (file) => {
    const open = openPath(SAMPLES + file.path);
    const context = {
      seller_currency: file.currency,
      ...(file.second_header === undefined ? {} : { on_second_header: file.second_header }),
    };
    const detection = await detect(open, context);
    const { answer, refusal } = detection;
    expect(refusal).toBeNull();
    expect(answer).toMatchObject({
      profile: file.profile,
      generation: file.generation,
      header_row: file.header_row ?? 1,
      rows: file.rows,
    });
    const rows = await mapDetected(open, detection, context);
    expect(rows).toHaveLength(file.rows);
    expect(rolesOf(rows)).toEqual(file.roles);
    for (const expected of file.evidence) {
      const row = rowAt(rows, expected.row);
      expect({ row: expected.row, role: roleOf(row) }).toEqual({ row: expected.row, role: expected.role });
      if (expected.codes?.length === 0) expect(row.messages).toEqual([]);
      expect(codesOf(row)).toEqual(expect.arrayContaining([...(expected.codes ?? [])]));
      if (expected.part_of !== undefined)
        expect(row).toMatchObject({ part_of: expected.part_of, patch: null });
      if (expected.patch !== undefined) expect(row.patch).toMatchObject(expected.patch);
    }
  });

  it('give each variant all pictures of its product, each picture once', async () => {
    const images = async (path: string, row: number) =>
      patchAt(await mapAll(openPath(`${SAMPLES}store-platform-shopify/${path}`)), row).images?.length;
    expect(await images('puffstore-export.csv', 2)).toBe(9);
    expect(await images('kwpax-export.csv', 1)).toBe(15);
    expect(await images('musesproducts-export.csv', 1)).toBe(4);
  });

  it('give patches that the rules of products accept', async () => {
    const found = new Map<string, number>();
    for (const file of FILES) {
      for (const row of await mapAll(openPath(SAMPLES + file.path), { seller_currency: file.currency })) {
        if (row.patch === null || roleOf(row) === 'error') continue;
        for (const { code, severity } of validatePatch(row.patch).messages) {
          if (severity === 'error')
            found.set(`${file.path} ${code}`, (found.get(`${file.path} ${code}`) ?? 0) + 1);
        }
      }
    }
    expect([...found]).toEqual([]);
  });

  it('refuse an inventory export and name the inventory import', async () => {
    const { answer, refusal } = await detect(
      openPath(`${SAMPLES}store-platform-shopify/inventory/shopify-inventory-export-small.csv`),
    );
    expect(answer.profile).toBeNull();
    expect(refusal).toMatchObject({
      code: 'shape_not_supported',
      message: expect.stringContaining('/api/v1/products/inventory/import'),
    });
  });

  it.each([
    ['near-miss/not-shopify-product-template.csv', 'url handle'],
    ['near-miss/home-made-inventory-3cols.csv', 'asin'],
  ])('do not include %s, which lacks the column %s', async (path, missing) => {
    const { answer, refusal } = await detect(openPath(SAMPLES + path));
    expect(answer.profile).toBeNull();
    expect(answer.near_miss?.missing).toContain(missing);
    expect(refusal?.code).toBe('profile_not_recognised');
  });
});
