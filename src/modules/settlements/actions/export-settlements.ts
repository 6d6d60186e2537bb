/** Settlements as files. They are read from one snapshot, with the queries of the other routes. */

import type { CsvFile } from '../../../kernel/csv-file.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { DETAIL_COLUMNS } from '../schemas/detail-columns.ts';
import { closingRows, detailRowCount, lineRow, openingRow } from '../schemas/statement-rows.ts';
import { type ClearingShape, clearingColumns, TYPE_COLUMNS } from '../schemas/summary-columns.ts';
import { clearingRows, typeRows } from '../schemas/summary-rows.ts';
import type { LineRow } from '../store/lines.ts';
import {
  listSettlements,
  type SettlementFilter,
  type SettlementPosition,
  type SettlementRow,
} from '../store/settlements.ts';
import type { SettlementPolicy } from './close-settlements.ts';
import { openSettlements } from './open-settlements.ts';
import { type Found, linesAfter } from './read-settlements.ts';

export type StatementLayout = 'detail' | 'journal' | ClearingShape;

const SETTLEMENTS_AT_ONCE = 200;
const LINES_AT_ONCE = 1_000;

async function closedSettlements(at: SellerDb, filter: SettlementFilter): Promise<SettlementRow[]> {
  const all: SettlementRow[] = [];
  let after: SettlementPosition | undefined;
  for (;;) {
    const page = await listSettlements(at, filter, after, SETTLEMENTS_AT_ONCE);
    all.push(...page.slice(0, SETTLEMENTS_AT_ONCE));
    const last = all.at(-1);
    if (page.length <= SETTLEMENTS_AT_ONCE || last === undefined) return all;
    after = [last.period_end, last.settlement_id];
  }
}

/**
 * The settlements of a file, in one currency, the first period first.
 *
 * @param policy how open settlements are computed. Without it they are left out.
 */
export async function chooseSettlements(
  at: SellerDb,
  filter: SettlementFilter & { readonly currency: string },
  policy: SettlementPolicy | undefined,
): Promise<Found[]> {
  const closed = (await closedSettlements(at, filter)).reverse();
  const open = policy === undefined ? [] : await openSettlements(at, policy);
  const wanted = open.filter(
    ({ row }) =>
      row.currency === filter.currency &&
      (filter.from === undefined || row.period_end >= filter.from) &&
      (filter.to === undefined || row.period_start <= filter.to),
  );
  return [...closed.map((row) => ({ row })), ...wanted];
}

/** The lines of a settlement, read in pages as the list of its entries does. */
async function* linesOf(at: SellerDb, found: Found): AsyncGenerator<LineRow[]> {
  for (let after: LineRow | undefined; ; ) {
    const page = await linesAfter(at, found, after, LINES_AT_ONCE);
    const lines = page.slice(0, LINES_AT_ONCE);
    yield lines;
    after = lines.at(-1);
    if (page.length <= LINES_AT_ONCE) return;
  }
}

/** The layout of single lines. */
function detailFile(at: SellerDb, chosen: readonly Found[]): CsvFile {
  const writer = csvWriter(DETAIL_COLUMNS);
  async function* text(): AsyncGenerator<string> {
    yield writer.header;
    for (const one of chosen) {
      yield writer.line(openingRow(one.row));
      for await (const lines of linesOf(at, one))
        yield lines.map((line) => writer.line(lineRow(one.row, line))).join('');
      yield closingRows(one.row).map(writer.line).join('');
    }
  }
  const rows = chosen.reduce((sum, { row }) => sum + detailRowCount(row), 0);
  return { rows, text };
}

function summaryFile<Row>(
  chosen: readonly Found[],
  columns: readonly CsvColumn<Row>[],
  rowsOf: (settlement: SettlementRow) => readonly Row[],
): CsvFile {
  const writer = csvWriter(columns);
  const rows = chosen.flatMap(({ row }) => rowsOf(row));
  return {
    rows: rows.length,
    async *text() {
      yield writer.header + rows.map((row) => writer.line(row)).join('');
    },
  };
}

/** How a file is laid out. */
interface StatementOptions {
  readonly layout: StatementLayout;
  /** The name of the operator, for layouts of programs that need the payer. */
  readonly payee: string;
}

/** The file of settlements in a layout. Only the layout of single lines reads lines; others use the stored figures. */
export function statementFile(
  at: SellerDb,
  chosen: readonly Found[],
  { layout, payee }: StatementOptions,
): CsvFile {
  if (layout === 'detail') return detailFile(at, chosen);
  if (layout === 'journal') return summaryFile(chosen, TYPE_COLUMNS, typeRows);
  return summaryFile(chosen, clearingColumns(layout, payee), clearingRows);
}
