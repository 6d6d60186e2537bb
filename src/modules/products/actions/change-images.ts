import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { diffProduct } from '../domain/plan/changes.ts';
import { curationAfter } from '../domain/plan/curation.ts';
import type { ProductImage, StoredProduct } from '../domain/product.ts';
import { reviewedFields } from '../settings.ts';
import { lockNamedProducts } from '../store/load-products.ts';
import { saveProducts } from './save-products.ts';

/**
 * Replaces the images of a product and numbers them from 1.
 *
 * @param change returns the new images, or throws to reject the request
 * @throws ApiError 404
 */
export async function changeImages(
  ctx: Acting,
  productId: string,
  action: string,
  change: (before: StoredProduct) => Promise<readonly ProductImage[]> | readonly ProductImage[],
): Promise<StoredProduct> {
  const [before] = await lockNamedProducts(ctx, { ids: [productId], skus: [] });
  if (before === undefined) throw fail(coreErrors.not_found);
  const images = (await change(before)).map((image, index) => ({ ...image, position: index + 1 }));
  const source = { source_origin: 'api', source_run_id: null, source_row: null } as const;
  const changed = { ...before, ...source, images, version: before.version + 1 };
  const next = { ...changed, ...curationAfter(before, changed, reviewedFields(ctx.config)) };
  const changes = diffProduct(before, next);
  if (changes.length === 0) return before;
  const [saved] = await saveProducts(ctx, [{ before, next, changes, action }]);
  return saved ?? before;
}

/** Inserts an image at a position, from 1, or at the end. */
export function withImage(
  images: readonly ProductImage[],
  image: ProductImage,
  position: number | undefined,
): ProductImage[] {
  const at = position === undefined ? images.length : Math.min(position - 1, images.length);
  return [...images.slice(0, at), image, ...images.slice(at)];
}
