import { expect, test } from 'vitest';
import { BLOCK_PRODUCTS, blocksInAll, placeInBlocks, type SearchBlock, withBlocks } from './search-blocks.ts';

const id = (number: number): string => `prd_${String(number).padStart(6, '0')}`;
const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => id(from + index));

function merge(blocks: readonly SearchBlock[], changed: readonly SearchBlock[]): SearchBlock[] {
  const all = [...blocks];
  for (const block of changed) all[block.block] = block;
  return all;
}

test('after a full block a new one begins, but only with a product whose id is above all others', () => {
  const first = placeInBlocks([], ids(1_000, 1_000 + BLOCK_PRODUCTS));
  expect(first.changed).toMatchObject([{ block: 0, first_product_id: id(1_000), products: BLOCK_PRODUCTS }]);
  const late = placeInBlocks(first.changed, [id(5), id(1_001)]);
  expect([late.changed, [...late.placed.values()]]).toEqual([[], [0, 0]]);
  const next = placeInBlocks(first.changed, [id(5), id(9_000), id(9_001)]);
  expect([...next.placed.values()]).toEqual([0, 1, 1]);
  expect(next.changed).toMatchObject([{ block: 1, first_product_id: id(9_000), products: 2 }]);
});

test('a product stays in its block when other products are added', () => {
  let blocks: SearchBlock[] = [];
  const placedIn = new Map<string, number>();
  const shuffled = ids(0, 6_000).sort((a, b) => (a.slice(-1) + a < b.slice(-1) + b ? -1 : 1));
  for (let from = 0; from < shuffled.length; from += 500) {
    const { placed, changed } = placeInBlocks(blocks, shuffled.slice(from, from + 500).sort());
    blocks = merge(blocks, changed);
    for (const [product, block] of placed) placedIn.set(product, block);
  }
  for (const [product, block] of placedIn) {
    expect(block === 0 || (blocks[block]?.first_product_id ?? '') <= product).toBe(true);
    expect(product < (blocks[block + 1]?.first_product_id ?? 'z')).toBe(true);
  }
});

test('a set has all blocks that were added; common blocks are listed newest first', () => {
  const some = withBlocks(undefined, [0, 7, 8, 300]);
  expect(withBlocks(some, [300, 0])).toBe(some);
  expect(blocksInAll([some], 1_000)).toEqual([300, 8, 7, 0]);
  expect(blocksInAll([some, withBlocks(undefined, [8, 9, 0])], 1_000)).toEqual([8, 0]);
  expect(blocksInAll([some], 7)).toEqual([7, 0]);
  expect(blocksInAll([some, new Uint8Array(0)], 1_000)).toEqual([]);
});
