/** Row results as CSV: rejected rows as the seller sent them, or the evidence as a table. */
import { csvWriter } from '../../../../kernel/csv-writer.ts';
import { guardCell, unguardCell } from '../../../../kernel/formula-guard.ts';
import type { RecordFormat, TextEncodingName } from '../../../../kernel/readers/records.ts';
import type { SellerCursor } from '../../../../platform/db/table.ts';
import type { Services } from '../../../../platform/services.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { FEED_FORMATS, type FeedContentType } from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import type { FeedRun } from '../../domain/feed-run/run.ts';
import { UNSTATED } from '../../domain/native-feed/map-native-record.ts';
import { nativeObjectMapper } from '../../domain/native-feed/native-object-mapper.ts';
import { type SecondHeader, secondHeaders } from '../../domain/profiles/auction/second-headers.ts';
import { REASON_COLUMNS } from '../../domain/profiles/detection/dialects.ts';
import { columnOfFacts, statesPictures } from '../../domain/profiles/store-platform/variant-facts.ts';
import type { RowMessage } from '../../domain/row.ts';
import { wholeText } from '../../domain/row-codes.ts';
import { type EvidenceFilter, streamEvidence } from '../../store/feed-rows.ts';
import { loadRun } from '../../store/feed-runs.ts';
import type { RunDetection } from './open-rows.ts';
import { readTable } from './read-table.ts';
import { readObjects } from './row-source.ts';

interface Layout {
  readonly header: readonly string[];
  /** What stands in a cell that a row does not have: rows of JSON need not have all of them. */
  readonly missing: string;
  /** The column behind those of the file, for the facts of a row; `[]`: none. */
  readonly facts: readonly string[];
  /** Whether the cells of a row may be those of its parent listing, a `null`, and its own: both become a line. */
  readonly parents: boolean;
  /** Columns of the file that had the reasons of an earlier run. */
  readonly earlierReasons: number;
  readonly line: (cells: readonly string[]) => string;
}

function quoted(delimiter: string): (cell: string) => string {
  return (cell) =>
    cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A spreadsheet does not run a number as a formula, so numbers need no guard. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

const guarded = (cell: string): string => (NUMBER.test(cell) ? cell : guardCell(cell));

/** Writes a row of the native feed with guards against formulas; a feed removes the guards. */
function nativeLine(delimiter: string): Layout['line'] {
  const quote = quoted(delimiter);
  return (cells) => `${cells.map((cell) => quote(guarded(unguardCell(cell)))).join(delimiter)}\r\n`;
}

/** The same for values from JSON, in which an apostrophe is content and not a guard. */
function objectLine(cells: readonly string[]): string {
  const quote = quoted(',');
  return `${cells.map((cell) => quote(guarded(cell))).join(',')}\r\n`;
}

/** Writes a row of an imported file with guards against formulas; an import removes the guards. */
function profileLine({ delimiter, quoting }: RecordFormat): Layout['line'] {
  const quote = quoting ? quoted(delimiter) : (cell: string) => cell;
  return (cells) => `${cells.map((cell) => quote(guarded(cell))).join(delimiter)}\r\n`;
}

/** Findings as one text; each begins with its column. */
const saying = (messages: readonly RowMessage[]): string =>
  messages
    .map((finding) =>
      finding.column === undefined ? wholeText(finding) : `${finding.column}: ${wholeText(finding)}`,
    )
    .join(' | ');

/** Codes and messages of the errors of a row, each in one line without tabs. */
function reasonsOf({ messages }: Evidence): readonly string[] {
  const errors = messages.filter(({ severity }) => severity === 'error');
  return [errors.map(({ code }) => code).join(' '), saying(errors).replace(/\s+/g, ' ')];
}

async function firstRecord(source: AsyncIterable<Buffer>, format: RecordFormat): Promise<readonly string[]> {
  for await (const records of readTable(source, format)) return records[0]?.cells ?? [];
  return [];
}

/** The keys of a JSON feed, in the order in which they first appear. */
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
  // When no row could be read, the text of each row is in the column that every row must have.
  return mapper.columns.length === 0 ? ['seller_sku'] : mapper.columns;
}

async function layoutOf(
  { db }: SellerCursor,
  services: Services,
  run: FeedRun,
  limits: FeedLimits,
  currency: string,
): Promise<Layout> {
  const file = (run.detection as RunDetection | null)?.file;
  if (file !== undefined)
    return {
      header: file.header,
      line: profileLine(file.format),
      missing: '',
      facts:
        'profile' in file && file.profile === 'store_platform_products' ? columnOfFacts(file.header) : [],
      parents: 'profile' in file && file.profile === 'auction_file_exchange',
      earlierReasons: 0,
    };
  const bytes = services.files.read(db, run.file_id ?? '');
  const { delimiter, encoding } = run.source;
  if (delimiter === null)
    return {
      header: await objectColumns(bytes, run, limits, currency),
      line: objectLine,
      missing: UNSTATED,
      facts: [],
      parents: false,
      earlierReasons: 0,
    };
  const format: RecordFormat = {
    encoding: encoding as TextEncodingName,
    delimiter: delimiter as RecordFormat['delimiter'],
    quoting: true,
    limits,
  };
  const header = await firstRecord(bytes, format);
  const again = REASON_COLUMNS.every((name, index) => header[index] === name);
  const earlierReasons = again ? REASON_COLUMNS.length : 0;
  return {
    header: header.slice(earlierReasons),
    line: nativeLine(delimiter),
    missing: '',
    facts: [],
    parents: false,
    earlierReasons,
  };
}

/**
 * Writes the rejected rows under the header of their file, after columns with the reasons, which feeds and imports
 * ignore. The seller corrects the rows and sends the file again.
 */
export async function* rejectedRows(
  at: SellerCursor,
  services: Services,
  run: FeedRun,
  limits: FeedLimits,
  currency: string,
  filter: EvidenceFilter,
): AsyncGenerator<string> {
  // A commit has no file: its rows are those of the preview.
  const source = run.commits_run_id === null ? run : ((await loadRun(at, run.commits_run_id)) ?? run);
  // The file expires with the row results.
  if (source.file_id === null) return;
  const layout = await layoutOf(at, services, source, limits, currency);
  yield layout.line([...REASON_COLUMNS, ...layout.header, ...layout.facts]);
  const sections = sectionsOf(at, services, source, layout);
  for await (const rows of streamEvidence(at, filter)) {
    const lines: string[] = [];
    for (const row of rows) if (row.cells !== null) lines.push(rejectedLines(row, await sections(row)));
    yield lines.join('');
  }
}

/** The layout for a row, and the line of a second header that must stand before it. */
interface Section {
  readonly layout: Layout;
  readonly before: string;
}

/** Rows after a second header that was followed have its columns, so that header comes before the first of them. */
function sectionsOf(
  { db }: SellerCursor,
  services: Services,
  { detection, file_id }: FeedRun,
  first: Layout,
): (row: Evidence) => Promise<Section> {
  const file = (detection as RunDetection | null)?.file;
  if (file === undefined || !('profile' in file)) return async () => ({ layout: first, before: '' });
  const headers = secondHeaders(() => services.files.read(db, file_id ?? ''), file);
  let layout = first;
  let next: IteratorResult<SecondHeader, unknown> | undefined;
  return async ({ line_start }) => {
    const { header } = layout;
    next ??= await headers.next();
    for (; next.done !== true && next.value.line < line_start; next = await headers.next())
      layout = { ...layout, header: next.value.cells };
    const same =
      header.length === layout.header.length && header.every((cell, at) => cell === layout.header[at]);
    return { layout, before: same ? '' : layout.line(['', '', ...layout.header]) };
  };
}

function rejectedLines(row: Evidence, { layout, before }: Section): string {
  const { line, parents, earlierReasons } = layout;
  const cells = (row.cells ?? []).slice(earlierReasons);
  const end = parents ? cells.indexOf(null) : -1;
  const parent = end > 0 ? line(['', '', ...cellsOf(cells.slice(0, end), layout)]) : '';
  return before + parent + line([...reasonsOf(row), ...cellsOf(cells.slice(end + 1), layout)]);
}

/** The cells of a row under the header. A record with more cells than the header keeps its extra cells. */
function cellsOf(cells: readonly (string | null)[], { header, facts, missing }: Layout): readonly string[] {
  const all = cells.map((cell) => cell ?? missing);
  const stated = all.slice(header.length).filter(statesPictures).slice(0, facts.length);
  const own = stated.length === 0 ? all : all.slice(0, header.length);
  // A record with a cell too many has one too many here, too: the cell is none of the facts.
  return [
    ...own,
    ...header.slice(own.length).map(() => missing),
    ...facts.map((_, index) => stated[index] ?? ''),
  ];
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
    value: (row) => saying(row.messages),
  },
  { name: 'changed_fields', kind: 'text', value: (row) => row.changes.map(({ field }) => field).join(' ') },
]);

export async function* evidenceTable(at: SellerCursor, filter: EvidenceFilter): AsyncGenerator<string> {
  yield table.header;
  for await (const rows of streamEvidence(at, filter)) yield rows.map((row) => table.line(row)).join('');
}
