/** Strong entity tags: conditional reads answer 304, conditional writes 412 (RFC 9110 section 13). */
import { hash } from 'node:crypto';
import { coreErrors, fail } from '../../kernel/errors.ts';

/** Separates the version from the digest of the representation. */
const SEPARATOR = '~';
const DIGEST_CHARS = 16;

/**
 * Entity tag (without quotes) of a representation that can change without a new version, because it also shows the
 * time or the stock. Reads compare the whole tag; writes compare the version only.
 *
 * @param shown the whole representation
 */
export function shownTag(version: string, shown: object): string {
  const digest = hash('sha256', JSON.stringify(shown), 'base64url').slice(0, DIGEST_CHARS);
  return `${version}${SEPARATOR}${digest}`;
}

/** Entity tags of a header value, without quotes; weak ones never match strongly and are left out. */
function tags(header: string): string[] {
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter((match) => match[1] === undefined)
    .map((match) => match[2] ?? '');
}

/** Whether `If-None-Match` names the entity tag (given with quotes); here weak tags count as well. */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return (
    header.trim() === '*' || [...header.matchAll(/"([^"]*)"/g)].some((match) => `"${match[1]}"` === etag)
  );
}

/**
 * Refuses a write whose `If-Match` names a stale version.
 *
 * @param current entity tag without quotes, of a {@link shownTag} the version
 * @throws ApiError 412 `precondition_failed`
 */
export function checkIfMatch(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  current: string,
): void {
  const raw = headers['if-match'];
  const header = Array.isArray(raw) ? raw.join(',') : raw;
  if (header === undefined || header.trim() === '*') return;
  const named = tags(header).map((tag) => tag.split(SEPARATOR, 1)[0]);
  if (!named.includes(current)) throw fail(coreErrors.precondition_failed);
}
