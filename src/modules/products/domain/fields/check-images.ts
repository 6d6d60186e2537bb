import type { ImageClaim } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { checkOptionalLine, type Reporter } from './check-text.ts';
import { isLongerThan, trimLine } from './clean-text.ts';
import { IMAGE_ALT_MAX, IMAGES_MAX, URL_MAX } from './limits.ts';

/** Paths of uploaded images; planning accepts them only for the products that have them. */
export const OWN_IMAGE_PATH = '/api/v1/';

/** Common addresses, which need no parser: a plain host, then printable ASCII without quotes and brackets. */
const PLAIN_URL = /^https?:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:[/?][!#-;=?-[\]_a-z~]*)?$/i;

/**
 * Checks addresses and number; a repeated address is used once, with a warning.
 *
 * @returns the list without blanks and repeats, or `undefined` when an address was refused
 */
export function checkImages(
  images: readonly ImageClaim[],
  reporter: Reporter,
): readonly ImageClaim[] | undefined {
  const { column, messages } = reporter;
  const seen = new Set<string>();
  const taken: ImageClaim[] = [];
  let refused = false;
  for (const image of images) {
    const url = checkUrl(image.url);
    if (url === '') continue;
    if (url === undefined) {
      messages.push(rowMessage('url_invalid', { column, value: image.url }));
      refused = true;
    } else if (seen.has(url)) {
      messages.push(rowMessage('image_duplicate', { column, value: url }));
    } else {
      seen.add(url);
      const alt = image.alt == null ? image.alt : checkOptionalLine(image.alt, IMAGE_ALT_MAX, reporter);
      if (alt === undefined && image.alt != null) refused = true;
      taken.push(alt === undefined ? { url } : { url, alt });
    }
  }
  if (taken.length > IMAGES_MAX) {
    messages.push(rowMessage('image_limit', { column, expected: `at most ${IMAGES_MAX}` }));
    return undefined;
  }
  return refused ? undefined : taken;
}

/** The trimmed address, `''` for none, `undefined` when it is no http or https address. */
function checkUrl(value: string): string | undefined {
  // `|` separates addresses in a cell, so inside one it is written as an escape.
  const url = trimLine(value).replaceAll('|', '%7C');
  if (url === '' || PLAIN_URL.test(url)) return url.length > URL_MAX ? undefined : url;
  if (isLongerThan(url, URL_MAX) || /[\s<>"]/.test(url) || !url.isWellFormed()) return undefined;
  if (url.startsWith(OWN_IMAGE_PATH)) return url;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  return username === '' && password === '' ? url : undefined;
}
