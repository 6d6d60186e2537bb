import type { ImageClaim } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { checkOptionalLine, type Reporter } from './check-text.ts';
import { isLongerThan, trimLine } from './clean-text.ts';
import { IMAGE_ALT_MAX, IMAGES_MAX, URL_MAX } from './limits.ts';

/** Matches common addresses without the slower URL parser: a plain host, then ASCII without quotes and brackets. */
const PLAIN_URL = /^https?:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:[/?][!#-;=?-[\]_a-z~]*)?$/i;

/**
 * Checks the addresses and the number of images; a repeated address is used once, with a warning.
 *
 * @returns the list without blanks and repeats, or `undefined` when an image was refused
 */
export function checkImages(
  images: readonly ImageClaim[],
  reporter: Reporter,
): readonly ImageClaim[] | undefined {
  const { column, messages } = reporter;
  const seen = new Set<string>();
  const accepted: ImageClaim[] = [];
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
      accepted.push(alt === undefined ? { url } : { url, alt });
    }
  }
  if (accepted.length > IMAGES_MAX) {
    messages.push(rowMessage('image_limit', { column, expected: `at most ${IMAGES_MAX}` }));
    return undefined;
  }
  return refused ? undefined : accepted;
}

/** @returns the trimmed address, `''` for a blank, `undefined` for anything but an http or https address */
function checkUrl(value: string): string | undefined {
  // `|` separates the addresses of a cell, so an address has it escaped.
  const url = trimLine(value).replaceAll('|', '%7C');
  if (url === '' || PLAIN_URL.test(url)) return url.length > URL_MAX ? undefined : url;
  if (isLongerThan(url, URL_MAX) || /[\s<>"]/.test(url) || !url.isWellFormed()) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  return username === '' && password === '' ? url : undefined;
}
