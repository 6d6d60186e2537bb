/** Scores a header against a pattern. Source: docs/design/feeds-and-imports.md#detection. */
import type { HeaderPattern } from './fingerprints.ts';

/** Score of a header that has what is required and nothing more. */
const BASE_SCORE = 0.6;
/** Hits beyond which further ones prove nothing more. */
const ENOUGH_STRONG = 6;
/** What a column that speaks against the shape leaves of the score. */
const NEGATIVE_FACTOR = 0.35;
/** Scores from here on are a match. */
export const ACCEPTED_SCORE = 0.6;
/** A second profile this close makes the answer ambiguous. */
export const AMBIGUITY_MARGIN = 0.15;
/** Highest score of a header that lacks something required. */
const NEAR_SCORE_MAX = 0.59;

export interface HeaderScore {
  /** 0..1; below {@link ACCEPTED_SCORE} the header is at most near. */
  readonly score: number;
  readonly matched: readonly string[];
  /** Required columns that are not there, or what the pattern misses beside them. */
  readonly missing: readonly string[];
  /** Columns that speak against the shape. */
  readonly against: readonly string[];
}

/** Scores the normalised cells of one record. */
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

/** Names what is missing: the required columns, else the telling ones of which too few are there. */
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

/** The names that a pattern such as `variant *` covers. */
function hits(names: ReadonlySet<string>, pattern: string): readonly string[] {
  if (!pattern.endsWith('*')) return names.has(pattern) ? [pattern] : [];
  const prefix = pattern.slice(0, -1);
  return [...names].filter((name) => name.startsWith(prefix));
}
