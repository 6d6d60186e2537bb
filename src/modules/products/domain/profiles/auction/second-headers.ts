/** Finds the header rows among the data of an auction-site file, as the mapper does. */
import { isInfoLine } from '../cell.ts';
import type { DetectedFile } from '../detection/answer.ts';
import { type OpenFile, recordsAfterHeader } from '../detection/dialects.ts';
import { isAuctionHeaderRow } from './columns.ts';

export interface SecondHeader {
  /** The first physical line of the record. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The headers under which the rows after them are read; none unless the seller chose `remap`. */
export async function* secondHeaders(open: OpenFile, file: DetectedFile): AsyncGenerator<SecondHeader> {
  if (file.profile !== 'auction_file_exchange' || file.choices.on_second_header !== 'remap') return;
  for await (const records of recordsAfterHeader(open, file.format, file.header_record))
    for (const { problem, cells, line_start: line } of records)
      if (problem === undefined && !isInfoLine(cells) && isAuctionHeaderRow(cells)) yield { line, cells };
}
