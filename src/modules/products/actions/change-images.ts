import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { diffProduct } from '../domain/plan/changes.ts';
import { curationAfter } from '../domain/plan/curation.ts';
import type { ProductImage, StoredProduct } from '../domain/product.ts';
import { lockNamedProducts } from '../store/load-products.ts';
import { saveProducts } from './save-products.ts';

/**
 * Gives a product another list of images, numbered from 1.
 *
 * @param change makes the new list, or throws to refuse
 * @throws ApiError 404
 */
export async function changeImages(
  ctx: Acting,
  productId: string,
  action: string,
  change: (before: StoredProduct) => Promise<readonly ProductImage[]> | readonly ProductImage[],
): Promise<StoredProduct> {
  const [before] = await lockNamedProducts(ctx.db, { ids: [productId], skus: [] });
  if (before === undefined) throw fail(coreErrors.not_found);
  const images = (await change(before)).map((image, index) => ({ ...image, position: index + 1 }));
  const changed = { ...before, images, version: before.version + 1 };
  const next = { ...changed, ...curationAfter(before, changed) };
  const changes = diffProduct(before, next);
  if (changes.length === 0) return before;
  const [saved] = await saveProducts(ctx, [{ before, next, changes, action }]);
  return saved ?? before;
}

/** The list with an image at a position, counted from 1, or at the end. */
export function withImage(
  images: readonly ProductImage[],
  image: ProductImage,
  position: number | undefined,
): ProductImage[] {
  const at = position === undefined ? images.length : Math.min(position - 1, images.length);
  return [...images.slice(0, at), image, ...images.slice(at)];
}
