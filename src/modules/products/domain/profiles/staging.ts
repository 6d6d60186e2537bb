/**
 * What a file must say about a product before it can be sold, and the findings where it does not. The words
 * hold for products that exist too: only a new one waits.
 * Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import type { ProductPatch, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';

export function identityRequired(): RowMessage {
  return rowMessage('identity_required', {
    severity: 'warning',
    message: 'The file gives no usable identity; a new product waits as a draft until it has one.',
  });
}

/**
 * Findings about title and price that a product on sale must have and the row does not give; empty for rows
 * that put nothing on sale.
 *
 * @param labels names of the two columns in the file
 */
export function missingForSale(
  patch: ProductPatch,
  labels: { readonly title: string; readonly price: string },
): readonly RowMessage[] {
  if ((patch.status ?? 'active') !== 'active') return [];
  return [
    ...(patch.title === undefined ? [missing('title', labels.title)] : []),
    ...(patch.price_minor === undefined ? [missing('price', labels.price)] : []),
  ];
}

function missing(what: string, column: string): RowMessage {
  return rowMessage('required_missing', {
    column,
    severity: 'info',
    message: `The file gives no ${what}; a new product waits as a draft until it has one.`,
    hint: `Send the ${what} in another file or set it in the product.`,
  });
}
