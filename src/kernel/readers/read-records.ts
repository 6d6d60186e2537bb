import type { ByteSource, RecordFormat, TextRecord } from './records.ts';
import { RecordScanner } from './text/record-scanner.ts';
import { utf16ToUtf8 } from './text/utf16.ts';
import { withoutBom } from './text/without-bom.ts';

/** Bytes of one step; a batch can be yielded after each step. */
const PIECE_BYTES = 64 * 1024;

/**
 * Reads delimited text (CSV, TSV, …) as batches of at most 1,000 records, streaming.
 *
 * - Line ends are LF, CRLF and CR, mixed at will; blank lines are no records; a byte order mark is no text.
 * - Quotes by RFC 4180 when `format.quoting`; see `record-grammar.ts` for what malformed quotes mean.
 * - For all inputs the time is linear in the file and the memory is bounded by the row limit: a record that breaks a
 *   limit, is not text in the encoding or has wrong quotes is ONE record with a `problem`, with its cells cut to the
 *   limits, and reading continues after it. A quote that is never closed takes the rest of the file into its record:
 *   content of a quoted cell is never read as rows (docs/adr/0002).
 * - NUL and other control characters are data here; whether a field accepts them is the field's rule.
 *
 * Errors of `source` pass through; the reader itself throws none. Leaving the loop early closes `source`.
 */
export async function* readRecords(source: ByteSource, format: RecordFormat): AsyncGenerator<TextRecord[]> {
  const { encoding } = format;
  const scanner = new RecordScanner(format);
  const utf16 = encoding === 'utf-16le' || encoding === 'utf-16be';
  const bytes = utf16 ? utf16ToUtf8(source, encoding) : source;
  for await (const chunk of encoding === 'windows-1252' ? bytes : withoutBom(bytes)) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      scanner.push(chunk.subarray(at, at + PIECE_BYTES));
      while (scanner.scan()) yield scanner.take();
    }
  }
  scanner.finish();
  const last = scanner.take();
  if (last.length > 0) yield last;
}
