import { sha256Hex } from '../../../kernel/digest.ts';
import type { StoreProduct } from './store-product.ts';

/** The same with the names in order: a stored value does not keep the order of its names. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const withoutPrices = (variants: StoreProduct['variants']): object[] =>
  variants.map(({ price: _price, compare_at: _compare, ...variant }) => variant);

/** One decision asks for the digest of a product several times. */
const WITH_PRICES = new WeakMap<StoreProduct, string>();
const WITHOUT_PRICES = new WeakMap<StoreProduct, string>();

/**
 * The digest of what is taken of a store's product. The same content at two instants has one digest.
 *
 * @param priced whether prices are taken; once they are, the digest is another one
 */
export function contentDigest(product: StoreProduct, priced: boolean): string {
  const digests = priced ? WITH_PRICES : WITHOUT_PRICES;
  const known = digests.get(product);
  if (known !== undefined) return known;
  const { updated_at: _, ...content } = product;
  const taken = priced ? content : { ...content, variants: withoutPrices(content.variants) };
  const digest = sha256Hex(JSON.stringify(taken, inOrder));
  digests.set(product, digest);
  return digest;
}
