/** Settlements as files, from one snapshot and by the same queries as the reads over the API. */

import type { CsvFile } from '../../../kernel/csv-file.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { DETAIL_COLUMNS } from '../schemas/detail-columns.ts';
import { closingRows, detailRowCount, lineRow, openingRow } from '../schemas/statement-rows.ts';
import { type ClearingShape, clearingColumns, TYPE_COLUMNS } from '../schemas/summary-columns.ts';
import { clearingRows, typeRows } from '../schemas/summary-rows.ts';
import { type LinePosition, type LineRange, type LineRow, rangePage, settledPage } from '../store/lines.ts';
import {
  findSettlement,
  listSettlements,
  type SettlementFilter,
  type SettlementPosition,
  type SettlementRow,
} from '../store/settlements.ts';
import type { SettlementPolicy } from './close-settlements.ts';
import { openSettlements } from './open-settlements.ts';

export type StatementLayout = 'detail' | 'journal' | ClearingShape;

/** A settlement that goes into a file. */
export interface Chosen {
  readonly row: SettlementRow;
  /** The days whose lines an open settlement has. */
  readonly range?: LineRange;
}

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
 * The settlements of a file, the first period first, all in one currency.
 *
 * @param policy how open settlements are computed; absent, they are left out
 */
export async function chooseSettlements(
  at: SellerDb,
  filter: SettlementFilter & { readonly currency: string },
  policy: SettlementPolicy | undefined,
): Promise<Chosen[]> {
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

/** Lines of a settlement, page by page as the list of its entries reads them. */
async function* linesOf(at: SellerDb, { row, range }: Chosen): AsyncGenerator<LineRow[]> {
  let after: LinePosition = {
    row_no: 0,
    posted_on: '-infinity',
    position: 0n,
    running_balance_minor: row.opening_balance_minor,
  };
  for (;;) {
    const page =
      range === undefined
        ? await settledPage(at, row.settlement_id, after, LINES_AT_ONCE)
        : await rangePage(at, range, after, LINES_AT_ONCE);
    const lines = page.slice(0, LINES_AT_ONCE);
    yield lines;
    const last = lines.at(-1);
    if (page.length <= LINES_AT_ONCE || last === undefined) return;
    after = last;
  }
}

/** The layout of single lines. */
function detailFile(at: SellerDb, chosen: readonly Chosen[]): CsvFile {
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
  chosen: readonly Chosen[],
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
export interface StatementOptions {
  readonly layout: StatementLayout;
  /** The operator of the marketplace, for shapes that name the payer. */
  readonly payee: string;
}

/** Settlements in a layout. Only the layout of single lines reads lines; the others use the stored figures. */
export function statementFile(
  at: SellerDb,
  chosen: readonly Chosen[],
  { layout, payee }: StatementOptions,
): CsvFile {
  if (layout === 'detail') return detailFile(at, chosen);
  if (layout === 'journal') return summaryFile(chosen, TYPE_COLUMNS, typeRows);
  return summaryFile(chosen, clearingColumns(layout, payee), clearingRows);
}

/** The closed or open settlement of an id. */
export async function chooseOne(
  at: SellerDb,
  settlementId: string,
  policy: SettlementPolicy,
): Promise<Chosen | undefined> {
  const closed = await findSettlement(at, settlementId);
  if (closed !== undefined) return { row: closed };
  const [open] = await openSettlements(at, policy, settlementId);
  return open;
}
