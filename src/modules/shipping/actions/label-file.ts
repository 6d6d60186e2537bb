import { coreErrors, fail } from '../../../kernel/errors.ts';
import { buyerErrors } from '../../../platform/buyers/errors.ts';
import { type LabelFormat, type LabelSize, labelsOf, type StoredLabel } from '../domain/label.ts';
import { renderLabels } from './render-label.ts';

/** How a label is printed. */
interface LabelPrint {
  readonly format?: LabelFormat | undefined;
  readonly size?: LabelSize | undefined;
  /** From 1; absent: all packages. */
  readonly package?: number | undefined;
}

/**
 * A label as a file, with the headers of its download. Every print of a label is the same.
 *
 * @throws ApiError 404 for a package that the label does not have, 410 `buyer_erased`
 */
export async function labelFile(
  stored: StoredLabel,
  { format = 'pdf', size = 'a6', package: chosen }: LabelPrint,
) {
  if (stored.content.erased) throw fail(buyerErrors.buyer_erased);
  const all = labelsOf(stored);
  const [first, ...others] = chosen === undefined ? all : all.slice(chosen - 1, chosen);
  if (first === undefined)
    throw fail(coreErrors.not_found, { detail: `The label has no package ${chosen}; it has ${all.length}.` });
  const { type, data } = await renderLabels([first, ...others], { format, size });
  return {
    etag: `${stored.label_id}.${format}.${size}.${chosen ?? 'all'}`,
    headers: {
      'content-length': String(data.length),
      'content-disposition': `inline; filename="${first.tracking_number}.${format}"`,
    },
    content: { type, data },
  };
}
