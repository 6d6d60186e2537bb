/**
 * Declares lists that page by keyset, with filters, cursor and envelope. Source:
 * docs/adr/0020-table-and-resource-kit.md.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { type CsvColumn, csvWriter } from '../../kernel/csv-writer.ts';
import { type CursorScope, pageOf } from '../../kernel/cursor.ts';
import { type ErrorDef, invalid } from '../../kernel/errors.ts';
import { JSON_TYPE, withFields } from '../../kernel/ready-json.ts';
import type {
  AnyRoute,
  OkResponse,
  ReadonlyDeep,
  RouteDef,
  RouteResult,
  SellerAccess,
} from '../../kernel/route.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery, StringEnum } from '../../kernel/schema.ts';
import { EXPORT_TYPES, writeCsv } from '../../kernel/write-rows.ts';
import { pagesOf } from '../db/pages-of.ts';
import { defineRoute } from '../http/define-route.ts';
import { startStream } from '../http/start-stream.ts';
import type { HandlerCtx } from '../services.ts';
import {
  listsChanges,
  RESUME_HEADER,
  type ReadResume,
  ResumeSince,
  resumeHeader,
  resumeOf,
} from './resume-since.ts';

type Position = readonly (string | number)[];

/** What the reader of a page gets. */
interface PageRequest<F> {
  readonly filters: F;
  /** Position of the last row of the page before. */
  readonly after: Position | undefined;
  readonly limit: number;
}

interface PageDef<F extends TProperties, S extends TSchema, Row>
  extends Pick<RouteDef, 'id' | 'path' | 'summary' | 'description' | 'cache' | 'tx'> {
  readonly access: SellerAccess;
  readonly params?: TObject;
  /** Query parameters besides `limit` and `cursor`; the cursor is bound to their values. */
  readonly filters?: F;
  readonly schema: S;
  readonly example: Static<S>;
  readonly errors?: readonly ErrorDef[];
  /** Reads one row more than the limit. */
  readonly read: (
    ctx: HandlerCtx,
    page: PageRequest<Static<TObject<F>>>,
    params: Readonly<Record<string, string>>,
  ) => Promise<readonly Row[]>;
  readonly position: (row: Row) => Position;
  /** Names the columns of the position, if a later release may choose others. A cursor is valid for this name only. */
  readonly order?: string;
  readonly view: (row: Row, ctx: HandlerCtx) => ReadonlyDeep<Static<S>> | Promise<ReadonlyDeep<Static<S>>>;
  /** The row, if it is JSON already. Then `view` is for the file only. */
  readonly json?: (row: Row) => string;
  /** Makes the fields beside `data` and `page`. What does not wait for the rows is read together with them. */
  readonly more?: {
    readonly properties: TProperties;
    readonly example: Readonly<Record<string, unknown>>;
    readonly read: (
      ctx: HandlerCtx,
      filters: Static<TObject<F>>,
      rows: Promise<readonly Row[]>,
    ) => Promise<Readonly<Record<string, unknown>>>;
  };
  /** For lists with the filter `updated_since`: from when the next list must read. Default: what requests may take. */
  readonly resume?: ReadResume;
  /** With it the list has a parameter `format`. `csv` answers with all rows as a file, from one snapshot. */
  readonly csv?: {
    /** Of the file, without the day and the ending. */
    readonly name: string;
    readonly columns: readonly CsvColumn<ReadonlyDeep<Static<S>>>[];
  };
}

/** Of a list that may be read as a file. */
export const ListFormat = StringEnum(['json', 'csv'], {
  title: 'ListFormat',
  default: 'json',
  description: '`csv`: all rows as a file',
});

/** The page of examples. */
export const PAGE_EXAMPLE = { limit: PAGE_LIMIT_DEFAULT, next_cursor: null, has_more: false };

/**
 * Reads one page and makes the cursor of the next one.
 *
 * @param list the route and what its cursors are bound to
 * @param read reads one row more than the limit
 * @throws ApiError 422 at `query.cursor` for a cursor of another list
 */
export async function readPage<Row>(
  ctx: HandlerCtx,
  list: Omit<CursorScope, 'seller_id'>,
  { limit = PAGE_LIMIT_DEFAULT, cursor }: Static<TObject<typeof pageQuery>>,
  read: (after: Position | undefined, limit: number) => Promise<readonly Row[]>,
  position: (row: Row) => Position,
) {
  const { cursors } = ctx.services;
  const scope = { seller_id: ctx.seller_id, ...list };
  const after = cursor === undefined ? undefined : cursors.decode(scope, cursor);
  return pageOf(await read(after, limit), limit, (last) => cursors.encode(scope, position(last)));
}

function fileExample<S extends TSchema>(
  { columns }: NonNullable<PageDef<never, S, never>['csv']>,
  example: Static<S>,
): string {
  const writer = csvWriter(columns);
  return writer.header + writer.line(example as ReadonlyDeep<Static<S>>);
}

/** All rows of a list as a file, from one snapshot. @throws ApiError 422 for a cursor */
async function fileOf<F extends TProperties, S extends TSchema, Row>(
  ctx: HandlerCtx,
  { read, position, view, resume }: Pick<PageDef<F, S, Row>, 'read' | 'position' | 'view' | 'resume'>,
  { name, columns }: NonNullable<PageDef<F, S, Row>['csv']>,
  filters: Static<TObject<F>>,
  params: Readonly<Record<string, string>>,
  cursor: string | undefined,
): Promise<RouteResult<never>> {
  if (cursor !== undefined) {
    const msg = 'A CSV file has all rows. Remove the cursor.';
    throw invalid([{ loc: ['query', 'cursor'], msg, type: 'extra_forbidden' }]);
  }
  let resumes: Record<string, string> = {};
  const stream = ctx.snapshotStream(async function* (db) {
    const own = ctx.in(db);
    resumes = await resumeHeader(own, filters, resume);
    const pages = pagesOf<Row, Position>(
      (after, limit) => read(own, { filters, after, limit }, params),
      position,
    );
    async function* shown() {
      for await (const rows of pages) yield await Promise.all(rows.map((row) => view(row, own)));
    }
    yield* writeCsv(shown(), columns);
  });
  const file = `${name}-${sydneyDate(ctx.now())}.csv`;
  const data = await startStream(stream);
  return {
    headers: {
      'content-disposition': `attachment; filename="${file}"`,
      ...resumes,
    },
    content: { type: EXPORT_TYPES.csv, data },
  };
}

/** @param resumes whether the list has the filter `updated_since` */
function answerOf<F extends TProperties, S extends TSchema, Row>(
  { schema, example, more, csv }: PageDef<F, S, Row>,
  resumes: boolean,
): OkResponse {
  return {
    status: 200,
    description: csv === undefined ? 'One page' : 'One page, or a CSV file',
    schema: Page(schema, { ...more?.properties, ...(resumes && { resume_since: ResumeSince }) }),
    example: {
      data: [example],
      page: PAGE_EXAMPLE,
      ...more?.example,
      ...(resumes && { resume_since: null }),
    },
    ...(csv && {
      contentTypes: ['text/csv'],
      ...(resumes && { headers: [RESUME_HEADER] }),
      media: { 'text/csv': { example: fileExample(csv, example) } },
    }),
  };
}

/** Declares a list. */
export function pageRoute<const F extends TProperties, S extends TSchema, Row>(
  def: PageDef<F, S, Row>,
): AnyRoute {
  const {
    filters,
    schema: _schema,
    example: _example,
    errors = [],
    read,
    position,
    order,
    view,
    json,
    more,
    resume,
    params,
    csv,
    ...route
  } = def;
  const resumes = listsChanges(filters);
  return defineRoute({
    ...route,
    method: 'GET',
    ...(params && { params }),
    query: Type.Object({ ...filters, ...(csv && { format: Type.Optional(ListFormat) }), ...pageQuery }),
    ok: [answerOf(def, resumes)],
    errors,
    handler: async (ctx, request): Promise<RouteResult<never>> => {
      const given = (request.params ?? {}) as Readonly<Record<string, string>>;
      const query = request.query as Static<TObject<typeof pageQuery>> & { readonly format?: string };
      const { limit: _, cursor, format: wanted, ...rest } = query;
      const asked = rest as Static<TObject<F>>;
      if (csv !== undefined && wanted === 'csv') return fileOf(ctx, def, csv, asked, given, cursor);
      const list = order === undefined ? def.id : `${def.id} by ${order}`;
      const reading = readPage(
        ctx,
        { route: list, filters: { ...given, ...rest } },
        query,
        (after, limit) => read(ctx, { filters: asked, after, limit }, given),
        position,
      );
      const found = reading.then(({ data }) => data);
      // Who does not wait for the rows does not see that they failed.
      found.catch(() => undefined);
      const [{ data: rows, page }, own, resume_since] = await Promise.all([
        reading,
        more?.read(ctx, asked, found),
        resumeOf(ctx, asked, resume),
      ]);
      const others = { ...own, ...(resumes && { resume_since }) };
      if (json !== undefined) {
        const data = `{"data":[${rows.map(json).join(',')}]}`;
        return { content: { type: JSON_TYPE, data: withFields(data, { page, ...others }) } };
      }
      const data = await Promise.all(rows.map((row) => view(row, ctx)));
      const body = { data, page, ...others };
      return { body: body as never };
    },
  });
}
