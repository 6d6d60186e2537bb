/** What the routes of CSV files share. */
import Type from 'typebox';
import type { CsvFile } from '../../../kernel/csv-file.ts';
import type { HeaderDoc } from '../../../kernel/route.ts';
import { StringEnum } from '../../../kernel/schema.ts';
import type { OpenFile } from '../../../platform/rest/file-route.ts';

export const bom = Type.Optional(
  StringEnum(['0', '1'], { default: '0', description: 'With a byte order mark, for old spreadsheets' }),
);
export const currency = Type.Optional(
  Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; default the seller’s. A file has one' }),
);

export const ROW_COUNT: HeaderDoc = {
  name: 'X-Row-Count',
  description: 'Rows of the file, its head not counted',
  example: '1000',
};
/** Headers of files that may come in parts. */
export const PARTS: readonly HeaderDoc[] = [
  {
    name: 'X-Part',
    description: 'Which of the parts this is, from 1; only where a file comes in parts',
    example: '1',
  },
  { name: 'X-Part-Count', description: 'How many parts there are', example: '2' },
];

/**
 * A CSV file as its route sends it. The name of a part says that there are more.
 *
 * @param mark `1`: with a byte order mark
 */
export function openCsv(name: string, mark: string | undefined, { rows, part, text }: CsvFile): OpenFile {
  const suffix = part === undefined || part.of === 1 ? '' : `-part-${part.number}-of-${part.of}`;
  async function* marked(): AsyncGenerator<string> {
    if (mark === '1') yield '\ufeff';
    yield* text();
  }
  return {
    name: `${name}${suffix}`,
    text: marked(),
    headers: {
      'x-row-count': String(rows),
      ...(part && { 'x-part': String(part.number), 'x-part-count': String(part.of) }),
    },
  };
}
