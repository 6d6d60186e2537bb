import { guardCell } from './formula-guard.ts';

/**
 * The kind of a column. Only `text` cells are guarded against formulas, because a guard would damage an amount such as
 * `-5.00`. Values of other kinds must match a pattern in {@link UNGUARDED}, so no text is written without a guard.
 */
export type CsvColumnKind = 'text' | 'number' | 'decimal' | 'date' | 'boolean';

export type CsvValue = string | number | bigint | boolean | null | undefined;

export interface CsvColumn<Row> {
  readonly name: string;
  readonly kind: CsvColumnKind;
  /** `null` and `undefined` become an empty cell. */
  readonly value: (row: Row) => CsvValue;
}

interface CsvOptions {
  readonly line_end?: '\r\n' | '\n';
  readonly delimiter?: ',' | ';' | '\t' | '|';
}

interface CsvWriter<Row> {
  /** The line of column names. */
  readonly header: string;
  /** One record with its line end. Throws `TypeError` when a value is not of its column's kind. */
  line(row: Row): string;
}

/** `date` covers dates, times and instants in any order of their parts (ISO 8601, dd/mm/yyyy). */
const UNGUARDED: Readonly<Record<Exclude<CsvColumnKind, 'text'>, RegExp>> = {
  number: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/,
  decimal: /^-?\d+(\.\d+)?$/,
  date: /^\d[\d/.:+TZ -]*$/,
  boolean: /^(true|false)$/,
};

/**
 * Writes rows as delimited text (RFC 4180), by default with CRLF, and with quotes only where they are needed.
 * `readRecords` reads the same cells back; `unguardCell` removes the guards of text cells.
 */
export function csvWriter<Row>(columns: readonly CsvColumn<Row>[], options: CsvOptions = {}): CsvWriter<Row> {
  const { line_end = '\r\n', delimiter = ',' } = options;
  const toLine = (cells: readonly string[]): string => {
    // A single empty cell would be a blank line, which readers skip.
    if (cells.length === 1 && cells[0] === '') return `""${line_end}`;
    return cells.join(delimiter) + line_end;
  };
  // A reader would mistake a byte order mark at the start of the first cell for that of the file.
  const needsQuotes = new RegExp(`["\\r\\n\\ufeff${delimiter === '|' ? '\\|' : delimiter}]`);
  const quote = (text: string) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return {
    header: toLine(columns.map((column) => quote(guardCell(column.name)))),
    line: (row) => toLine(columns.map((column) => quote(cellText(column, column.value(row))))),
  };
}

function cellText<Row>({ name, kind }: CsvColumn<Row>, value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  if (kind === 'text') return guardCell(text);
  if (text !== '' && !UNGUARDED[kind].test(text)) throw new TypeError(`Column ${name} takes a ${kind}.`);
  return text;
}
