import { expireFiles } from '../../../platform/files/file-lifetimes.ts';
import type { ProductImage } from '../domain/product.ts';
import type { WriteContext } from './write-context.ts';

/** Long enough to undo a change that dropped an image, a feed run's too. */
const KEPT_AFTER_REMOVAL_MS = 30 * 24 * 3_600_000;

/** The file of an uploaded image; both have one id under the prefixes of their kinds. */
export function fileIdOf(imageId: string): string {
  return `fil_${imageId.slice('img_'.length)}`;
}

type Images = readonly ProductImage[];

const uploadsOf = (images: Images): string[] =>
  images.filter(({ sha256 }) => sha256 !== null).map(({ image_id }) => fileIdOf(image_id));

/** Lets the files go of images that a write drops, and keeps those of images that it brings back. */
export async function keepImageFiles(
  ctx: Pick<WriteContext, 'db' | 'now'>,
  writes: readonly { readonly before: Images; readonly after: Images }[],
): Promise<void> {
  const moved = writes.filter(({ before, after }) => before !== after);
  const before = new Set(moved.flatMap((write) => uploadsOf(write.before)));
  const after = new Set(moved.flatMap((write) => uploadsOf(write.after)));
  const dropped = [...before].filter((id) => !after.has(id));
  const returned = [...after].filter((id) => !before.has(id));
  const until = new Date(ctx.now() + KEPT_AFTER_REMOVAL_MS).toISOString();
  await expireFiles(ctx.db, 'image', dropped, until);
  await expireFiles(ctx.db, 'image', returned, null);
}
