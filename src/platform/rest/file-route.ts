/** Declares routes that export a list as a file: CSV, JSON or JSON lines, from one snapshot. */
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { CursorDb } from '../../kernel/context.ts';
import type { ErrorDef } from '../../kernel/errors.ts';
import type { AnyRoute, HeaderDoc, OkResponse, RouteDef, SellerAccess } from '../../kernel/route.ts';
import { StringEnum } from '../../kernel/schema.ts';
import { EXPORT_TYPES, type ExportFormat } from '../../kernel/write-rows.ts';
import { defineRoute } from '../http/define-route.ts';
import { startStream } from '../http/start-stream.ts';
import type { HandlerCtx } from '../services.ts';
import { listsChanges, RESUME_HEADER, type ReadResume, resumeHeader } from './resume-since.ts';

/** Long enough for the largest file over a slow line. */
const FILE_TIMEOUT_MS = 600_000;

/** A file whose first row has not been read yet. */
export interface OpenFile {
  /** The name of the file without its ending. */
  readonly name: string;
  /** The text piece by piece. */
  readonly text: AsyncGenerator<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FileDef<Q extends TProperties>
  extends Pick<RouteDef, 'id' | 'path' | 'summary' | 'description' | 'cache'> {
  /** Access of the list. Files have a rate limit of their own. */
  readonly access: SellerAccess;
  readonly params?: TObject;
  readonly query?: Q;
  /** The first format is the default. With more than one, the query has a parameter `format`. */
  readonly formats: readonly [ExportFormat, ...ExportFormat[]];
  /** An example of the file in the first format. */
  readonly example?: string;
  /** Schemas and examples by content type. */
  readonly media?: OkResponse['media'];
  readonly headers?: readonly HeaderDoc[];
  readonly errors?: readonly ErrorDef[];
  /** For files with the filter `updated_since`: from when the next one must read. Default: what requests may take. */
  readonly resume?: ReadResume;
  /** Opens the file. It runs before the first byte is sent, so it can refuse with a status. */
  readonly open: (
    ctx: HandlerCtx,
    db: CursorDb,
    asked: {
      readonly query: Static<TObject<Q>>;
      readonly params: Readonly<Record<string, string>>;
      readonly format: ExportFormat;
    },
  ) => OpenFile | Promise<OpenFile>;
}

const FILE_NAME: HeaderDoc = {
  name: 'Content-Disposition',
  description: 'A name for the file',
  example: 'attachment; filename="export.csv"',
};

/** Declares a file. */
export function fileRoute<const Q extends TProperties>(def: FileDef<Q>): AnyRoute {
  const {
    access,
    query,
    formats,
    headers = [],
    errors = [],
    resume,
    open,
    params,
    example,
    media,
    ...route
  } = def;
  const [first] = formats;
  const format = Type.Optional(StringEnum(formats, { default: first, description: 'Format of the file' }));
  return defineRoute({
    ...route,
    method: 'GET',
    access: { ...access, rate: 'export' },
    ...(params && { params }),
    query: Type.Object({ ...query, ...(formats.length > 1 && { format }) }),
    tx: 'own',
    timeoutMs: FILE_TIMEOUT_MS,
    ok: [
      {
        status: 200,
        description: 'The file, as a stream',
        contentTypes: formats.map((name) => EXPORT_TYPES[name].split(';', 1)[0] ?? ''),
        headers: [FILE_NAME, ...headers, ...(listsChanges(query) ? [RESUME_HEADER] : [])],
        ...(example === undefined ? {} : { example }),
        ...(media === undefined ? {} : { media }),
      },
    ],
    errors,
    handler: async (ctx, request) => {
      const { format: asked = first, ...rest } = request.query as { readonly format?: ExportFormat };
      let opened: Record<string, string> = {};
      const stream = ctx.snapshotStream(async function* (db) {
        const file = await open(ctx, db, {
          query: rest as Static<TObject<Q>>,
          params: (request.params ?? {}) as Readonly<Record<string, string>>,
          format: asked,
        });
        const disposition = `attachment; filename="${file.name}.${asked}"`;
        opened = {
          'content-disposition': disposition,
          ...file.headers,
          ...(await resumeHeader(ctx.in(db), rest, resume)),
        };
        yield* file.text;
      });
      const data = await startStream(stream);
      return { headers: opened, content: { type: EXPORT_TYPES[asked], data } };
    },
  });
}
