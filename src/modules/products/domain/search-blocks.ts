/** The search groups products into blocks: this file places products in blocks and stores sets of blocks as bits. */

export interface SearchBlock {
  readonly block: number;
  /** The block has the products from this id up to the first id of the next block. The first block has no lower end. */
  readonly first_product_id: string;
  /** The greatest id in the index. */
  readonly last_product_id: string;
  readonly products: number;
}

/**
 * Products in a block. A search reads the texts of whole blocks, so with larger blocks a search for a rare word reads
 * more; with smaller blocks each product writes more index rows.
 */
export const BLOCK_PRODUCTS = 1_024;

/** Finds the block of an indexed product by binary search. */
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
 * Places products in blocks. Only a product with a greater id than all others opens a new block, so products never
 * move to another block.
 *
 * @param blocks the seller's blocks in order
 * @param productIds in ascending order
 * @returns the block of each product, and the new or changed blocks
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

/** The set with these blocks added; the same object when it already has them. */
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

/** The blocks that are in all sets, newest first, up to the block `newest`. */
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
