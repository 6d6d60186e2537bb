/**
 * Detects which import profile a file matches and how it is to be read.
 * Source: docs/design/feeds-and-imports.md#detection.
 */
import type { RecordLimits } from '../../../../../kernel/readers/records.ts';
import { type SniffedEncoding, sniffEncoding } from '../../../../../kernel/readers/sniff-encoding.ts';
import { cleanCell, normaliseHeader } from '../cell.ts';
import { type MapperContext, PROFILE_NAMES, type ProfileChoices, type ProfileName } from '../profile.ts';
import { PROFILES } from '../profiles.ts';
import type {
  DetectAnswer,
  DetectedFile,
  DetectionRefusal,
  DetectWarning,
  ProfileDetection,
} from './answer.ts';
import type { OpenFile } from './dialects.ts';
import { fileTypeReason } from './file-types.ts';
import { findHeader, type HeaderMatch, type HeaderSearch } from './find-header.ts';
import type { Fingerprint } from './fingerprints.ts';
import { headerWarnings } from './header-warnings.ts';
import { isShiftJisListings } from './japanese.ts';
import { nearMiss } from './near-miss.ts';
import { OTHER_SHAPES, type OtherShape } from './other-shapes.ts';
import { ACCEPTED_SCORE, AMBIGUITY_MARGIN } from './score-header.ts';
import { surveyFile } from './survey.ts';
import { isQuotedBySpreadsheet } from './tab-quoting.ts';

export interface DetectOptions extends Omit<MapperContext, 'delimiter'> {
  readonly limits: RecordLimits;
}

/**
 * Reads a file as often as needed and says what it is. Time is linear in the file, memory bounded by the row
 * limit; nothing is stored.
 *
 * @param open opens the file's bytes anew; errors of the source pass through
 */
export async function detectProfile(open: OpenFile, options: DetectOptions): Promise<ProfileDetection> {
  const sniffed = await sniffEncoding(open());
  if (sniffed.magic !== undefined) return unreadable(sniffed.magic);
  const search = await findHeader(open, sniffed.encoding, options.limits);
  const [best, second] = search.profiles;
  const other = await otherShape(open, search, best?.result.score ?? 0);
  if (other !== null) return recognisedOnly(sniffed, search, other);
  if (best === undefined || best.result.score < ACCEPTED_SCORE) return unrecognised(sniffed, search);
  if (second !== undefined && second.result.score >= ACCEPTED_SCORE) {
    if (best.result.score - second.result.score < AMBIGUITY_MARGIN) return ambiguous(sniffed, search);
  }
  return detected(open, sniffed, search, await settleQuoting(open, best), options);
}

/** A tab file of the marketplace that a spreadsheet saved again is read with quotes. */
async function settleQuoting(
  open: OpenFile,
  match: HeaderMatch<Fingerprint>,
): Promise<HeaderMatch<Fingerprint>> {
  const { pattern, format, head } = match;
  if (pattern.profile !== 'marketplace_listings' || format.delimiter !== '\t' || format.quoting) return match;
  const quoted = await isQuotedBySpreadsheet(open, format, head.number);
  return quoted ? { ...match, format: { ...format, quoting: true } } : match;
}

/** Compares what an import was told with what the file is; `null` when the import may go on. */
export function checkStatedProfile(
  stated: ProfileName | 'auto',
  { answer, refusal }: ProfileDetection,
): DetectionRefusal | null {
  if (refusal !== null) return stated === 'auto' ? refusal : { ...refusal, stated, detected: answer.profile };
  if (stated === 'auto' || stated === answer.profile) return null;
  return {
    code: 'profile_mismatch',
    status: 422,
    message: `The file is of the profile ${answer.profile}, not ${stated}; nothing was read.`,
    stated,
    detected: answer.profile,
  };
}

/** A shape that is not imported wins over a profile that fits no better; personal data always win. */
async function otherShape(
  open: OpenFile,
  search: HeaderSearch,
  profileScore: number,
): Promise<OtherShape | null> {
  const { other } = search;
  if (other !== null && other.result.score >= ACCEPTED_SCORE) {
    if (other.pattern.personal_data || other.result.score >= profileScore) return other.pattern;
  }
  if (profileScore >= ACCEPTED_SCORE || !(await isShiftJisListings(open))) return null;
  return OTHER_SHAPES.find((shape) => shape.code === 'localised_listings') ?? null;
}

async function detected(
  open: OpenFile,
  sniffed: SniffedEncoding,
  search: HeaderSearch,
  match: HeaderMatch<Fingerprint>,
  options: DetectOptions,
): Promise<ProfileDetection> {
  const { profile } = match.pattern;
  const header = match.head.record.cells;
  const generation = PROFILES[profile].generation(header);
  const survey = await surveyFile(open, match, options);
  const answer: DetectAnswer = {
    ...commonAnswer(sniffed, search),
    profile,
    generation,
    confidence: round(match.result.score),
    delimiter: match.format.delimiter,
    header_row: match.head.number,
    rows: survey.rows,
    currency: survey.currency,
    columns: columnsOf(profile, header),
    warnings: [
      ...encodingWarnings(sniffed),
      ...headerWarnings(profile, header, options),
      ...survey.stop.map(({ code, message, rows }) => ({ code, message, rows })),
      ...survey.findings.filter(({ code }) => survey.stop.every((finding) => finding.code !== code)),
    ],
    sample: survey.sample,
  };
  const file: DetectedFile = {
    profile,
    generation,
    format: match.format,
    header,
    header_record: match.head.number,
    update_only: PROFILES[profile].updateOnly(header),
    choices: choicesOf(options),
    stop: survey.stop,
  };
  return { answer, file, refusal: null };
}

function choicesOf({ on_second_header, handmade_identity }: DetectOptions): ProfileChoices {
  return {
    ...(on_second_header === undefined ? {} : { on_second_header }),
    ...(handmade_identity === undefined ? {} : { handmade_identity }),
  };
}

function columnsOf(profile: ProfileName, header: readonly string[]): DetectAnswer['columns'] {
  const { knows, expected } = PROFILES[profile];
  const named = header.map(cleanCell).filter((cell) => cell !== '');
  const names = new Set(header.map(normaliseHeader));
  const generationIsLocal = profile === 'handmade_listings' && !names.has('title');
  return {
    matched: named.filter((cell) => knows(cell, header)),
    missing: generationIsLocal
      ? []
      : expected.flatMap((spellings) =>
          spellings.some((name) => names.has(name.toLowerCase())) ? [] : [spellings[0] ?? ''],
        ),
    unknown: named.filter((cell) => !knows(cell, header)),
  };
}

function commonAnswer(sniffed: SniffedEncoding, search: HeaderSearch): DetectAnswer {
  return {
    profile: null,
    generation: null,
    confidence: 0,
    encoding: sniffed.encoding,
    delimiter: search.widest?.format.delimiter ?? null,
    header_row: null,
    rows: null,
    currency: null,
    columns: { matched: [], missing: [], unknown: [] },
    candidates: candidatesOf(search),
    near_miss: null,
    warnings: encodingWarnings(sniffed),
    sample: [],
  };
}

function candidatesOf(search: HeaderSearch): DetectAnswer['candidates'] {
  return search.profiles.map(({ pattern, result }) => ({
    profile: pattern.profile,
    score: round(result.score),
  }));
}

function encodingWarnings({ guessed, encoding }: SniffedEncoding): readonly DetectWarning[] {
  if (!guessed) return [];
  return [
    { code: 'encoding_guessed', message: `The bytes do not prove the encoding; it was read as ${encoding}.` },
  ];
}

/** A file that nothing fits: the nearest profile and what it misses. */
function unrecognised(sniffed: SniffedEncoding, search: HeaderSearch): ProfileDetection {
  const near = nearMiss(search);
  const message = near?.message ?? NOTHING_FITS;
  const answer = commonAnswer(sniffed, search);
  const warning = { code: 'profile_not_recognised', message };
  return {
    answer: { ...answer, near_miss: near, warnings: [...answer.warnings, warning] },
    file: null,
    refusal: { code: 'profile_not_recognised', status: 422, message },
  };
}

const NOTHING_FITS =
  `The file has no column in common with a known export (${PROFILE_NAMES.join(', ')}). ` +
  'A file of your own making goes to the feed, POST /api/v1/products/feed-runs.';

function ambiguous(sniffed: SniffedEncoding, search: HeaderSearch): ProfileDetection {
  const fitting = search.profiles.filter(({ result }) => result.score >= ACCEPTED_SCORE);
  const names = fitting.map(({ pattern }) => pattern.profile).join(' and ');
  const message = `The header fits ${names} about equally well; nothing is imported on a guess.`;
  const answer = commonAnswer(sniffed, search);
  return {
    answer: { ...answer, warnings: [...answer.warnings, { code: 'profile_ambiguous', message }] },
    file: null,
    refusal: { code: 'profile_ambiguous', status: 422, message },
  };
}

/** A shape that is known and not imported; of a file with personal data nothing is shown. */
function recognisedOnly(sniffed: SniffedEncoding, search: HeaderSearch, shape: OtherShape): ProfileDetection {
  const answer = commonAnswer(sniffed, search);
  const { code, message, personal_data } = shape;
  return {
    answer: { ...answer, warnings: [...answer.warnings, { code, message }] },
    file: null,
    refusal: { code: personal_data ? 'personal_data_refused' : 'shape_not_supported', status: 422, message },
  };
}

function unreadable(magic: string): ProfileDetection {
  const message = fileTypeReason(magic);
  const nothing: HeaderSearch = { profiles: [], other: null, widest: null };
  const answer = commonAnswer({ encoding: 'utf-8', bom: false, guessed: false }, nothing);
  return {
    answer: { ...answer, encoding: null, warnings: [{ code: 'file_type_unsupported', message }] },
    file: null,
    refusal: { code: 'file_type_unsupported', status: 415, message },
  };
}

function round(score: number): number {
  return Math.round(score * 100) / 100;
}
