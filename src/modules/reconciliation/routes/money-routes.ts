/** Makes the routes with figures of money. They have the same access, transaction, account and source of figures. */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import type { AnyRoute, ReadonlyDeep, RouteDef, RouteResult } from '../../../kernel/route.ts';
import { Page, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { PAGE_EXAMPLE, readPage } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import { type AccountScope, describeFigures, describeList } from '../actions/describe-figures.ts';
import {
  currencyQuery,
  listMetadata,
  listMetadataExample,
  metadata,
  metadataExample,
} from '../schemas/metadata.ts';

/** Every plan has financial reads and exports (docs/design/wire.md#plans). */
export const access = reads('finance');
/** The routes read one snapshot of the ledger, and clients must not cache the answers. */
export const figures = { tx: 'snapshot', cache: 'no-store' } as const;

/** The seller's account whose figures are read, in the currency of the query or else of the seller. */
export async function accountScope(ctx: HandlerCtx, currency: string | undefined): Promise<AccountScope> {
  const { db, seller_id } = ctx;
  // The first statement of the snapshot also reads the seller's standing, which has the currency.
  const position = await ledgerPosition(db, seller_id);
  return { db, seller_id, currency: currency ?? (await ctx.standing()).currency, position, now: ctx.now() };
}

type Named = Pick<RouteDef, 'id' | 'path' | 'summary' | 'description' | 'timeoutMs'>;
type Asked = Readonly<Record<string, unknown>> & { readonly currency?: string };

interface AccountRouteDef<Q extends TProperties, S extends TSchema> extends Named {
  /** Query parameters beside the currency. */
  readonly query?: Q;
  /** The description of the answer. */
  readonly answer: string;
  readonly schema: S;
  readonly example: Static<S>;
  readonly read: (
    of: AccountScope,
    query: Static<TObject<Q>>,
    ctx: HandlerCtx,
  ) => Promise<ReadonlyDeep<Static<S>>>;
}

/** Declares figures of one account. */
export function accountRoute<const Q extends TProperties, S extends TSchema>(
  def: AccountRouteDef<Q, S>,
): AnyRoute {
  const { query, answer, schema, example, read, ...route } = def;
  return defineRoute({
    ...route,
    method: 'GET',
    access,
    ...figures,
    query: Type.Object({ ...query, ...currencyQuery }),
    ok: okJson(answer, schema, example),
    errors: [],
    handler: async (ctx, request): Promise<RouteResult<never>> => {
      const { currency, ...asked } = request.query as Asked;
      const of = await accountScope(ctx, currency);
      return { body: (await read(of, asked as Static<TObject<Q>>, ctx)) as never };
    },
  });
}

interface AccountListDef<F extends TProperties, S extends TSchema, Row, A> extends Named {
  /** The name and the version of the definition of the figures. */
  readonly contract: string;
  /** Query parameters beside the currency and the page. */
  readonly filters: F;
  readonly schema: S;
  readonly example: Static<S>;
  /** Fields beside those of every account. */
  readonly more?: { readonly properties: TProperties; readonly example: object };
  /**
   * The filters to which the cursor is bound, with their present defaults.
   *
   * @throws ApiError 422
   */
  readonly accept: (filters: Static<TObject<F>>, now: number) => A;
  /** Reads one row more than the limit. */
  readonly read: (
    of: AccountScope,
    filters: A,
    after: readonly (string | number)[] | undefined,
    limit: number,
  ) => Promise<readonly Row[]>;
  readonly position: (row: Row) => readonly (string | number)[];
  /** The rows of a page as the API shows them, and the fields of `more`. */
  readonly show: (
    rows: readonly Row[],
    of: AccountScope,
    filters: A,
  ) => Promise<{ readonly data: readonly ReadonlyDeep<Static<S>>[] }>;
}

/** The filters as given. @throws ApiError 422 if `from` is after `to` */
export function acceptDays<A extends { readonly from?: string; readonly to?: string }>(filters: A): A {
  requireDays(filters);
  return filters;
}

/** Declares a list of one account, in one currency. */
export function accountList<const F extends TProperties, S extends TSchema, Row, A extends object>(
  def: AccountListDef<F, S, Row, A>,
): AnyRoute {
  const { contract, filters, schema, example, more, accept, read, position, show, ...route } = def;
  return defineRoute({
    ...route,
    method: 'GET',
    access,
    ...figures,
    query: Type.Object({ ...filters, ...currencyQuery, ...pageQuery }),
    ok: okJson('One page', Page(schema, { ...more?.properties, ...metadata }), {
      data: [example],
      page: PAGE_EXAMPLE,
      ...more?.example,
      ...metadataExample(contract),
    }),
    errors: [],
    handler: async (ctx, request): Promise<RouteResult<never>> => {
      const query = request.query as Asked & Static<TObject<typeof pageQuery>>;
      const { limit: _, cursor: __, currency, ...asked } = query;
      const wanted = accept(asked as Static<TObject<F>>, ctx.now());
      const of = await accountScope(ctx, currency);
      const { data: rows, page } = await readPage(
        ctx,
        { route: def.id, filters: { ...wanted, currency: of.currency } },
        query,
        (after, limit) => read(of, wanted, after, limit),
        position,
      );
      const shown = await show(rows, of, wanted);
      return { body: { ...shown, page, ...(await describeFigures(of, contract)) } as never };
    },
  });
}

/** The source of a list whose rows have currencies of their own. */
export const listSource = (contract: string) => ({
  properties: listMetadata,
  example: listMetadataExample(contract),
  read: (
    ctx: HandlerCtx,
    { currency }: { readonly currency?: string },
    rows: Promise<readonly { readonly currency: string }[]>,
  ) => describeList(ctx, contract, rows, currency),
});
