/** The lines of a settlement as a list, for the routes of settlements and of payouts. */
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors } from '../../../kernel/errors.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import type { AnyRoute, RouteDef } from '../../../kernel/route.ts';
import { pageQuery } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { PAGE_EXAMPLE, readPage } from '../../../platform/rest/page-route.ts';
import { access, figures, listMetadataExample, moneyOf, sourceOf } from '../../reconciliation/index.ts';
import { type EntriesPosition, type Found, linesOf, positionOf } from '../actions/read-settlements.ts';
import { CLOSED_EXAMPLE } from '../schemas/examples.ts';
import { LINE_EXAMPLE } from '../schemas/part-examples.ts';
import { LINES_CONTRACT, LinePage, lineToWire } from '../schemas/settlement-parts.ts';

interface LineRouteDef<P extends TProperties>
  extends Pick<RouteDef, 'id' | 'path' | 'summary' | 'description'> {
  readonly params: TObject<P>;
  /** @throws ApiError 404 */
  readonly find: (ctx: SellerCtx, params: Static<TObject<P>>) => Promise<Found>;
}

/** Declares a list of the lines of the settlement that the parameters name, with its opening balance. */
export const lineRoute = <P extends TProperties>({ find, ...route }: LineRouteDef<P>): AnyRoute =>
  defineRoute({
    ...route,
    method: 'GET',
    access,
    ...figures,
    query: Type.Object(pageQuery),
    ok: okJson('One page', LinePage, {
      data: [LINE_EXAMPLE],
      page: PAGE_EXAMPLE,
      ...listMetadataExample(LINES_CONTRACT),
      settlement_id: CLOSED_EXAMPLE.settlement_id,
      opening_balance_minor: 0,
    }),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params, query }) => {
      const found = await find(ctx, params);
      const { settlement_id, currency, opening_balance_minor, ledger_position, closed_at } = found.row;
      const { data, page } = await readPage(
        ctx,
        { route: route.id, filters: params as Readonly<Record<string, unknown>> },
        query,
        (after, limit) => linesOf(ctx, found, after as EntriesPosition | undefined, limit),
        positionOf,
      );
      return {
        body: {
          data: data.map(lineToWire),
          page,
          ...moneyOf(currency),
          generated_at: ctx.at(),
          source: sourceOf(LINES_CONTRACT, ledger_position, closed_at ?? ctx.at()),
          settlement_id,
          opening_balance_minor: minorToJson(minor(opening_balance_minor)),
        },
      };
    },
  });
