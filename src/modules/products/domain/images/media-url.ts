/** Addresses of uploaded images. Anybody may read them, so the id of an image is the only secret in them. */
import type { ProductImage } from '../product.ts';

export const MEDIA_PATH = '/media/';
const MEDIA_URL = /\/media\/(img_[0-9a-z]{26})$/;

/** What the addresses of uploaded images begin with. */
export const mediaUrlBase = (publicUrl: string): string => publicUrl.replace(/\/+$/, '') + MEDIA_PATH;

/** The address of an image as clients see it. The address of an upload begins with the present `PUBLIC_URL`. */
const shownUrl = ({ sha256, image_id, url }: ProductImage, base: string): string =>
  sha256 === null ? url : base + image_id;

export const showImages = (images: readonly ProductImage[], base: string): ProductImage[] =>
  images.map((image) => (image.sha256 === null ? image : { ...image, url: shownUrl(image, base) }));

/** Finds an image by its own address. An upload is also found by any address that ends in its id. */
export function imageFinder(images: readonly ProductImage[]): (url: string) => ProductImage | undefined {
  const byUrl = new Map(images.map((image) => [image.url, image]));
  const uploads = images.filter(({ sha256 }) => sha256 !== null);
  if (uploads.length === 0) return (url) => byUrl.get(url);
  const byId = new Map(uploads.map((image) => [image.image_id, image]));
  return (url) => byUrl.get(url) ?? byId.get(MEDIA_URL.exec(url)?.[1] ?? '');
}
