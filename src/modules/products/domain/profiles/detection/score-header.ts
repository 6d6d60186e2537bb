/** Scores how well a header matches a pattern. Source: docs/design/feeds-and-imports.md#detection. */
import type { HeaderPattern } from './fingerprints.ts';

/** The score of a header that has only the required columns. */
const BASE_SCORE = 0.6;
/** More typical columns than this do not raise the score. */
const ENOUGH_STRONG = 6;
/** A column of another kind of file multiplies the score by this factor. */
const NEGATIVE_FACTOR = 0.35;
/** A header with a lower score does not match. */
export const ACCEPTED_SCORE = 0.6;
/** If the scores of two matching profiles differ by less than this, the file is ambiguous. */
export const AMBIGUITY_MARGIN = 0.15;
/** The highest score of a header that lacks a required column. */
const NEAR_SCORE_MAX = 0.59;

export const roundedScore = (score: number): number => Math.round(score * 100) / 100;

export interface HeaderScore {
  /** From 0 to 1. */
  readonly score: number;
  readonly matched: readonly string[];
  /** The required columns that the header lacks, and typical ones if it has too few of those. */
  readonly missing: readonly string[];
  /** Columns that only other kinds of files have. */
  readonly against: readonly string[];
}

/** @param names the normalised cells of the header */
export function scoreHeader(names: ReadonlySet<string>, pattern: HeaderPattern): HeaderScore {
  const { required, strong, min_strong, negative } = pattern;
  const present = required.filter((spellings) => spellings.some((name) => hits(names, name).length > 0));
  const missing = required.filter((spellings) => !present.includes(spellings));
  const strongHits = distinctHits(names, strong);
  const against = distinctHits(names, negative);
  const matched = [
    ...new Set([...present.flatMap((spellings) => distinctHits(names, spellings)), ...strongHits]),
  ];
  const strength = Math.min(1, strongHits.length / ENOUGH_STRONG);
  const factor = against.length > 0 ? NEGATIVE_FACTOR : 1;
  const complete = missing.length === 0 && strongHits.length >= min_strong;
  const share = present.length / required.length;
  const raw = BASE_SCORE * share + (1 - BASE_SCORE) * strength;
  return {
    score: (complete ? raw : Math.min(raw, NEAR_SCORE_MAX)) * factor,
    matched,
    missing: complete ? [] : missingNames(names, missing, pattern, strongHits.length),
    against,
  };
}

function missingNames(
  names: ReadonlySet<string>,
  missing: readonly (readonly string[])[],
  pattern: HeaderPattern,
  strongHits: number,
): readonly string[] {
  const required = missing.map((spellings) => spellings[0] ?? '');
  if (strongHits >= pattern.min_strong) return required;
  const absent = pattern.strong.filter((name) => hits(names, name).length === 0);
  const lacking = pattern.min_strong - strongHits;
  return [...required, ...absent.filter((name) => !required.includes(name)).slice(0, Math.max(lacking, 1))];
}

function distinctHits(names: ReadonlySet<string>, patterns: readonly string[]): string[] {
  return [...new Set(patterns.flatMap((name) => hits(names, name)))];
}

/** The names that match a pattern such as `variant *`. */
function hits(names: ReadonlySet<string>, pattern: string): readonly string[] {
  if (!pattern.endsWith('*')) return names.has(pattern) ? [pattern] : [];
  const prefix = pattern.slice(0, -1);
  return [...names].filter((name) => name.startsWith(prefix));
}
