import Type from 'typebox';
import type { CursorDb, SellerCtx } from '../../../kernel/context.ts';
import type { CsvFile } from '../../../kernel/csv-file.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { StringEnum } from '../../../kernel/schema.ts';
import { startStream } from '../../../platform/http/start-stream.ts';
import { access } from '../../reconciliation/index.ts';

/** Long enough for a hundred thousand lines over a slow line. */
const EXPORT_TIMEOUT_MS = 600_000;
const CSV = 'text/csv; charset=utf-8';
const file = {
  status: 200,
  description: 'The file, as a stream',
  contentTypes: ['text/csv'],
  headers: [
    {
      name: 'Content-Disposition',
      description: 'A name for the file',
      example: 'attachment; filename="payouts.csv"',
    },
    { name: 'X-Row-Count', description: 'Rows of the file, its head not counted', example: '1000' },
  ],
} as const;
/** What the routes of files share. */
export const ofExports = {
  access: { ...access, rate: 'export' },
  tx: 'own',
  cache: 'no-store',
  timeoutMs: EXPORT_TIMEOUT_MS,
  ok: [file],
} as const;
/** The same of files that may come in parts. */
export const ofParts = {
  ...ofExports,
  ok: [
    {
      ...file,
      headers: [
        ...file.headers,
        {
          name: 'X-Part',
          description: 'Which of the parts this is, from 1; only where a file comes in parts',
          example: '1',
        },
        { name: 'X-Part-Count', description: 'How many parts there are', example: '2' },
      ],
    },
  ],
} as const;

export const bom = Type.Optional(
  StringEnum(['0', '1'], { default: '0', description: 'With a byte order mark, for old spreadsheets' }),
);
export const currency = Type.Optional(
  Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; default the seller’s. A file has one' }),
);

/** A part of several has it in its name too: whoever saves the file sees that there is more. */
function headersOf(name: string, { rows, part }: CsvFile): Readonly<Record<string, string>> {
  const suffix = part === undefined || part.of === 1 ? '' : `-part-${part.number}-of-${part.of}`;
  return {
    'content-disposition': `attachment; filename="${name}${suffix}.csv"`,
    'x-row-count': String(rows),
    ...(part && { 'x-part': String(part.number), 'x-part-count': String(part.of) }),
  };
}

/** Answers with a file from one snapshot; what is refused is refused before its first byte. */
export async function csvAnswer(
  ctx: SellerCtx,
  name: string,
  mark: string | undefined,
  prepare: (db: CursorDb) => Promise<CsvFile>,
): Promise<RouteResult> {
  let headers: Readonly<Record<string, string>> = {};
  const stream = ctx.snapshotStream(async function* (db) {
    const file = await prepare(db);
    headers = headersOf(name, file);
    if (mark === '1') yield '\ufeff';
    yield* file.text();
  });
  const data = await startStream(stream);
  return { headers, content: { type: CSV, data } };
}
