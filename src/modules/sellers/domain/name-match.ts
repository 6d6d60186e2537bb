/** How similar two business names are, by their common pairs of letters. */

/** Words for the legal form of a business, which do not distinguish it. */
const LEGAL_FORMS =
  /\b(pty|ltd|limited|proprietary|incorporated|inc|nl|co|company|the trustee for|trustee|trust|trading as|t\/a)\b/g;

/** The words of a name: folded, without punctuation and legal forms. */
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
  // A name that consists only of legal forms is compared as it is.
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
 * The similarity of two names. It is 100 if they differ only in case, punctuation and legal form, and 0 if they have
 * nothing in common (Sørensen-Dice over letter pairs of the words, so the order of words does not matter).
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
  // Different names never score 100.
  return Math.min(99, Math.round((200 * shared) / total));
}

export interface NameMatch {
  /** 0 to 100. */
  readonly score: number;
  readonly business_name: string;
  /** The most similar name in the register. */
  readonly register_name: string;
}

/** The name in the register that is most similar to the seller's; undefined if the register states none. */
export function bestNameMatch(businessName: string, registerNames: readonly string[]): NameMatch | undefined {
  let best: NameMatch | undefined;
  for (const register_name of registerNames) {
    const score = nameSimilarity(businessName, register_name);
    if (best === undefined || score > best.score)
      best = { score, business_name: businessName, register_name };
  }
  return best;
}
