/**
 * Detects which import profile a file matches and how to read it.
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
import { isQuotedBySpreadsheet, isShiftJisListings, type OpenFile } from './dialects.ts';
import { fileTypeReason } from './file-types.ts';
import { findHeader, type HeaderMatch, type HeaderSearch, nearMiss } from './find-header.ts';
import type { Fingerprint } from './fingerprints.ts';
import { headerWarnings } from './header-warnings.ts';
import { ACCEPTED_SCORE, AMBIGUITY_MARGIN, roundedScore } from './score-header.ts';
import { surveyFile } from './survey.ts';
import { UNSUPPORTED_SHAPES, type UnsupportedShape } from './unsupported-shapes.ts';

interface DetectOptions extends Omit<MapperContext, 'delimiter'> {
  readonly limits: RecordLimits;
}

/**
 * Reads a file several times and detects its profile. The time is linear in the length of the file.
 *
 * @throws the errors of `open`
 */
export async function detectProfile(open: OpenFile, options: DetectOptions): Promise<ProfileDetection> {
  const sniffed = await sniffEncoding(open());
  if (sniffed.magic !== undefined) return unreadable(sniffed.magic);
  const search = await findHeader(open, sniffed.encoding, options.limits);
  const [best, second] = search.profiles;
  const other = await otherShape(open, search, best?.result.score ?? 0);
  if (other !== null) return unsupported(sniffed, search, other);
  if (best === undefined || best.result.score < ACCEPTED_SCORE) return unrecognised(sniffed, search);
  if (second !== undefined && second.result.score >= ACCEPTED_SCORE) {
    if (best.result.score - second.result.score < AMBIGUITY_MARGIN) return ambiguous(sniffed, search);
  }
  return detected(open, sniffed, search, await decideQuoting(open, best), options);
}

/** Decides whether a tab file of the marketplace has quoted cells. It has if a spreadsheet has saved it. */
async function decideQuoting(
  open: OpenFile,
  match: HeaderMatch<Fingerprint>,
): Promise<HeaderMatch<Fingerprint>> {
  const { pattern, format, head } = match;
  if (pattern.profile !== 'marketplace_listings' || format.delimiter !== '\t' || format.quoting) return match;
  const quoted = await isQuotedBySpreadsheet(open, format, head.number);
  return quoted ? { ...match, format: { ...format, quoting: true } } : match;
}

/** Why a file cannot be imported with the stated profile; `null` if it can. */
export function checkStatedProfile(
  stated: ProfileName | 'auto',
  { answer, refusal }: ProfileDetection,
): DetectionRefusal | null {
  if (refusal !== null) return stated === 'auto' ? refusal : { ...refusal, stated, detected: answer.profile };
  if (stated === 'auto' || stated === answer.profile) return null;
  return {
    code: 'profile_mismatch',
    status: 422,
    message: `The file matches the profile ${answer.profile}, not ${stated}. Nothing was imported.`,
    stated,
    detected: answer.profile,
  };
}

/**
 * The kind of a file that cannot be imported; `null` for other files. A kind with personal data counts whenever it
 * matches. Any other kind counts if no profile has a higher score.
 */
async function otherShape(
  open: OpenFile,
  search: HeaderSearch,
  profileScore: number,
): Promise<UnsupportedShape | null> {
  const { other } = search;
  if (other !== null && other.result.score >= ACCEPTED_SCORE) {
    if (other.pattern.personal_data || other.result.score >= profileScore) return other.pattern;
  }
  if (profileScore >= ACCEPTED_SCORE || !(await isShiftJisListings(open))) return null;
  return UNSUPPORTED_SHAPES.find((shape) => shape.code === 'localised_listings') ?? null;
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
    confidence: roundedScore(match.result.score),
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
    candidates: search.profiles.map(({ pattern, result }) => ({
      profile: pattern.profile,
      score: roundedScore(result.score),
    })),
    near_miss: null,
    warnings: encodingWarnings(sniffed),
    sample: [],
  };
}

function encodingWarnings({ guessed, encoding }: SniffedEncoding): readonly DetectWarning[] {
  if (!guessed) return [];
  return [
    { code: 'encoding_guessed', message: `The bytes do not prove the encoding; it was read as ${encoding}.` },
  ];
}

const NO_PROFILE_FITS =
  `The file has no column in common with a known export (${PROFILE_NAMES.join(', ')}). ` +
  'Send a file with the columns of the feed contract to POST /api/v1/products/feed-runs.';

/** The answer for a file that is not imported, with the reason as a warning. */
function refused(
  sniffed: SniffedEncoding,
  search: HeaderSearch,
  { code, status = 422, message }: Omit<DetectionRefusal, 'status'> & { readonly status?: 415 | 422 },
  changes: Partial<DetectAnswer> = {},
  warning: string = code,
): ProfileDetection {
  const answer = commonAnswer(sniffed, search);
  const warnings = [...answer.warnings, { code: warning, message }];
  return { answer: { ...answer, warnings, ...changes }, file: null, refusal: { code, status, message } };
}

function unrecognised(sniffed: SniffedEncoding, search: HeaderSearch): ProfileDetection {
  const near_miss = nearMiss(search);
  const message = near_miss?.message ?? NO_PROFILE_FITS;
  return refused(sniffed, search, { code: 'profile_not_recognised', message }, { near_miss });
}

function ambiguous(sniffed: SniffedEncoding, search: HeaderSearch): ProfileDetection {
  const fitting = search.profiles.filter(({ result }) => result.score >= ACCEPTED_SCORE);
  const profiles = fitting.map(({ pattern }) => pattern.profile).join(' and ');
  const message = `The header matches ${profiles} about equally well, so the file cannot be imported.`;
  return refused(sniffed, search, { code: 'profile_ambiguous', message });
}

/** The answer for a file of a known kind that cannot be imported. */
function unsupported(
  sniffed: SniffedEncoding,
  search: HeaderSearch,
  shape: UnsupportedShape,
): ProfileDetection {
  const code = shape.personal_data ? 'personal_data_refused' : 'shape_not_supported';
  return refused(sniffed, search, { code, message: shape.message }, {}, shape.code);
}

const EMPTY_SEARCH: HeaderSearch = { profiles: [], other: null, widest: null };

/** The answer for a file that is not a text table. */
function unreadable(magic: string): ProfileDetection {
  const sniffed = { encoding: 'utf-8', bom: false, guessed: false } as const;
  const refusal = { code: 'file_type_unsupported', status: 415, message: fileTypeReason(magic) } as const;
  return refused(sniffed, EMPTY_SEARCH, refusal, { encoding: null });
}
