import { coreErrors, fail } from '../../../kernel/errors.ts';
import { diffProduct } from '../domain/plan/changes.ts';
import { curationAfter } from '../domain/plan/curation.ts';
import type { ProductImage, StoredProduct } from '../domain/product.ts';
import { holdProducts } from '../store/hold-products.ts';
import { saveProducts } from './save-products.ts';
import type { WriteContext } from './write-context.ts';

/**
 * Gives a product another list of images, numbered from 1.
 *
 * @param change the new list from the present one; throws to refuse, and is not called for a product of others
 * @throws ApiError 404
 */
export async function changeImages(
  ctx: WriteContext,
  productId: string,
  action: string,
  change: (before: StoredProduct) => Promise<readonly ProductImage[]> | readonly ProductImage[],
): Promise<StoredProduct> {
  const [before] = await holdProducts(ctx.db, { ids: [productId], skus: [] });
  if (before === undefined) throw fail(coreErrors.not_found);
  const images = (await change(before)).map((image, index) => ({ ...image, position: index + 1 }));
  const drawn = { ...before, images, version: before.version + 1 };
  const next = { ...drawn, ...curationAfter(before, drawn) };
  const changes = diffProduct(before, next);
  if (changes.length === 0) return before;
  const [saved] = await saveProducts(ctx, [{ before, next, changes, action }]);
  return saved ?? before;
}

/** The list with one image more: at its place, counted from 1, or at the end. */
export function withImage(
  images: readonly ProductImage[],
  image: ProductImage,
  position: number | undefined,
): ProductImage[] {
  const at = position === undefined ? images.length : Math.min(position - 1, images.length);
  return [...images.slice(0, at), image, ...images.slice(at)];
}
