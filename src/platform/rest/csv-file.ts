/** Common code for the routes of CSV files. */
import Type from 'typebox';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import type { CsvFile } from '../../kernel/csv-file.ts';
import type { HeaderDoc } from '../../kernel/route.ts';
import { CurrencyCode, StringEnum } from '../../kernel/schema.ts';
import type { OpenFile } from './file-route.ts';

export const bom = Type.Optional(
  StringEnum(['0', '1'], { default: '0', description: 'With a byte order mark, for old spreadsheets' }),
);
export const currency = Type.Optional(
  CurrencyCode({ description: 'Currency of the file, ISO 4217; defaults to the seller’s' }),
);

export const ROW_COUNT: HeaderDoc = {
  name: 'X-Row-Count',
  description: 'Rows of the file without the header',
  example: '1000',
};
/** The headers of an answer that may be one part of a file. */
export const PARTS: readonly HeaderDoc[] = [
  {
    name: 'X-Part',
    description: 'Number of this file, from 1; only if the lines are split into files',
    example: '1',
  },
  { name: 'X-Part-Count', description: 'Number of files', example: '2' },
];

/**
 * The name of a file: what it is about, and the Sydney days that were asked for, else the day on which it was made.
 *
 * @param now milliseconds
 */
export function nameOfDays(
  about: string,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
): string {
  if (from === undefined && to === undefined) return `${about}-${sydneyDate(now)}`;
  return [about, from ?? 'until', to ?? 'on'].join('-');
}

/** The text of a file, with a byte order mark before it where it is asked for. */
export async function* withMark(
  mark: string | undefined,
  text: AsyncIterable<string>,
): AsyncGenerator<string> {
  if (mark === '1') yield '\ufeff';
  yield* text;
}

/**
 * The answer with a CSV file. The file name of a part has its number.
 *
 * @param mark `1` adds a byte order mark
 */
export function openCsv(name: string, mark: string | undefined, { rows, part, text }: CsvFile): OpenFile {
  const suffix = part === undefined || part.of === 1 ? '' : `-part-${part.number}-of-${part.of}`;
  return {
    name: `${name}${suffix}`,
    text: withMark(mark, text()),
    headers: {
      'x-row-count': String(rows),
      ...(part && { 'x-part': String(part.number), 'x-part-count': String(part.of) }),
    },
  };
}
