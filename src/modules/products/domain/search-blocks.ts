/** Blocks of products for the search: which block a product belongs to, and sets of blocks as bits. */

export interface SearchBlock {
  readonly block: number;
  /** The block holds the products from this id up to the first of the next block; the first block has no lower end. */
  readonly first_product_id: string;
  /** The greatest id that was indexed in it. */
  readonly last_product_id: string;
  readonly products: number;
}

/**
 * Products of a block. A search reads the texts of whole blocks, so a larger block makes a rare word dearer; a
 * smaller one makes more rows to write for each product.
 */
export const BLOCK_PRODUCTS = 1_024;

/** The block of a product that is indexed; blocks are in order. */
function blockAt<Block extends SearchBlock>(blocks: readonly Block[], productId: string): Block | undefined {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.first_product_id ?? '') <= productId) low = middle + 1;
    else high = middle;
  }
  return blocks[Math.max(0, low - 1)];
}

/**
 * Places products into blocks. Only a product behind all others may open a new block, so that every product that
 * was placed before stays in its block.
 *
 * @param blocks the seller's blocks in order
 * @param productIds in ascending order
 * @returns the block of each product, and the blocks that are new or have changed
 */
export function placeInBlocks(
  blocks: readonly SearchBlock[],
  productIds: readonly string[],
): { readonly placed: ReadonlyMap<string, number>; readonly changed: readonly SearchBlock[] } {
  const all = blocks.map((block) => ({ ...block }));
  const changed = new Map<number, SearchBlock>();
  const placed = new Map<string, number>();
  for (const id of productIds) {
    let last = all.at(-1);
    const isNewest = last === undefined || id > last.last_product_id;
    if (isNewest && (last === undefined || last.products >= BLOCK_PRODUCTS)) {
      last = { block: all.length, first_product_id: id, last_product_id: id, products: 0 };
      all.push(last);
    }
    if (isNewest && last !== undefined) {
      last.last_product_id = id;
      last.products += 1;
      changed.set(last.block, last);
    }
    placed.set(id, (isNewest ? last : blockAt(all, id))?.block ?? 0);
  }
  return { placed, changed: [...changed.values()] };
}

/** The set with these blocks added; the same object when it has them all. */
export function withBlocks(set: Uint8Array | undefined, blocks: Iterable<number>): Uint8Array {
  let bits = set ?? new Uint8Array(0);
  for (const block of blocks) {
    const [byte, bit] = [block >> 3, 1 << (block & 7)];
    if (((bits[byte] ?? 0) & bit) !== 0) continue;
    const next = new Uint8Array(Math.max(bits.length, byte + 1));
    next.set(bits);
    next[byte] = (next[byte] ?? 0) | bit;
    bits = next;
  }
  return bits;
}

/** Blocks that are in all sets, the newest first, none above `newest`. */
export function blocksInAll(sets: readonly Uint8Array[], newest: number): number[] {
  const [first, ...others] = sets;
  const blocks: number[] = [];
  if (first === undefined) return blocks;
  for (let byte = Math.min(first.length - 1, newest >> 3); byte >= 0; byte -= 1) {
    const bits = others.reduce((all, set) => all & (set[byte] ?? 0), first[byte] ?? 0);
    for (let bit = 7; bit >= 0; bit -= 1) {
      const block = byte * 8 + bit;
      if ((bits & (1 << bit)) !== 0 && block <= newest) blocks.push(block);
    }
  }
  return blocks;
}
