/**
 * Things that the marketplace adds under ids of its own: messages, replies, ratings. They are never stale, and each is
 * stored once. Source: docs/design/conversations.md#additions.
 */
import { canonicalJson } from './canonical-json.ts';
import { sha256Hex } from './digest.ts';
import { IntakeRejection } from './events.ts';

/** Digest of what is stored of an addition. It must not cover text that is masked, so that no table has a trace of it. */
export const contentDigest = (content: object): string => sha256Hex(canonicalJson(content));

/**
 * Whether an addition was stored before, with the same content.
 *
 * @param known the digest that is stored under its id; null if its content was erased
 * @param what for people: `message m-1`
 * @throws IntakeRejection `id_reused` for other content
 */
export function wasAdded(
  known: { readonly digest: string | null } | undefined,
  digest: string,
  what: string,
): boolean {
  if (known === undefined) return false;
  if (known.digest === null || known.digest === digest) return true;
  throw new IntakeRejection('id_reused', `The ${what} was sent before with other content.`);
}
