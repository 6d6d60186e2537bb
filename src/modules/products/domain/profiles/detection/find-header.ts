/**
 * Finds the header of a file: the dialect, the record and the profile with the highest score. The score decides the
 * delimiter. Counting the characters would fail for descriptions in HTML.
 * Source: docs/design/feeds-and-imports.md#detection.
 */
import type { RecordFormat, RecordLimits, TextEncodingName } from '../../../../../kernel/readers/records.ts';
import { sniffEncoding } from '../../../../../kernel/readers/sniff-encoding.ts';
import { normaliseHeader } from '../cell.ts';
import { hasHandmadeShape } from '../handmade/columns.ts';
import type { ProfileName } from '../profile.ts';
import type { StoreInventoryFile } from '../store-platform/inventory.ts';
import type { NearMiss } from './answer.ts';
import { candidateFormats, type HeaderCandidate, type OpenFile, readHeaderCandidates } from './dialects.ts';
import { FINGERPRINTS, type Fingerprint, HANDMADE_SHAPE, type HeaderPattern } from './fingerprints.ts';
import { ACCEPTED_SCORE, type HeaderScore, roundedScore, scoreHeader } from './score-header.ts';
import { UNSUPPORTED_SHAPES, type UnsupportedShape } from './unsupported-shapes.ts';

export interface HeaderMatch<Pattern extends HeaderPattern> {
  readonly pattern: Pattern;
  readonly result: HeaderScore;
  readonly format: RecordFormat;
  readonly head: HeaderCandidate;
}

export interface HeaderSearch {
  /** The best match of each profile that has a column of the file, best first. */
  readonly profiles: readonly HeaderMatch<Fingerprint>[];
  readonly other: HeaderMatch<UnsupportedShape> | null;
  /** The record with the most cells. It shows the delimiter of a file that matches no profile. */
  readonly widest: { readonly format: RecordFormat; readonly head: HeaderCandidate } | null;
}

/** A longer cell is not a column name. */
const HEADER_CELL_MAX = 300;

export async function findHeader(
  open: OpenFile,
  encoding: TextEncodingName,
  limits: RecordLimits,
): Promise<HeaderSearch> {
  const best = new Map<ProfileName, HeaderMatch<Fingerprint>>();
  let other: HeaderMatch<UnsupportedShape> | null = null;
  let widest: HeaderSearch['widest'] = null;
  for (const format of candidateFormats(encoding, limits)) {
    for (const head of await readHeaderCandidates(open, format)) {
      const names = headerNames(head.record.cells);
      for (const pattern of FINGERPRINTS) {
        const match = { pattern, result: scoreHeader(names, pattern), format, head };
        const known = best.get(pattern.profile);
        if (match.result.matched.length > 0 && isBetter(match, known)) best.set(pattern.profile, match);
      }
      for (const pattern of UNSUPPORTED_SHAPES) {
        const match = { pattern, result: scoreHeader(names, pattern), format, head };
        if (other === null || match.result.score > other.result.score) other = match;
      }
      if (head.record.cells.length > (widest?.head.record.cells.length ?? 0)) widest = { format, head };
    }
  }
  const profiles = [...best.values()].sort((one, two) => two.result.score - one.result.score);
  return { profiles, other, widest };
}

/** A match is better if its score is higher. At equal scores, the usual dialect of the profile is better. */
function isBetter(match: HeaderMatch<Fingerprint>, known: HeaderMatch<Fingerprint> | undefined): boolean {
  if (known === undefined) return true;
  const gain = match.result.score - known.result.score;
  if (gain !== 0) return gain > 0;
  return isOwnDialect(match) && !isOwnDialect(known);
}

/** Only the marketplace writes tab files without quoting. */
function isOwnDialect({ pattern, format }: HeaderMatch<Fingerprint>): boolean {
  return format.delimiter !== '\t' || format.quoting === (pattern.profile !== 'marketplace_listings');
}

function headerNames(cells: readonly string[]): ReadonlySet<string> {
  const names = cells.map((cell) => (cell.length > HEADER_CELL_MAX ? '' : normaliseHeader(cell)));
  const known = new Set(names);
  known.delete('');
  if (hasHandmadeShape(names)) known.add(HANDMADE_SHAPE);
  return known;
}

/** The nearest profile of a file that fits none, and the columns that it lacks. */
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
    score: roundedScore(score),
    matched,
    missing,
    against,
    message:
      `The file is most similar to a ${name}, but ${reason}. Export it again with all columns, or send ` +
      'a file with the columns of the feed contract to POST /api/v1/products/feed-runs.',
  };
}

/** Finds how to read a store platform's inventory export; `null` for any other file. */
export async function findStoreInventory(
  open: OpenFile,
  limits: RecordLimits,
): Promise<Omit<StoreInventoryFile, 'locations'> | null> {
  const sniffed = await sniffEncoding(open());
  if (sniffed.magic !== undefined) return null;
  const { other } = await findHeader(open, sniffed.encoding, limits);
  if (other?.pattern.code !== 'store_platform_inventory' || other.result.score < ACCEPTED_SCORE) return null;
  return { format: other.format, header: other.head.record.cells, header_record: other.head.number };
}
