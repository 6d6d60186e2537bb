/**
 * Reads the products of a store page by page, all variants of each. A page that costs too much, or whose answer is too
 * large, is halved. Source: docs/design/channels.md#reading.
 */
import type { Fields } from '../domain/read-values.ts';
import {
  productOfNode,
  type StoreProduct,
  type StoreVariant,
  variantOfNode,
} from '../domain/store-product.ts';
import { type Ask, askFor, isTooMuch } from './ask-admin.ts';
import { StoreUnreachable } from './store-errors.ts';

/**
 * A question may cost 1,000, by what it asks for and not by what the store has: 8 products with 10 variants each cost
 * 858, two products with 100 variants each 936. Most products have few variants.
 */
const PRODUCTS_OF_A_PAGE = 8;
const VARIANTS_WITH_A_PAGE = 10;
const VARIANTS_OF_A_PAGE = 100;
const IMAGES_MAX = 20;
/** The platform allows a product 2,048 variants. */
const VARIANT_PAGES_MAX = 100;
/** More than a store has: what leads on from there goes in a circle. */
const PRODUCTS_MAX = 1_000_000;
const EMPTY_PAGES_MAX = 10;

const VARIANTS = `pageInfo { hasNextPage endCursor }
  nodes { id title sku barcode price compareAtPrice selectedOptions { value } inventoryItem { id } }`;
const product = (
  variants: number,
): string => `id handle title descriptionHtml vendor productType status isGiftCard tags updatedAt
      options { name }
      media(first: ${IMAGES_MAX}) { nodes { preview { image { url } } } }
      variants(first: ${variants}) { ${VARIANTS} }`;
const ONE_PRODUCT = `query product($id: ID!) { product(id: $id) { ${product(VARIANTS_OF_A_PAGE)} } }`;
const PRODUCTS = `query products($first: Int!, $after: String, $query: String) {
  products(first: $first, after: $after, sortKey: UPDATED_AT, query: $query) {
    pageInfo { hasNextPage endCursor }
    nodes {
      ${product(VARIANTS_WITH_A_PAGE)}
    }
  }
}`;
const MORE_VARIANTS = `query variants($id: ID!, $after: String) {
  product(id: $id) { variants(first: ${VARIANTS_OF_A_PAGE}, after: $after) { ${VARIANTS} } }
}`;

interface Page {
  readonly nodes: readonly Fields[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** @throws StoreUnreachable */
const endless = (): never => {
  throw new StoreUnreachable('the pages of the answer do not end');
};

/**
 * Where the next page begins; null after the last one.
 *
 * @param before where this page begins
 * @throws StoreUnreachable if the next page is this one, or the first one again
 */
function nextPlace({ pageInfo: { hasNextPage, endCursor } }: Page, before: string | null): string | null {
  if (!hasNextPage) return null;
  return typeof endCursor === 'string' && endCursor !== before ? endCursor : endless();
}

const variantsIn = (page: Page, before: string | null) => ({
  variants: page.nodes.flatMap(variantOfNode),
  after: nextPlace(page, before),
});

/** A product with the variants that its answer has, and where further ones begin. */
function beginningOf(node: Fields) {
  const { variants, after } = variantsIn(node['variants'] as Page, null);
  return { id: node['id'], product: productOfNode(node, variants), after };
}

/** Reads further variants. @throws StoreUnreachable if they do not end */
async function wholeProduct(
  ask: Ask,
  { id, product, after: place }: ReturnType<typeof beginningOf>,
): Promise<StoreProduct | undefined> {
  if (product === undefined) return undefined;
  const variants: StoreVariant[] = [...product.variants];
  let after = place;
  for (let pages = 1; after !== null; pages += 1) {
    if (pages === VARIANT_PAGES_MAX) endless();
    const before: string = after;
    const question = { query: MORE_VARIANTS, variables: { id, after } };
    const more = await askFor(ask, question, (answer: { product: { variants: Page } | null }) =>
      answer.product === null ? undefined : variantsIn(answer.product.variants, before),
    );
    // The product was deleted meanwhile; what was read is as it was.
    if (more === undefined) break;
    variants.push(...more.variants);
    ({ after } = more);
  }
  return { ...product, variants };
}

/** Reads one product with all its variants; undefined if the store does not have it. */
export async function readProduct(ask: Ask, externalId: string): Promise<StoreProduct | undefined> {
  const variables = { id: `gid://shopify/Product/${externalId}` };
  const found = await askFor(ask, { query: ONE_PRODUCT, variables }, (answer: { product: Fields | null }) =>
    answer.product === null ? undefined : beginningOf(answer.product),
  );
  return found && wholeProduct(ask, found);
}

/** Reads a page of products; further variants are not yet read. */
const readPage = (ask: Ask, first: number, after: string | null, query?: string) =>
  askFor(
    ask,
    { query: PRODUCTS, variables: { first, after, ...(query !== undefined && { query }) } },
    ({ products }: { products: Page }) => ({
      found: products.nodes.map(beginningOf),
      next: nextPlace(products, after),
    }),
  );

/**
 * Reads products, the longest unchanged first.
 *
 * @param since only what changed from this instant on, RFC 3339
 * @throws StoreUnreachable if the pages do not end
 */
export async function* readProducts(ask: Ask, since?: string): AsyncGenerator<StoreProduct[]> {
  const query = since === undefined ? undefined : `updated_at:>='${since}'`;
  let first = PRODUCTS_OF_A_PAGE;
  let after: string | null = null;
  for (let [read, empty] = [0, 0]; read < PRODUCTS_MAX && empty < EMPTY_PAGES_MAX; ) {
    let page: Awaited<ReturnType<typeof readPage>>;
    try {
      page = await readPage(ask, first, after, query);
    } catch (error) {
      if (!isTooMuch(error) || first === 1) throw error;
      first = Math.floor(first / 2);
      continue;
    }
    const products: StoreProduct[] = [];
    for (const one of page.found) {
      const product = await wholeProduct(ask, one);
      if (product !== undefined) products.push(product);
    }
    yield products;
    after = page.next;
    if (after === null) return;
    read += page.found.length;
    empty = page.found.length === 0 ? empty + 1 : 0;
  }
  endless();
}
