import { readRecords } from '../../../../kernel/readers/read-records.ts';
import type { ByteSource, RecordFormat, TextRecord } from '../../../../kernel/readers/records.ts';
import { isSeparatorLine } from '../../domain/native-feed/separator-line.ts';

/** Records of a native table from its header on, without a line that states the delimiter for spreadsheets. */
export async function* tableRecords(source: ByteSource, format: RecordFormat): AsyncGenerator<TextRecord[]> {
  let begun = false;
  for await (const records of readRecords(source, format)) {
    const told = !begun && isSeparatorLine(records[0]?.cells ?? []);
    begun = true;
    if (!told) yield records;
    else if (records.length > 1) yield records.slice(1);
  }
}
