/** Longer names are not compared, because the comparison takes the product of both lengths. */
const NAME_CHARS_MAX = 40;

/** The name in lower case with one `_` between its words, so that `sellerSku` and `Seller-SKU` are equal. */
const plain = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');

/** The number of letters to add, remove, replace or swap with their neighbour (optimal string alignment). */
function edits(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row[j] = cost;
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}

const contains = (long: string, short: string): boolean =>
  long.startsWith(`${short}_`) || long.endsWith(`_${short}`);

const firstWord = (name: string): string => name.split('_', 1)[0] ?? '';

const NEVER = Number.POSITIVE_INFINITY;

/** The number of edits, if they are few enough for a mistyped name. */
function typos(given: string, known: string): number {
  const distance = edits(given, known);
  return distance <= Math.floor(Math.max(given.length, known.length) / 3) ? distance : NEVER;
}

/** As {@link typos}; then names with other words around, then names with the same first word. */
function unlikeness(given: string, known: string): number {
  const distance = typos(given, known);
  if (distance < NEVER) return distance;
  if (contains(known, given) || contains(given, known)) return NAME_CHARS_MAX + edits(given, known);
  return firstWord(given) === firstWord(known) ? 2 * NAME_CHARS_MAX + edits(given, known) : NEVER;
}

function least(
  name: string,
  known: readonly string[],
  unlike: (given: string, known: string) => number,
): string | undefined {
  if (name.length > NAME_CHARS_MAX) return undefined;
  const given = plain(name);
  const compared = known.map((candidate) => [candidate, unlike(given, plain(candidate))] as const);
  const [best] = compared.filter(([, value]) => value < NEVER).sort(([, one], [, other]) => one - other);
  return best?.[0];
}

/** The known name that an unknown one means if it is only spelt in another way or mistyped. */
export const misspelt = (name: string, known: readonly string[]): string | undefined =>
  least(name, known, typos);

/** The known name that an unknown one most likely means: as {@link misspelt}, or a name with more or fewer words. */
export const nearMiss = (name: string, known: readonly string[]): string | undefined =>
  least(name, known, unlikeness);
