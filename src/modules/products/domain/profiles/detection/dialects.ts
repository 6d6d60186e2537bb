/** The ways in which a file may be split into cells, and the first records under each of them. */
import { readRecords } from '../../../../../kernel/readers/read-records.ts';
import type {
  ByteSource,
  RecordFormat,
  RecordLimits,
  TextEncodingName,
  TextRecord,
} from '../../../../../kernel/readers/records.ts';
import { isBlankRecord, isInfoLine } from '../cell.ts';

/** Opens the file from its beginning; detection reads it several times. */
export type OpenFile = () => ByteSource;

/** The header is one of the first records; blank and information lines do not count. */
const HEAD_RECORDS = 20;
const HEAD_RECORDS_READ = 400;

const DIALECTS: readonly Pick<RecordFormat, 'delimiter' | 'quoting'>[] = [
  { delimiter: ',', quoting: true },
  { delimiter: ';', quoting: true },
  // The marketplace writes tab files without quoting; other programs quote in tab files too.
  { delimiter: '\t', quoting: false },
  { delimiter: '\t', quoting: true },
  { delimiter: '|', quoting: true },
];

export function candidateFormats(encoding: TextEncodingName, limits: RecordLimits): readonly RecordFormat[] {
  return DIALECTS.map((dialect) => ({ ...dialect, encoding, limits }));
}

export interface HeadRecord {
  readonly record: TextRecord;
  /** Number among all records of the file, from 1. */
  readonly number: number;
}

/** The first records that may be a header. */
export async function readHead(open: OpenFile, format: RecordFormat): Promise<readonly HeadRecord[]> {
  const head: HeadRecord[] = [];
  let number = 0;
  for await (const batch of readRecords(open(), format)) {
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
  for await (const batch of readRecords(open(), format)) {
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

/** Inch marks stood in one of 70 records of a real file. */
const QUOTING_RECORDS = 5_000;
/** A cell in quotes in which every quote is doubled. */
const QUOTED = /^"(?:[^"]|"")*"$/;

/**
 * Whether a spreadsheet has saved a tab file of the marketplace and quoted its cells. The marketplace itself never
 * quotes, so a bare `"` proves that it wrote the file.
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
