/** Row results as a file: rejected rows as they were sent, or the evidence as a table. */
import type { CursorDb } from '../../../../kernel/context.ts';
import { csvWriter } from '../../../../kernel/csv-writer.ts';
import { guardCell, unguardCell } from '../../../../kernel/formula-guard.ts';
import type { RecordFormat, TextEncodingName } from '../../../../kernel/readers/records.ts';
import type { Services } from '../../../../platform/services.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { FEED_FORMATS, type FeedContentType } from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import type { FeedRun } from '../../domain/feed-run/run.ts';
import { nativeObjectMapper } from '../../domain/native-feed/native-object-mapper.ts';
import { type EvidenceFilter, streamEvidence } from '../../store/feed-rows.ts';
import { loadRun } from '../../store/feed-runs.ts';
import { currentCells, NO_CELL } from './current-cells.ts';
import type { RunDetection } from './open-rows.ts';
import { readObjects } from './row-source.ts';
import { tableRecords } from './table-records.ts';

interface Layout {
  readonly header: readonly string[];
  /** Rows of JSON, whose missing cells are filled from the catalogue. */
  readonly objects: boolean;
  readonly line: (cells: readonly string[]) => string;
}

function quoted(delimiter: string): (cell: string) => string {
  return (cell) =>
    cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A number cannot run as a formula, so it is written as it was sent. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

const guarded = (cell: string): string => (NUMBER.test(cell) ? cell : guardCell(cell));

/** The service's own columns, guarded against formulas; reading removes the guard. */
function nativeLine(delimiter: string): Layout['line'] {
  const quote = quoted(delimiter);
  return (cells) => `${cells.map((cell) => quote(guarded(unguardCell(cell)))).join(delimiter)}\r\n`;
}

/** The same for texts from JSON, where an apostrophe is content and no guard. */
function objectLine(cells: readonly string[]): string {
  const quote = quoted(',');
  return `${cells.map((cell) => quote(guarded(cell))).join(',')}\r\n`;
}

/** Another platform's columns, as they were sent. */
function profileLine({ delimiter, quoting }: RecordFormat): Layout['line'] {
  const quote = quoting ? quoted(delimiter) : (cell: string) => cell;
  return (cells) => `${cells.map(quote).join(delimiter)}\r\n`;
}

async function firstRecord(source: AsyncIterable<Buffer>, format: RecordFormat): Promise<readonly string[]> {
  for await (const records of tableRecords(source, format)) return records[0]?.cells ?? [];
  return [];
}

/** Keys of a JSON feed in the order of their first rows. */
async function objectColumns(
  source: AsyncIterable<Buffer>,
  run: FeedRun,
  limits: FeedLimits,
  currency: string,
): Promise<readonly string[]> {
  const mapper = nativeObjectMapper({ mode: run.mode, currency });
  const format = FEED_FORMATS[run.source.content_type as FeedContentType];
  for await (const rows of readObjects(source, format, limits))
    for (const row of rows) mapper.mapNativeObject(row);
  // When no row could be read, their texts are in the column that every row must have.
  return mapper.columns.length === 0 ? ['seller_sku'] : mapper.columns;
}

async function layoutOf(
  db: CursorDb,
  services: Services,
  run: FeedRun,
  limits: FeedLimits,
  currency: string,
): Promise<Layout> {
  const file = (run.detection as RunDetection | null)?.file;
  if (file !== undefined) return { header: file.header, line: profileLine(file.format), objects: false };
  const bytes = services.files.read(db, run.file_id ?? '');
  const { delimiter, encoding } = run.source;
  if (delimiter === null)
    return { header: await objectColumns(bytes, run, limits, currency), line: objectLine, objects: true };
  const format: RecordFormat = {
    encoding: encoding as TextEncodingName,
    delimiter: delimiter as RecordFormat['delimiter'],
    quoting: true,
    limits,
  };
  return { header: await firstRecord(bytes, format), line: nativeLine(delimiter), objects: false };
}

/**
 * The rejected rows under the header of their file, to be corrected and fed back. The row results hold the reasons.
 */
export async function* rejectedRows(
  db: CursorDb,
  services: Services,
  run: FeedRun,
  limits: FeedLimits,
  currency: string,
  filter: EvidenceFilter,
): AsyncGenerator<string> {
  // A committed preview has no file of its own: its rows are those of the preview.
  const source = run.commits_run_id === null ? run : ((await loadRun(db, run.commits_run_id)) ?? run);
  // The file is kept as long as the row results.
  if (source.file_id === null) return;
  const { header, line, objects } = await layoutOf(db, services, source, limits, currency);
  yield line(header);
  for await (const rows of streamEvidence(db, filter)) {
    const current = objects ? await currentCells(db, header, rows) : NO_CELL;
    yield rows
      .map((row) => {
        const { cells } = row;
        if (cells === null) return '';
        // A record with more cells than the header keeps all of them.
        const own = cells.map((cell, column) => cell ?? current(row, column));
        return line([
          ...own,
          ...header.slice(own.length).map((_, index) => current(row, own.length + index)),
        ]);
      })
      .join('');
  }
}

const table = csvWriter<Evidence>([
  { name: 'row_number', kind: 'number', value: (row) => row.row_number },
  { name: 'line_start', kind: 'number', value: (row) => row.line_start },
  { name: 'line_end', kind: 'number', value: (row) => row.line_end },
  { name: 'seller_sku', kind: 'text', value: (row) => row.seller_sku },
  { name: 'product_id', kind: 'text', value: (row) => row.product_id },
  { name: 'outcome', kind: 'text', value: (row) => row.outcome },
  { name: 'codes', kind: 'text', value: (row) => row.messages.map(({ code }) => code).join(' ') },
  {
    name: 'messages',
    kind: 'text',
    value: (row) =>
      row.messages
        .map(({ column, message }) => (column === undefined ? message : `${column}: ${message}`))
        .join(' | '),
  },
  { name: 'changed_fields', kind: 'text', value: (row) => row.changes.map(({ field }) => field).join(' ') },
]);

export async function* evidenceTable(db: CursorDb, filter: EvidenceFilter): AsyncGenerator<string> {
  yield table.header;
  for await (const rows of streamEvidence(db, filter)) yield rows.map((row) => table.line(row)).join('');
}
