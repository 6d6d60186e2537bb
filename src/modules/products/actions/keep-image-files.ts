import type { Acting, Db } from '../../../kernel/context.ts';
import { expireFiles } from '../../../platform/files/file-lifetimes.ts';
import type { CatalogueProduct, ProductImage } from '../domain/product.ts';

/** Long enough to undo a change or to revert a feed run. */
const KEPT_AFTER_REMOVAL_MS = 30 * 24 * 3_600_000;

/** The file of an uploaded image: the ids differ only in their prefixes. */
export function fileIdOf(imageId: string): string {
  return `fil_${imageId.slice('img_'.length)}`;
}

type Images = readonly ProductImage[];

const uploadsOf = (images: Images): string[] =>
  images.filter(({ sha256 }) => sha256 !== null).map(({ image_id }) => fileIdOf(image_id));

/** The images of the product, and those of the live version. */
const imagesOf = (product: CatalogueProduct | null): Images => {
  const images = product?.images ?? [];
  return product?.approved?.images === undefined ? images : [...images, ...product.approved.images];
};

/** Sets an expiry on the files of images that neither needs any more, and clears it for images that are used again. */
export async function keepImageFiles(
  { db, now }: Pick<Acting, 'now'> & { readonly db: Db },
  writes: readonly { readonly before: CatalogueProduct | null; readonly after: CatalogueProduct }[],
): Promise<void> {
  const changed = writes
    .filter(({ before, after }) => before?.images !== after.images || before.approved !== after.approved)
    .map(({ before, after }) => ({ before: imagesOf(before), after: imagesOf(after) }));
  const before = new Set(changed.flatMap((write) => uploadsOf(write.before)));
  const after = new Set(changed.flatMap((write) => uploadsOf(write.after)));
  const until = new Date(now() + KEPT_AFTER_REMOVAL_MS).toISOString();
  await expireFiles(
    db,
    'image',
    [...before].filter((id) => !after.has(id)),
    until,
  );
  await expireFiles(
    db,
    'image',
    [...after].filter((id) => !before.has(id)),
    null,
  );
}
