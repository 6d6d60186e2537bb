import { expect, test } from 'vitest';
import { AUD, detect, openText } from '../../../../../test/fixtures/profiles/profile-files.ts';
import { mapFile } from '../profiles/profiles.ts';
import { BATCH_CHARS, batchesOf, charsOf } from './batches.ts';

/** A product of a store; its variants have the metafields of the first record. */
async function batchesOfVariants(count: number, metafields: number) {
  const numbers = Array.from({ length: metafields }, (_, index) => index);
  const fields = numbers.map((index) => `M${index} (product.metafields.custom.m${index})`);
  const value = 'x'.repeat(4_000);
  const lines = Array.from({ length: count }, (_, index) => {
    const shared = index === 0 ? ',Tee,Size' : ',,';
    return [`tee${shared},${index},T-${index},9.00`, ...numbers.map(() => (index === 0 ? value : ''))].join(
      ',',
    );
  });
  const header = ['Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price', ...fields].join(',');
  const open = openText([header, ...lines].join('\n'));
  const { file } = await detect(open);
  if (file === null) throw new Error('not detected');
  const batches = await Array.fromAsync(batchesOf(mapFile(open, file, AUD)));
  return batches.map((rows) => ({
    rows: rows.length,
    chars: rows.reduce((sum, row) => sum + charsOf(row), 0),
  }));
}

test('usual rows are in batches of a thousand, the first ones in a smaller one', async () => {
  expect((await batchesOfVariants(2_400, 1)).map(({ rows }) => rows)).toEqual([250, 1_000, 1_000, 150]);
});

test('variants with long texts of their product are in smaller batches', async () => {
  const batches = await batchesOfVariants(1_000, 200);
  const longest = 200 * 4_000 + 1_000;
  expect(batches.reduce((sum, { rows }) => sum + rows, 0)).toBe(1_000);
  for (const { chars } of batches) expect(chars).toBeLessThan(BATCH_CHARS + longest);
  expect(batches.reduce((sum, { chars }) => sum + chars, 0)).toBeGreaterThan(90 * BATCH_CHARS);
});
