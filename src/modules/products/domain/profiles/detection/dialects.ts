/** Reads the records of a file, and lists the ways in which a file can be split into cells. */
import { unguardCell } from '../../../../../kernel/formula-guard.ts';
import { readRecords } from '../../../../../kernel/readers/read-records.ts';
import type {
  ByteSource,
  RecordFormat,
  RecordLimits,
  TextEncodingName,
  TextRecord,
} from '../../../../../kernel/readers/records.ts';
import { isBlankRecord, isInfoLine } from '../cell.ts';

/** Opens the file at its beginning. Detection reads it several times. */
export type OpenFile = () => ByteSource;

/** The header must be one of the first 20 records, not counting blank and information lines. */
const HEAD_RECORDS = 20;
const HEAD_RECORDS_READ = 400;

const DIALECTS: readonly Pick<RecordFormat, 'delimiter' | 'quoting'>[] = [
  { delimiter: ',', quoting: true },
  { delimiter: ';', quoting: true },
  // The marketplace writes tab files without quotes. Other programs write quotes in tab files too.
  { delimiter: '\t', quoting: false },
  { delimiter: '\t', quoting: true },
  { delimiter: '|', quoting: true },
];

export function candidateFormats(encoding: TextEncodingName, limits: RecordLimits): readonly RecordFormat[] {
  return DIALECTS.map((dialect) => ({ ...dialect, encoding, limits }));
}

export interface HeaderCandidate {
  readonly record: TextRecord;
  /** The number of the record in the file, from 1. */
  readonly number: number;
}

/** Columns that the service writes before the columns of a file of rejected rows. */
export const REASON_COLUMNS = ['_codes', '_messages'] as const;

/**
 * Reads the records of a file. If the service has written it as a file of rejected rows, the columns of reasons and the
 * guards of formulas are removed.
 */
async function* readFile(open: OpenFile, format: RecordFormat): AsyncGenerator<readonly TextRecord[]> {
  let hasReasons: boolean | undefined;
  for await (const batch of readRecords(open(), format)) {
    hasReasons ??= REASON_COLUMNS.every((name, index) => batch[0]?.cells[index] === name);
    yield hasReasons ? batch.map(withoutReasons) : batch;
  }
}

const withoutReasons = (record: TextRecord): TextRecord => ({
  ...record,
  cells: record.cells.slice(REASON_COLUMNS.length).map(unguardCell),
});

/** The first records that may be a header. */
export async function readHeaderCandidates(
  open: OpenFile,
  format: RecordFormat,
): Promise<readonly HeaderCandidate[]> {
  const head: HeaderCandidate[] = [];
  let number = 0;
  for await (const batch of readFile(open, format)) {
    for (const record of batch) {
      number += 1;
      const skipped = record.problem !== undefined || isBlankRecord(record.cells) || isInfoLine(record.cells);
      if (!skipped) head.push({ record, number });
      if (head.length >= HEAD_RECORDS || number >= HEAD_RECORDS_READ) return head;
    }
  }
  return head;
}

/** The records after the header, in batches. */
export async function* recordsAfterHeader(
  open: OpenFile,
  format: RecordFormat,
  headerRecord: number,
): AsyncGenerator<readonly TextRecord[]> {
  let skip = headerRecord;
  for await (const batch of readFile(open, format)) {
    const rest = batch.slice(skip);
    skip = Math.max(0, skip - batch.length);
    if (rest.length > 0) yield rest;
  }
}

/** 出品者SKU ("seller SKU") in Shift JIS, which no encoding of the feeds can read. */
const SHIFT_JIS_SKU = Buffer.from('8f6f95698ed2534b55', 'hex');
const HEADER_BYTES = 4_096;

/** Whether the bytes are a listings report with Japanese columns. */
export async function isShiftJisListings(open: OpenFile): Promise<boolean> {
  for await (const chunk of open()) return chunk.subarray(0, HEADER_BYTES).includes(SHIFT_JIS_SKU);
  return false;
}

/** Enough records to meet a bare quote: in a real file one of 70 records has an inch mark. */
const QUOTING_RECORDS = 5_000;
/** A cell in quotes, in which each inner quote is doubled. */
const QUOTED = /^"(?:[^"]|"")*"$/;

/**
 * Whether a spreadsheet has saved a tab file of the marketplace and quoted its cells. The marketplace never quotes
 * cells, so a bare `"` proves that the marketplace wrote the file.
 */
export async function isQuotedBySpreadsheet(
  open: OpenFile,
  unquoted: RecordFormat,
  headerRecord: number,
): Promise<boolean> {
  let quoted = 0;
  let seen = 0;
  for await (const batch of recordsAfterHeader(open, unquoted, headerRecord)) {
    for (const cell of batch.flatMap(({ cells }) => cells)) {
      if (!cell.includes('"')) continue;
      if (!QUOTED.test(cell)) return false;
      quoted += 1;
    }
    seen += batch.length;
    if (seen >= QUOTING_RECORDS) break;
  }
  return quoted > 0;
}
