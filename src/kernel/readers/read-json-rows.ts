import type { JsonLimits, JsonRow } from './json-row.ts';
import type { ByteSource } from './records.ts';
import { readBatches } from './text/batch.ts';
import { JsonRowScanner } from './text/json-row-scanner.ts';
import { withoutBom } from './text/without-bom.ts';

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
export const readJsonRows = (source: ByteSource, limits: JsonLimits): AsyncGenerator<JsonRow[]> =>
  readBatches(withoutBom(source), new JsonRowScanner(limits));
