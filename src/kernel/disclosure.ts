/**
 * Rules of disclosure: which figures about few people are held back. Source: docs/design/computed-payloads.md#disclosure.
 */
import { inspect } from './contact-data/inspect-text.ts';

/** A search is shown if so many people or more have searched for it. */
export const SEARCHERS_MIN = 20;

const NOTHING_KNOWN = { strings: [], hosts: [] };
/** Spaces, hyphens and the minus sign. */
const HYPHENS = /[\s\p{Pd}\u2212]/gu;
/** Soft hyphens and other characters without ink, and marks that join the one before, such as those of keycaps. */
const INVISIBLE = /[\p{Cf}\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu;
const LONG_NUMBER = /\p{Nd}{7,}/u;
const STREET_NUMBER = /^\p{Nd}{1,5}\p{L}?$/u;
const STREET_WORD =
  /^(?:street|st|road|rd|avenue|ave|av|lane|ln|drive|dr|court|crt|ct|place|pl|parade|pde|crescent|cres|cr|highway|hwy|terrace|tce|way|close|cl|boulevard|blvd|circuit|cct|grove|gr|esplanade|esp|square|sq|quay|mews|parkway|pkwy|promenade|prom|rise|row|walk)$/;
const POSTCODE = /^\p{Nd}{4}$/u;
/** Between the number and the word stand at most so many words of the name: "12 old south head road". */
const STREET_NAME_WORDS_MAX = 4;

/** Whether a text has a street number before a street word, and a postcode beside them. */
function hasAddress(text: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+/u);
  return words.some((word, number) => {
    const isNumbered =
      STREET_NUMBER.test(word) &&
      words.slice(number + 1, number + 2 + STREET_NAME_WORDS_MAX).some((one) => STREET_WORD.test(one));
    return isNumbered && words.some((one, index) => index !== number && POSTCODE.test(one));
  });
}

/**
 * Whether the text of a search may say who searched: it has an e-mail address, a long number, or an address.
 *
 * @param text in lower case
 */
export function namesSomebody(text: string): boolean {
  const seen = text.replaceAll(INVISIBLE, '');
  return (
    LONG_NUMBER.test(seen.replaceAll(HYPHENS, '')) ||
    hasAddress(seen) ||
    inspect(seen, NOTHING_KNOWN, ['email']).length > 0
  );
}

/** A cell of the market has at least so many contributors, and none of them holds more than this share. */
const MARKET_CONTRIBUTORS_MIN = 10;
const MARKET_LARGEST_SHARE_MAX_BPS = 4_000;
/** Minor units, and points of an index, to which published values are rounded. */
const MARKET_PRICE_STEP = 50;
const MARKET_INDEX_STEP = 5;
/** Averages and money of fewer own buyers are null. The guard is against reading meaning into single cases. */
export const OWN_BUYERS_MIN = 5;

/** The facts about a cell that decide whether it is published. */
interface CellFacts {
  readonly contributors: number;
  readonly largest_share_bps: number;
}

export const isPublishable = ({ contributors, largest_share_bps }: CellFacts): boolean =>
  contributors >= MARKET_CONTRIBUTORS_MIN && largest_share_bps <= MARKET_LARGEST_SHARE_MAX_BPS;

/** Half up. */
const toStep = (value: number, step: number): number => Math.floor((2 * value + step) / (2 * step)) * step;
export const publishedPrice = (minor: number): number => toStep(minor, MARKET_PRICE_STEP);
export const publishedIndex = (index: number): number => toStep(index, MARKET_INDEX_STEP);

const BANDS = [
  [200, '200+'],
  [50, '50-199'],
  [20, '20-49'],
  [MARKET_CONTRIBUTORS_MIN, '10-19'],
] as const;
export const CONTRIBUTORS_BANDS = BANDS.map(([, band]) => band);
export type ContributorsBand = (typeof BANDS)[number][1];

/** The band of a number of contributors; null below the threshold. */
export const contributorsBand = (contributors: number): ContributorsBand | null =>
  BANDS.find(([least]) => contributors >= least)?.[1] ?? null;

/** A figure about own buyers; null for too few of them. */
export const ofEnoughBuyers = <T>(buyers: number, figure: T): T | null =>
  buyers < OWN_BUYERS_MIN ? null : figure;
