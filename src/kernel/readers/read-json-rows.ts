import type { JsonLimits, JsonRow } from './json-row.ts';
import type { ByteSource } from './records.ts';
import { JsonRowScanner } from './text/json-row-scanner.ts';
import { withoutBom } from './text/without-bom.ts';

/** A batch can be yielded after each piece of this size. */
const PIECE_BYTES = 64 * 1024;

/**
 * Reads the rows of a JSON feed, `[row, …]` or `{"rows": [row, …]}`, in batches of at most 1,000. It streams: the time is
 * linear, and the row limit bounds the memory for values of any size and depth. Members other than `rows` are checked and
 * skipped. A row that breaks a limit or is not an object has a `problem`. The file must be UTF-8 (RFC 8259 section 8.1);
 * a byte order mark is skipped.
 *
 * The rows before an error have already been yielded, so the caller must not apply any before the end.
 *
 * @throws FeedFileError `json_invalid` with the line, if the file is not JSON of this form or has text after its end
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
