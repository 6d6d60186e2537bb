/**
 * Listings reports with Japanese column names come in Shift JIS, which reads as nothing known; they are
 * recognised by the bytes of their columns. Source: docs/design/feeds-and-imports.md#marketplace-files.
 */
import type { OpenFile } from './dialects.ts';

/** 出品者SKU ("seller SKU") in Shift JIS. */
const SELLER_SKU = Buffer.from('8f6f95698ed2534b55', 'hex');
/** The header stands in the first bytes. */
const HEAD_BYTES = 4_096;

export async function isShiftJisListings(open: OpenFile): Promise<boolean> {
  for await (const chunk of open()) return chunk.subarray(0, HEAD_BYTES).includes(SELLER_SKU);
  return false;
}
