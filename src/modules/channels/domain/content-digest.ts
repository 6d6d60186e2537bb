import { sha256Hex } from '../../../kernel/digest.ts';
import { onceFor } from '../../../kernel/once-for.ts';
import type { StoreProduct } from './store-product.ts';

/** The same with the names in order: a stored value does not keep the order of its names. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const withoutPrices = (variants: StoreProduct['variants']): object[] =>
  variants.map(({ price: _price, compare_at: _compare, ...variant }) => variant);

const digestOf = (content: object): string => sha256Hex(JSON.stringify(content, inOrder));

// One decision asks for the digest of a product several times.
const withPricesDigest = onceFor(({ updated_at: _, ...content }: StoreProduct) => digestOf(content));
const withoutPricesDigest = onceFor(({ updated_at: _, ...content }: StoreProduct) =>
  digestOf({ ...content, variants: withoutPrices(content.variants) }),
);

/**
 * The digest of what is taken of a store's product. The same content at two instants has one digest.
 *
 * @param priced whether prices are taken; once they are, the digest is another one
 */
export const contentDigest = (product: StoreProduct, priced: boolean): string =>
  priced ? withPricesDigest(product) : withoutPricesDigest(product);
