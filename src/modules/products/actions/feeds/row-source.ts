/** Rows of a stored feed file, whatever its format, as batches in file order. */
import type { JsonLimits } from '../../../../kernel/json-row.ts';
import { readJsonRows } from '../../../../kernel/read-json-rows.ts';
import { readNdjsonRows } from '../../../../kernel/read-ndjson-rows.ts';
import { readRecords } from '../../../../kernel/read-records.ts';
import type { ByteSource, RecordFormat, TextRecord } from '../../../../kernel/records.ts';
import type { FeedFormat } from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { mapNativeHeader, type NativeFeedOptions } from '../../domain/native-feed/map-native-header.ts';
import { mapNativeRecord } from '../../domain/native-feed/map-native-record.ts';
import { nativeObjectMapper } from '../../domain/native-feed/native-object-mapper.ts';
import type { ProfileMapper } from '../../domain/profiles/profile.ts';
import type { FeedRow } from '../../domain/row.ts';

/** Deeper than any row of flat columns with lists; bounds what parsing can cost. */
const JSON_DEPTH_MAX = 8;

export const jsonLimits = (limits: FeedLimits): JsonLimits => ({ ...limits, max_depth: JSON_DEPTH_MAX });

export interface NativeFile {
  readonly format: FeedFormat;
  /** Delimited formats only. */
  readonly records: RecordFormat | null;
  readonly limits: FeedLimits;
  readonly options: NativeFeedOptions;
}

async function* nativeRecords(
  source: ByteSource,
  format: RecordFormat,
  options: NativeFeedOptions,
): AsyncGenerator<FeedRow[]> {
  let header: ReturnType<typeof mapNativeHeader> | undefined;
  let row = 0;
  for await (const records of readRecords(source, format)) {
    let data: readonly TextRecord[] = records;
    if (header === undefined) {
      header = mapNativeHeader(records[0]?.cells ?? [], options);
      data = records.slice(1);
    }
    const known = header;
    yield data.map((record) => {
      row += 1;
      return mapNativeRecord(known, record, row);
    });
  }
}

async function* nativeObjects(source: ByteSource, file: NativeFile): AsyncGenerator<FeedRow[]> {
  const mapper = nativeObjectMapper(file.options);
  const read = file.format === 'json' ? readJsonRows : readNdjsonRows;
  for await (const rows of read(source, jsonLimits(file.limits)))
    yield rows.map((row) => mapper.mapNativeObject(row));
}

/** Rows of a file in the service's own columns. */
export function nativeRows(source: ByteSource, file: NativeFile): AsyncGenerator<FeedRow[]> {
  return file.records === null
    ? nativeObjects(source, file)
    : nativeRecords(source, file.records, file.options);
}

export interface ProfileFile {
  readonly records: RecordFormat;
  /** Index of the header among the file's records. */
  readonly headerIndex: number;
  readonly mapper: ProfileMapper;
}

/** Rows of another platform's export. */
export async function* profileRows(source: ByteSource, file: ProfileFile): AsyncGenerator<FeedRow[]> {
  let seen = 0;
  for await (const records of readRecords(source, file.records)) {
    const data = records.slice(Math.max(0, file.headerIndex + 1 - seen));
    seen += records.length;
    const rows = data.flatMap((record) => file.mapper.push(record));
    if (rows.length > 0) yield rows;
  }
  const last = file.mapper.end();
  if (last.length > 0) yield last;
}
