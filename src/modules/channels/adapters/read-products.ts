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
import { type Ask, isTooMuch } from './ask-admin.ts';
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

/** All variants of a product, the first page of which is known. @throws StoreUnreachable if they do not end */
async function variantsOf(ask: Ask, id: unknown, first: Page): Promise<StoreVariant[]> {
  const variants = first.nodes.flatMap(variantOfNode);
  let after = nextPlace(first, null);
  for (let pages = 1; after !== null; pages += 1) {
    if (pages === VARIANT_PAGES_MAX) endless();
    const variables = { id, after };
    const { product } = await ask<{ product: { variants: Page } | null }>({
      query: MORE_VARIANTS,
      variables,
    });
    // The product was deleted meanwhile; what was read is as it was.
    if (product === null) break;
    variants.push(...product.variants.nodes.flatMap(variantOfNode));
    after = nextPlace(product.variants, after);
  }
  return variants;
}

async function wholeProduct(ask: Ask, node: Fields): Promise<StoreProduct[]> {
  const product = productOfNode(node, await variantsOf(ask, node['id'], node['variants'] as Page));
  return product === undefined ? [] : [product];
}

/** Reads one product with all its variants; undefined if the store does not have it. */
export async function readProduct(ask: Ask, externalId: string): Promise<StoreProduct | undefined> {
  const variables = { id: `gid://shopify/Product/${externalId}` };
  const { product } = await ask<{ product: Fields | null }>({ query: ONE_PRODUCT, variables });
  return product === null ? undefined : (await wholeProduct(ask, product))[0];
}

/**
 * Reads products, the longest unchanged first.
 *
 * @param since only what changed from this instant on, RFC 3339
 */
export async function* readProducts(ask: Ask, since?: string): AsyncGenerator<StoreProduct[]> {
  const query = since === undefined ? undefined : `updated_at:>='${since}'`;
  let first = PRODUCTS_OF_A_PAGE;
  for (let after: string | null = null; ; ) {
    const variables: Fields = { first, after, ...(query !== undefined && { query }) };
    let page: Page;
    try {
      ({ products: page } = await ask<{ products: Page }>({ query: PRODUCTS, variables }));
    } catch (error) {
      if (!isTooMuch(error) || first === 1) throw error;
      first = Math.floor(first / 2);
      continue;
    }
    const products: StoreProduct[] = [];
    for (const node of page.nodes) products.push(...(await wholeProduct(ask, node)));
    yield products;
    after = nextPlace(page, after);
    if (after === null) return;
  }
}
