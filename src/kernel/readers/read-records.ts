import type { ByteSource, RecordFormat, TextRecord } from './records.ts';
import { readBatches } from './text/batch.ts';
import { RecordScanner } from './text/record-scanner.ts';
import { utf16ToUtf8 } from './text/utf16.ts';
import { withoutBom } from './text/without-bom.ts';

/**
 * Reads delimited text (CSV, TSV, …) in batches of at most 1,000 records. It streams: for all inputs the time is linear
 * in the file, and the row limit bounds the memory.
 *
 * - Lines may end in LF, CRLF and CR, even in one file. Blank lines and a byte order mark are skipped.
 * - If `format.quoting` is set, quotes have the meaning of RFC 4180; see `record-grammar.ts` for malformed quotes.
 * - A record that breaks a limit, is not text in the encoding or has misplaced quotes has a `problem`, and its cells are
 *   cut to the limits. Reading continues after it.
 * - If a quote is not closed, the rest of the file belongs to its record, because the content of a quoted cell is never
 *   read as rows (docs/adr/0002).
 * - NUL and other control characters are data here. Each field has its own rule for them.
 *
 * If the caller leaves the loop early, `source` is closed.
 *
 * @throws the errors of `source`, and no others
 */
export function readRecords(source: ByteSource, format: RecordFormat): AsyncGenerator<TextRecord[]> {
  const { encoding } = format;
  const utf16 = encoding === 'utf-16le' || encoding === 'utf-16be';
  const bytes = utf16 ? utf16ToUtf8(source, encoding) : source;
  const text = encoding === 'windows-1252' ? bytes : withoutBom(bytes);
  return readBatches(text, new RecordScanner(format));
}
