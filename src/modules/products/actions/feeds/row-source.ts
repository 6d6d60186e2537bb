/** Rows of a stored feed file in batches, in file order. */
import type { JsonLimits, JsonRow } from '../../../../kernel/readers/json-row.ts';
import { readJsonRows } from '../../../../kernel/readers/read-json-rows.ts';
import { readNdjsonRows } from '../../../../kernel/readers/read-ndjson-rows.ts';
import type { ByteSource, RecordFormat, TextRecord } from '../../../../kernel/readers/records.ts';
import type { FeedFormat } from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { mapNativeHeader, type NativeFeedOptions } from '../../domain/native-feed/map-native-header.ts';
import { mapNativeRecord } from '../../domain/native-feed/map-native-record.ts';
import { nativeObjectMapper } from '../../domain/native-feed/native-object-mapper.ts';
import type { FeedRow } from '../../domain/row.ts';
import { readTable } from './read-table.ts';

/** More than a row of flat columns with lists needs; it limits the cost of parsing. */
const JSON_DEPTH_MAX = 8;

const jsonLimits = (limits: FeedLimits): JsonLimits => ({ ...limits, max_depth: JSON_DEPTH_MAX });

interface NativeFile {
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
  for await (const records of readTable(source, format)) {
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

/** Reads the objects of a JSON or NDJSON file. */
export function readObjects(
  source: ByteSource,
  format: FeedFormat,
  limits: FeedLimits,
): AsyncGenerator<JsonRow[]> {
  return (format === 'json' ? readJsonRows : readNdjsonRows)(source, jsonLimits(limits));
}

async function* nativeObjects(source: ByteSource, file: NativeFile): AsyncGenerator<FeedRow[]> {
  const mapper = nativeObjectMapper(file.options);
  for await (const rows of readObjects(source, file.format, file.limits))
    yield rows.map((row) => mapper.mapNativeObject(row));
}

/** Reads the rows of a file in the service's own columns. */
export function nativeRows(source: ByteSource, file: NativeFile): AsyncGenerator<FeedRow[]> {
  return file.records === null
    ? nativeObjects(source, file)
    : nativeRecords(source, file.records, file.options);
}
