/**
 * Whether a tab file of the marketplace has been through a spreadsheet, which quotes cells that hold quotes
 * or commas. The marketplace itself never quotes, and a bare `"` (inch marks) proves that it wrote the file.
 * Source: docs/design/feeds-and-imports.md#marketplace-files.
 */
import type { RecordFormat } from '../../../../../kernel/readers/records.ts';
import { type OpenFile, recordsAfterHeader } from './dialects.ts';

/** Records looked at; inch marks stood in one of 70 of the real file. */
const RECORDS = 5_000;

/** A cell in quotes in which every quote is doubled. */
const QUOTED = /^"(?:[^"]|"")*"$/;

export async function isQuotedBySpreadsheet(
  open: OpenFile,
  unquoted: RecordFormat,
  headerRecord: number,
): Promise<boolean> {
  let quoted = 0;
  let seen = 0;
  for await (const batch of recordsAfterHeader(open, unquoted, headerRecord)) {
    for (const { cells } of batch) {
      for (const cell of cells) {
        if (!cell.includes('"')) continue;
        if (!QUOTED.test(cell)) return false;
        quoted += 1;
      }
    }
    seen += batch.length;
    if (seen >= RECORDS) break;
  }
  return quoted > 0;
}
