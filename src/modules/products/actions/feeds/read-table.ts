import { readRecords } from '../../../../kernel/readers/read-records.ts';
import type { ByteSource, RecordFormat, TextRecord } from '../../../../kernel/readers/records.ts';
import { isSeparatorLine } from '../../domain/native-feed/separator-line.ts';

/** Reads the records of a native table. It skips a first line such as `sep=;`, which names the delimiter for spreadsheets. */
export async function* readTable(source: ByteSource, format: RecordFormat): AsyncGenerator<TextRecord[]> {
  let started = false;
  for await (const records of readRecords(source, format)) {
    const isSeparator = !started && isSeparatorLine(records[0]?.cells ?? []);
    started = true;
    if (!isSeparator) yield records;
    else if (records.length > 1) yield records.slice(1);
  }
}
