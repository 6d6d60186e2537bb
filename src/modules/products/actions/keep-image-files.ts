import type { Acting, Db } from '../../../kernel/context.ts';
import { expireFiles } from '../../../platform/files/file-lifetimes.ts';
import type { ProductImage } from '../domain/product.ts';

/** Long enough to undo a change, of a feed run too. */
const KEPT_AFTER_REMOVAL_MS = 30 * 24 * 3_600_000;

/** The file of an uploaded image; both have one id under the prefixes of their kinds. */
export function fileIdOf(imageId: string): string {
  return `fil_${imageId.slice('img_'.length)}`;
}

type Images = readonly ProductImage[];

const uploadsOf = (images: Images): string[] =>
  images.filter(({ sha256 }) => sha256 !== null).map(({ image_id }) => fileIdOf(image_id));

/** Expires the files of images that writes drop, and keeps those of images that they bring back. */
export async function keepImageFiles(
  { db, now }: Pick<Acting, 'now'> & { readonly db: Db },
  writes: readonly { readonly before: Images; readonly after: Images }[],
): Promise<void> {
  const changed = writes.filter(({ before, after }) => before !== after);
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
