import { foldText } from '../../../kernel/fold-text.ts';
import type { CatalogueProduct } from '../domain/product.ts';

/** The text that the search by words reads. */
export function searchText(product: Pick<CatalogueProduct, 'seller_sku' | 'title' | 'brand'>): string {
  return foldText(
    [product.seller_sku, product.title, product.brand].filter((part) => part !== null).join(' '),
  );
}
