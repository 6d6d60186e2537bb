/** Inspects a native file before it is stored: its format, its encoding and its header. */
import type { RecordFormat, TextRecord } from '../../../../kernel/readers/records.ts';
import { sniffEncoding } from '../../../../kernel/readers/sniff-encoding.ts';
import { DELIMITERS, FEED_FORMATS, type FeedFormat } from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { mapNativeHeader, type NativeFeedOptions } from '../../domain/native-feed/map-native-header.ts';
import type { RowMessage } from '../../domain/row.ts';
import { hasError } from '../../domain/row-codes.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';
import type { Upload } from './receive-upload.ts';
import { tableRecords } from './table-records.ts';

export interface NativeInspection {
  readonly format: FeedFormat;
  readonly records: RecordFormat | null;
  readonly encoding: string;
  readonly delimiter: string | null;
  /** Warnings about the header. */
  readonly messages: readonly RowMessage[];
}

/** A header of the longest allowed row, in UTF-16 too, and the first rows. */
const headBytes = (limits: FeedLimits): number => 2 * limits.max_row_bytes + 65_536;

/** The beginning of a file, which bounds the cost of several attempts to read its header. */
async function* headOf(upload: Upload, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of upload.spool.read()) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** The header and at least one more record, if there is one: the first batch may hold the header alone. */
async function firstRecords(upload: Upload, format: RecordFormat, limits: FeedLimits): Promise<TextRecord[]> {
  const first: TextRecord[] = [];
  for await (const records of tableRecords(headOf(upload, headBytes(limits)), format)) {
    first.push(...records);
    if (first.length > 1) break;
  }
  return first;
}

/** The delimiter under which most cells of the first record are known columns. */
async function chooseFormat(
  upload: Upload,
  encoding: RecordFormat['encoding'],
  limits: FeedLimits,
  options: NativeFeedOptions,
) {
  const delimiters = FEED_FORMATS[upload.contentType] === 'tsv' ? (['\t'] as const) : DELIMITERS;
  let best: { format: RecordFormat; records: TextRecord[]; known: number } | undefined;
  for (const delimiter of delimiters) {
    const format: RecordFormat = { encoding, delimiter, quoting: true, limits };
    const records = await firstRecords(upload, format, limits);
    const known = mapNativeHeader(records[0]?.cells ?? [], options).columns.filter(
      (column) => column !== null,
    ).length;
    if (best === undefined || known > best.known) best = { format, records, known };
  }
  return best as NonNullable<typeof best>;
}

const refuse = (code: string, detail: string, limits: FeedLimits, messages: readonly RowMessage[] = []) =>
  feedFailure(feedErrors.feed_validation_failed, { code, detail, limits, facts: { messages } });

/** Hints for formats that people send by mistake. */
const MAGIC_HINTS: Readonly<Record<string, string>> = {
  gzip: 'The file is gzip; send it with Content-Encoding: gzip.',
  zip: 'The file is a zip archive or a workbook (xlsx); save it as CSV and send that.',
  pdf: 'The file is a PDF; send CSV, TSV, JSON or NDJSON.',
  html: 'The file is a web page; send CSV, TSV, JSON or NDJSON.',
};

/**
 * Inspects a native upload.
 *
 * @throws ApiError 415 for what is no text, 422 `feed_validation_failed` for an empty file or an unusable header
 */
export async function inspectNative(
  upload: Upload,
  limits: FeedLimits,
  options: NativeFeedOptions,
): Promise<NativeInspection> {
  const format = FEED_FORMATS[upload.contentType];
  if (upload.spool.bytes === 0) throw refuse('no_rows', 'The file is empty.', limits);
  const sniffed = await sniffEncoding(upload.spool.read());
  if (sniffed.magic !== undefined) {
    throw feedFailure(feedErrors.feed_content_type, {
      detail: MAGIC_HINTS[sniffed.magic] ?? `The file is ${sniffed.magic}, which feeds do not take.`,
    });
  }
  if ((format === 'json' || format === 'ndjson') && sniffed.encoding.startsWith('utf-16')) {
    const detail = 'The file is UTF-16. JSON is exchanged in UTF-8 (RFC 8259, section 8.1): save it so.';
    throw refuse('encoding_invalid', detail, limits);
  }
  if (format === 'json' || format === 'ndjson')
    return { format, records: null, encoding: 'utf-8', delimiter: null, messages: [] };
  const { format: records, records: first } = await chooseFormat(upload, sniffed.encoding, limits, options);
  const head = first[0];
  if (head === undefined) throw refuse('no_rows', 'The file holds no rows.', limits);
  if (head.problem !== undefined)
    throw refuse(head.problem.code, `The header row cannot be used: ${head.problem.message}`, limits);
  const { messages } = mapNativeHeader(head.cells, options);
  if (hasError(messages)) {
    const problem = messages.find(({ severity }) => severity === 'error');
    throw refuse(
      problem?.code ?? 'header_missing',
      `The header row cannot be used: ${problem?.message ?? ''} ${problem?.column ?? ''}`.trim(),
      limits,
      messages,
    );
  }
  // Of a longer file only the beginning was read.
  if (first.length === 1 && upload.spool.bytes <= headBytes(limits))
    throw refuse('no_rows', 'The file has a header but no data rows.', limits);
  return { format, records, encoding: sniffed.encoding, delimiter: records.delimiter, messages };
}
