import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { IdKind } from '../../../kernel/ids.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { idOf } from './id-of.ts';

type Headers = Parameters<typeof checkIfMatch>[0];

interface ResourceDef<Id extends string, Row> {
  readonly kind: IdKind;
  /** Field of the row, and parameter of the path. */
  readonly id: Id;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly view: (ctx: SellerCtx, row: Row) => unknown;
}

/** What things with an id and a version have in common over HTTP: how they are found, shown and held to a version. */
export function resource<Id extends string, Row extends Readonly<Record<Id, string>> & { version: number }>(
  def: ResourceDef<Id, Row>,
) {
  const tagOf = (row: Row): string => `${row[def.id]}.${row.version}`;
  const answer = async (ctx: SellerCtx, row: Row | undefined): Promise<RouteResult> => {
    if (row === undefined) throw fail(coreErrors.not_found);
    return { body: await def.view(ctx, row), etag: tagOf(row) };
  };
  return {
    /** @throws ApiError 404 for an id of another shape */
    idFrom: (params: Readonly<Record<Id, string>>): string => idOf(def.kind, params[def.id]),
    /** @throws ApiError 404 for nothing */
    answer,
    created: async (ctx: SellerCtx, row: Row): Promise<RouteResult> => ({
      ...(await answer(ctx, row)),
      status: 201,
      headers: { location: `/api/v1${def.path}/${row[def.id]}` },
    }),
    /** What refuses another version than the one that the request names: 412. */
    ifMatch:
      (headers: Headers) =>
      (row: Row): void =>
        checkIfMatch(headers, tagOf(row)),
  };
}
