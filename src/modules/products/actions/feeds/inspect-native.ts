/** Inspects a native file before it is stored: its format, its encoding and its header. */
import type { RecordFormat, TextRecord } from '../../../../kernel/readers/records.ts';
import { sniffEncoding } from '../../../../kernel/readers/sniff-encoding.ts';
import { DELIMITERS, FEED_FORMATS, type FeedFormat } from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import {
  LOOKS_LIKE_JSON,
  looksLikeJson,
  mapNativeHeader,
  type NativeFeedOptions,
} from '../../domain/native-feed/map-native-header.ts';
import { fileTypeReason } from '../../domain/profiles/detection/file-types.ts';
import type { RowMessage } from '../../domain/row.ts';
import { hasError } from '../../domain/row-codes.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';
import { readTable } from './read-table.ts';
import type { Upload } from './spool-upload.ts';

interface NativeInspection {
  readonly format: FeedFormat;
  readonly records: RecordFormat | null;
  readonly encoding: string;
  readonly delimiter: string | null;
  /** Warnings about the header. */
  readonly messages: readonly RowMessage[];
}

/** Enough for the longest allowed header in UTF-16, and for some rows. */
const headBytes = (limits: FeedLimits): number => 2 * limits.max_row_bytes + 65_536;

/** The beginning of a file: it limits the cost of reading the header with several delimiters. */
async function* headOf(upload: Upload, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of upload.spool.read()) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** The header and at least one more record, if there is one: the first batch may have only the header. */
async function firstRecords(upload: Upload, format: RecordFormat, limits: FeedLimits): Promise<TextRecord[]> {
  const first: TextRecord[] = [];
  for await (const records of readTable(headOf(upload, headBytes(limits)), format)) {
    first.push(...records);
    if (first.length > 1) break;
  }
  return first;
}

/** Chooses the delimiter with which the most cells of the first record are known columns. */
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

const rejected = (code: string, detail: string, limits: FeedLimits, messages: readonly RowMessage[] = []) =>
  feedFailure(feedErrors.feed_validation_failed, { code, detail, limits, facts: { messages } });

function headerDetail(problem: RowMessage | undefined): string {
  if (problem?.code === 'required_column_missing')
    return `The header row has no \`${problem.column}\` column, which is required.`;
  const column = problem?.column === undefined ? '' : ` Column: ${problem.column}.`;
  return `The header row cannot be used. ${problem?.message ?? ''}${column}`;
}

/**
 * @throws ApiError 415 for a file that is not text, 422 `feed_validation_failed` for an empty file or an unusable header
 */
export async function inspectNative(
  upload: Upload,
  limits: FeedLimits,
  options: NativeFeedOptions,
): Promise<NativeInspection> {
  const format = FEED_FORMATS[upload.contentType];
  if (upload.spool.bytes === 0) throw rejected('no_rows', 'The file is empty.', limits);
  const sniffed = await sniffEncoding(upload.spool.read());
  if (sniffed.magic !== undefined) {
    throw feedFailure(feedErrors.feed_content_type, { detail: fileTypeReason(sniffed.magic) });
  }
  if ((format === 'json' || format === 'ndjson') && sniffed.encoding.startsWith('utf-16')) {
    const detail = 'The file is UTF-16. Save it as UTF-8: JSON requires it (RFC 8259, section 8.1).';
    throw rejected('encoding_invalid', detail, limits);
  }
  if (format === 'json' || format === 'ndjson')
    return { format, records: null, encoding: 'utf-8', delimiter: null, messages: [] };
  const { format: records, records: first } = await chooseFormat(upload, sniffed.encoding, limits, options);
  const header = first[0];
  if (header === undefined) throw rejected('no_rows', 'The file has no rows.', limits);
  const refused = (code: string, detail: string, messages: readonly RowMessage[] = []) =>
    looksLikeJson(header.cells)
      ? rejected(code, LOOKS_LIKE_JSON, limits, messages.slice(0, 1))
      : rejected(code, detail, limits, messages);
  if (header.problem !== undefined)
    throw refused(header.problem.code, `The header row cannot be used. ${header.problem.message}`);
  const { messages } = mapNativeHeader(header.cells, options);
  if (hasError(messages)) {
    const [problem] = messages;
    throw refused(problem?.code ?? 'header_missing', headerDetail(problem), messages);
  }
  // Only the beginning of a longer file was read.
  if (first.length === 1 && upload.spool.bytes <= headBytes(limits))
    throw rejected('no_rows', 'The file has a header but no data rows.', limits);
  return { format, records, encoding: sniffed.encoding, delimiter: records.delimiter, messages };
}
