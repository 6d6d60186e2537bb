/** The ways in which a file may be cut into cells, and the first records under each of them. */
import { readRecords } from '../../../../../kernel/readers/read-records.ts';
import type {
  ByteSource,
  RecordFormat,
  RecordLimits,
  TextEncodingName,
  TextRecord,
} from '../../../../../kernel/readers/records.ts';
import { isBlankRecord, isInfoLine } from '../cell.ts';

/** Opens the file anew; detection reads it several times. */
export type OpenFile = () => ByteSource;

/** Records among which the header is looked for, blank and information lines not counted. */
const HEAD_RECORDS = 20;
/** Records that are read at most to find them. */
const HEAD_RECORDS_READ = 400;

const DIALECTS: readonly Pick<RecordFormat, 'delimiter' | 'quoting'>[] = [
  { delimiter: ',', quoting: true },
  { delimiter: ';', quoting: true },
  // The marketplace's tab files have no quoting; other files keep theirs when saved with tabs.
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
      const passed = record.problem !== undefined || isBlankRecord(record.cells) || isInfoLine(record.cells);
      if (!passed) head.push({ record, number });
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
