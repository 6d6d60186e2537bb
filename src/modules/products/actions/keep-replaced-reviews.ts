import type { Acting } from '../../../kernel/context.ts';
import { replacedReview } from '../domain/plan/reviewed-version.ts';
import type { CatalogueProduct, StoredProduct } from '../domain/product.ts';
import { reviewedFields } from '../settings.ts';
import { insertPastReviews } from '../store/past-reviews.ts';

/**
 * Keeps the content that a write replaces while the marketplace reviews it. The decision is about that content.
 */
export async function keepReplacedReviews(
  ctx: Acting,
  writes: readonly { readonly before: StoredProduct | null; readonly after: CatalogueProduct }[],
): Promise<void> {
  const fields = reviewedFields(ctx.config);
  const at = ctx.at();
  await insertPastReviews(
    ctx,
    writes.flatMap(({ before, after }) => replacedReview(before, after, fields, at) ?? []),
  );
}
