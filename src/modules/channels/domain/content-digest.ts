import { sha256Hex } from '../../../kernel/digest.ts';
import type { StoreProduct } from './store-product.ts';

/** The same with the names in order: a stored value does not keep the order of its names. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The digest of the content of a store's product. The same content at two instants has one digest. */
export const contentDigest = ({ updated_at: _, ...content }: StoreProduct): string =>
  sha256Hex(JSON.stringify(content, inOrder));
