/** The profile that a file comes nearest to, and the columns that it would need. */
import type { NearMiss } from './answer.ts';
import type { HeaderSearch } from './find-header.ts';

/** A near miss names the missing column: docs/design/feeds-and-imports.md#detection. */
export function nearMiss(search: HeaderSearch): NearMiss | null {
  const [nearest] = search.profiles;
  if (nearest === undefined) return null;
  const { profile, name } = nearest.pattern;
  const { score, matched, against } = nearest.result;
  const missing = nearest.result.missing.map((column) => column.replace(/\(?\*$/, ' …'));
  const reason =
    against.length > 0
      ? `the column ${against.join(', ')} belongs to another kind of file`
      : `these columns are missing: ${missing.join(', ')}`;
  return {
    profile,
    score: Math.round(score * 100) / 100,
    matched,
    missing,
    against,
    message:
      `The file comes nearest to a ${name}, but ${reason}. Export it again with all columns; a file of your ` +
      'own making goes to the feed, POST /api/v1/products/feed-runs.',
  };
}
