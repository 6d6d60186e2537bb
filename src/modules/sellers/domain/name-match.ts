/** How alike two business names are, by the pairs of letters they share. */

/** Words that say what kind of entity it is, not which one. */
const LEGAL_FORMS =
  /\b(pty|ltd|limited|proprietary|incorporated|inc|nl|co|company|the trustee for|trustee|trust|trading as|t\/a)\b/g;

/** The words that make a name: folded, without punctuation and legal forms. */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}/]+/gu, ' ');
  const bare = folded
    .replace(LEGAL_FORMS, ' ')
    .replaceAll('/', ' ')
    .replace(/^\s*the\s/, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  // A name that is nothing but legal forms is compared as it is.
  return bare === '' ? folded.replaceAll('/', ' ').replace(/\s+/g, ' ').trim() : bare;
}

function pairs(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.split(' ')) {
    const padded = ` ${word} `;
    for (let i = 0; i + 1 < padded.length; i += 1) {
      const pair = padded.slice(i, i + 2);
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Similarity of two names: 100 when they are the same but for case, punctuation and legal form, 0 when they
 * share nothing (Sørensen-Dice over letter pairs of the words, so the order of words does not matter).
 */
export function nameSimilarity(a: string, b: string): number {
  const [left, right] = [foldName(a), foldName(b)];
  if (left === '' || right === '') return 0;
  if (left === right) return 100;
  const [ofLeft, ofRight] = [pairs(left), pairs(right)];
  let shared = 0;
  let total = 0;
  for (const [pair, count] of ofLeft) {
    shared += Math.min(count, ofRight.get(pair) ?? 0);
    total += count;
  }
  for (const count of ofRight.values()) total += count;
  // Names that are not the same never score 100, however alike.
  return Math.min(99, Math.round((200 * shared) / total));
}

export interface NameMatch {
  /** 0 to 100. */
  readonly score: number;
  readonly business_name: string;
  /** The name of the register that comes closest. */
  readonly register_name: string;
}

/** The register's name that comes closest to the seller's; undefined when the register gives none. */
export function bestNameMatch(businessName: string, registerNames: readonly string[]): NameMatch | undefined {
  let best: NameMatch | undefined;
  for (const register_name of registerNames) {
    const score = nameSimilarity(businessName, register_name);
    if (best === undefined || score > best.score)
      best = { score, business_name: businessName, register_name };
  }
  return best;
}
