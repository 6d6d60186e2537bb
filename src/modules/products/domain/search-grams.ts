/**
 * Search by words: every word of a question must stand somewhere in a product's text. An index cannot look for a
 * word inside a text, but it can look for its grams, the runs of characters in it: a text with the word has all of
 * them. Grams are hashed into a fixed number of buckets, so that the index stays small whatever the texts are; a
 * gram that shares its bucket makes the search read a block in vain, and never hides a product.
 */
import { wordsOf } from '../../../kernel/fold-text.ts';

/**
 * Lengths of grams. Three characters find short words. Numbers in sequence share all runs of three within a block of
 * products; runs of five tell them apart.
 */
const SHORT = 3;
const LONG = 5;
/** A power of two. A block of a thousand products with random numbers as SKUs fills an eighth of the buckets. */
export const BUCKETS = 32_768;
/** More buckets than are needed to find few blocks. */
const BUCKETS_OF_SEARCH_MAX = 32;

/** FNV-1a over the characters from one place to another. */
function bucketOf(word: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}

function addGrams(buckets: Set<number>, word: string, length: number): void {
  for (let at = 0; at + length <= word.length; at += 1) buckets.add(bucketOf(word, at, at + length));
}

/** Adds the buckets of a folded text to a set. */
export function addBuckets(buckets: Set<number>, folded: string): void {
  for (const word of wordsOf(folded)) {
    addGrams(buckets, word, SHORT);
    addGrams(buckets, word, LONG);
  }
}

/** The buckets of every text with all of these words; none for words that are shorter than a gram. */
export function bucketsOfWords(words: readonly string[]): number[] {
  const buckets = new Set<number>();
  for (const word of words) addGrams(buckets, word, word.length < LONG ? SHORT : LONG);
  return [...buckets].slice(0, BUCKETS_OF_SEARCH_MAX);
}
