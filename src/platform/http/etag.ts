/** Entity tags: conditional reads answer 304, conditional writes 412 (RFC 9110 section 13). */
import { hash } from 'node:crypto';
import { coreErrors, fail } from '../../kernel/errors.ts';
import type { ShownTag } from '../../kernel/route.ts';

/** Separates the version from the digest of the representation. */
const SEPARATOR = '~';
const DIGEST_CHARS = 16;

/**
 * Entity tag of a representation that can change without a new version, because it also shows the time or the stock.
 * Reads compare the whole tag; writes compare the version only.
 *
 * @param shown the whole representation
 */
export const shownTag = (version: string, shown: object): ShownTag => ({ version, shown });

/**
 * An entity tag as the answer's header has it, in quotes.
 *
 * @param body the body of the answer
 * @param json the body as it is sent
 */
export function writeTag(tag: string | ShownTag, body: unknown, json: string): string {
  if (typeof tag === 'string') return `"${tag}"`;
  // Most tags are made from the body, which is JSON now.
  const text = tag.shown === undefined || tag.shown === body ? json : JSON.stringify(tag.shown);
  return `"${tag.version}${SEPARATOR}${hash('sha256', text, 'base64url').slice(0, DIGEST_CHARS)}"`;
}

/**
 * The entity tags of a header, without quotes. A weak tag counts too: the service weakens a tag only because it has
 * compressed the answer, and the version in it is exact.
 */
const tags = (header: string): string[] => [...header.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag);

/** Whether `If-None-Match` has the entity tag (given with quotes). Weak tags match here. */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return (
    header.trim() === '*' || [...header.matchAll(/"([^"]*)"/g)].some((match) => `"${match[1]}"` === etag)
  );
}

/**
 * Refuses a write whose `If-Match` names a stale version.
 *
 * @param current the entity tag without quotes; for a {@link shownTag} only the version
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
