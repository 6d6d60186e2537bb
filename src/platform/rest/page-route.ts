/** A list by keyset: filters, cursor and envelope in one place. Source: docs/adr/0020-table-and-resource-kit.md. */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { SellerCtx } from '../../kernel/context.ts';
import { pageOf } from '../../kernel/cursor.ts';
import type { ErrorDef } from '../../kernel/errors.ts';
import type { AnyRoute, ReadonlyDeep, RouteDef, RouteResult, SellerAccess } from '../../kernel/route.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../kernel/schema.ts';
import { defineRoute, type WithServices } from '../http/define-route.ts';

type Ctx = SellerCtx & WithServices;
type Position = readonly (string | number)[];

/** What a page is read by. */
export interface PageRequest<F> {
  readonly filters: F;
  /** Position of the last row of the page before. */
  readonly after: Position | undefined;
  readonly limit: number;
}

export interface PageDef<F extends TProperties, S extends TSchema, Row>
  extends Pick<RouteDef, 'id' | 'path' | 'summary' | 'description' | 'cache' | 'tx'> {
  readonly access: SellerAccess;
  readonly params?: TObject;
  /** Query parameters beside `limit` and `cursor`; the cursor is bound to their values. */
  readonly filters?: F;
  readonly schema: S;
  readonly example: Static<S>;
  readonly errors?: readonly ErrorDef[];
  /** Reads one row more than the limit. */
  readonly read: (
    ctx: Ctx,
    page: PageRequest<Static<TObject<F>>>,
    params: Readonly<Record<string, string>>,
  ) => Promise<readonly Row[]>;
  readonly position: (row: Row) => Position;
  readonly view: (row: Row, ctx: Ctx) => ReadonlyDeep<Static<S>> | Promise<ReadonlyDeep<Static<S>>>;
  /** Fields beside `data` and `page`. */
  readonly more?: {
    readonly properties: TProperties;
    readonly example: Readonly<Record<string, unknown>>;
    readonly read: (ctx: Ctx, filters: Static<TObject<F>>) => Promise<Readonly<Record<string, unknown>>>;
  };
}

/** Declares a list. */
export function pageRoute<const F extends TProperties, S extends TSchema, Row>(
  def: PageDef<F, S, Row>,
): AnyRoute {
  const { filters, schema, example, errors = [], read, position, view, more, params, ...route } = def;
  const envelope = Page(schema, more?.properties ?? {});
  return defineRoute({
    ...route,
    method: 'GET',
    ...(params && { params }),
    query: Type.Object({ ...filters, ...pageQuery }),
    ok: [
      {
        status: 200,
        description: 'One page',
        schema: envelope,
        example: {
          data: [example],
          page: { limit: PAGE_LIMIT_DEFAULT, next_cursor: null, has_more: false },
          ...more?.example,
        },
      },
    ],
    errors,
    handler: async (ctx, request): Promise<RouteResult<never>> => {
      const given = (request.params ?? {}) as Readonly<Record<string, string>>;
      const {
        limit = PAGE_LIMIT_DEFAULT,
        cursor,
        ...rest
      } = request.query as Static<TObject<typeof pageQuery>>;
      const asked = rest as Static<TObject<F>>;
      const scope = { seller_id: ctx.seller_id, route: def.id, filters: { ...given, ...rest } };
      const after = cursor === undefined ? undefined : ctx.services.cursors.decode(scope, cursor);
      const [rows, beside] = await Promise.all([
        read(ctx, { filters: asked, after, limit }, given),
        more?.read(ctx, asked),
      ]);
      const { data, page } = pageOf(rows, limit, (last) =>
        ctx.services.cursors.encode(scope, position(last)),
      );
      const body = { data: await Promise.all(data.map((row) => view(row, ctx))), page, ...beside };
      return { body: body as never };
    },
  });
}
