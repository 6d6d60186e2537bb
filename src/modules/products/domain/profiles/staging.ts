/**
 * What a file must state before a new product can be sold; without it the product stays a draft. An existing product
 * gets the same findings and keeps its status. Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import type { ProductPatch, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { Columns } from './columns.ts';
import type { ProfileName } from './profile.ts';

/** Many products of a store can have the same SKU, and their files have other keys. */
const STAGES_REPEATED_SKUS: ReadonlySet<string | null> = new Set<ProfileName>(['store_platform_products']);

/** Whether a row whose SKU an earlier row has is staged under its own key. Other profiles reject such a row. */
export const stagesRepeatedSkus = (profile: string | null): boolean => STAGES_REPEATED_SKUS.has(profile);

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

/** Reports if an active product has no title or no price in the file. @returns whether one is missing */
export function reportMissing(
  patch: ProductPatch,
  columns: Pick<Columns<'title' | 'price'>, 'label'>,
  messages: RowMessage[],
): boolean {
  if ((patch.status ?? 'active') !== 'active') return false;
  const missing = REQUIRED.filter(([field]) => patch[field] === undefined);
  for (const [, name] of missing) {
    const column = columns.label(name);
    // A value that cannot be used is not missing: the row says so already.
    if (messages.some((finding) => finding.column === column)) continue;
    messages.push(
      rowMessage('required_missing', {
        column,
        severity: 'info',
        message: `The file gives no ${name}; a new product stays a draft until it has one.`,
        hint: `Send the ${name} in another file or set it in the product.`,
      }),
    );
  }
  return missing.length > 0;
}
