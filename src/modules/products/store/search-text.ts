import type { CatalogueProduct } from '../domain/product.ts';

/** Letters without accents and case, so that `cafe` finds `Café`. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
}

/** What `q` looks into: SKU, title and brand, each found by any part of it. */
export function searchText(product: Pick<CatalogueProduct, 'seller_sku' | 'title' | 'brand'>): string {
  return foldText(
    [product.seller_sku, product.title, product.brand].filter((part) => part !== null).join(' '),
  );
}
