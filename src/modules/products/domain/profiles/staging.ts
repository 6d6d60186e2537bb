/**
 * What a file must say about a product before it can be sold. A product that exists gets the same findings; only a
 * new one stays a draft. Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import type { ProductPatch, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { Columns } from './columns.ts';

export function identityRequired(): RowMessage {
  return rowMessage('identity_required', {
    severity: 'warning',
    message: 'The file gives no usable identity; a new product stays a draft until it has one.',
  });
}

const REQUIRED = [
  ['title', 'title'],
  ['price_minor', 'price'],
] as const;

/** Reports the title and the price that a product on sale needs and the row does not give; true when one is missing. */
export function reportMissing(
  patch: ProductPatch,
  columns: Pick<Columns<'title' | 'price'>, 'label'>,
  messages: RowMessage[],
): boolean {
  if ((patch.status ?? 'active') !== 'active') return false;
  const missing = REQUIRED.filter(([field]) => patch[field] === undefined);
  for (const [, name] of missing) {
    messages.push(
      rowMessage('required_missing', {
        column: columns.label(name),
        severity: 'info',
        message: `The file gives no ${name}; a new product stays a draft until it has one.`,
        hint: `Send the ${name} in another file or set it in the product.`,
      }),
    );
  }
  return missing.length > 0;
}
