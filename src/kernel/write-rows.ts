/** Turns batches of rows into the text of a file, one piece for each batch. */
import { type CsvColumn, csvWriter } from './csv-writer.ts';

const EXPORT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

export async function* writeCsv<Row>(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly CsvColumn<Row>[],
): AsyncGenerator<string> {
  const writer = csvWriter(columns);
  // The header goes out with the first rows: if they cannot be read, nothing was sent yet.
  let text = writer.header;
  for await (const rows of batches) {
    for (const row of rows) text += writer.line(row);
    if (text !== '') yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** A JSON array, one object on a line. */
export async function* writeJson<Row>(
  batches: AsyncIterable<readonly Row[]>,
  toObject: (row: Row) => unknown,
): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(toObject(row))).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

export async function* writeJsonLines<Row>(
  batches: AsyncIterable<readonly Row[]>,
  toObject: (row: Row) => unknown,
): AsyncGenerator<string> {
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) text += `${JSON.stringify(toObject(row))}\n`;
    yield text;
  }
}

/** Rows of a table as objects under the names of its columns. */
export function objectsOf<Row>(columns: readonly CsvColumn<Row>[]): (row: Row) => Record<string, unknown> {
  return (row) => Object.fromEntries(columns.map(({ name, value }) => [name, value(row) ?? null]));
}
