import type { JsonLimits, JsonRow } from './json-row.ts';
import type { ByteSource } from './records.ts';
import { JsonRowScanner } from './text/json-row-scanner.ts';
import { withoutBom } from './text/without-bom.ts';

/** Bytes looked at between two chances to hand on a batch. */
const PIECE_BYTES = 64 * 1024;

/**
 * Reads the rows of a JSON feed, `[row, …]` or `{"rows": [row, …]}`, as batches of at most 1,000, streaming:
 * linear time, and memory bounded by the row limit however large or deep a value is. Members beside `rows` are
 * checked and skipped. A row that breaks a limit or is not an object comes with a `problem`.
 *
 * Throws `FeedFileError` `json_invalid` with the line when the file is not JSON of that shape, including text
 * behind its end; rows before the error have been handed on by then, so nothing may be applied before the end.
 * UTF-8 only (RFC 8259 section 8.1); a byte order mark is skipped.
 */
export async function* readJsonRows(source: ByteSource, limits: JsonLimits): AsyncGenerator<JsonRow[]> {
  const scanner = new JsonRowScanner(limits);
  for await (const chunk of withoutBom(source)) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      scanner.push(chunk.subarray(at, at + PIECE_BYTES));
      while (scanner.scan()) yield scanner.take();
    }
  }
  scanner.finish();
  const last = scanner.take();
  if (last.length > 0) yield last;
}
