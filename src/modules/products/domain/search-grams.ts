/**
 * Search by words: a product is found when its text contains every word of the query. The index cannot find a word
 * inside a text, but it can find the word's grams (its runs of one, two, three or five characters): a text that
 * contains the word contains all of its grams. Grams are hashed into a fixed number of buckets, which bounds the index.
 * Two grams may share a bucket; then the search reads a block without a match, but it never misses a product.
 */
import { wordsOf } from '../../../kernel/fold-text.ts';

/**
 * Lengths of grams, the longest first. One and two characters find short words, such as Chinese ones. Consecutive
 * numbers in a block share nearly all runs of three digits; runs of five distinguish them.
 */
const GRAMS = [5, 3, 2, 1];
/**
 * Buckets of grams of three and five characters; as many more are for shorter ones, so that a rare character does not
 * share its bucket with a gram of every product. A power of two. A block of a thousand products with random SKUs fills an
 * eighth of the buckets.
 */
const BUCKETS = 32_768;
const SHORT_GRAM = 2;
/** So many buckets leave few blocks; more would only cost time. */
const BUCKETS_OF_SEARCH_MAX = 32;

/** FNV-1a over the characters from `from` up to `to`. */
function bucketOf(word: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  const bucket = (hash ^ (hash >>> 15)) & (BUCKETS - 1);
  return to - from <= SHORT_GRAM ? bucket + BUCKETS : bucket;
}

function addGrams(buckets: Set<number>, word: string, length: number): void {
  for (let at = 0; at + length <= word.length; at += 1) buckets.add(bucketOf(word, at, at + length));
}

/** Adds the buckets of a folded text to a set. */
export function addBuckets(buckets: Set<number>, folded: string): void {
  for (const word of wordsOf(folded)) for (const length of GRAMS) addGrams(buckets, word, length);
}

/** The buckets that a text with all of these words has: of each word, its longest grams. */
export function bucketsOfWords(words: readonly string[]): number[] {
  const buckets = new Set<number>();
  for (const word of words) addGrams(buckets, word, GRAMS.find((length) => length <= word.length) ?? 1);
  return [...buckets].slice(0, BUCKETS_OF_SEARCH_MAX);
}
