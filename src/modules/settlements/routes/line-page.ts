/** The lines of a settlement as an answer, for the routes of settlements and of payouts. */

import type { SellerCtx } from '../../../kernel/context.ts';
import { type CursorScope, pageOf } from '../../../kernel/cursor.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { PAGE_LIMIT_DEFAULT } from '../../../kernel/schema.ts';
import type { WithServices } from '../../../platform/http/define-route.ts';
import { listMetadataExample, moneyOf, sourceOf } from '../../reconciliation/index.ts';
import { type EntriesPosition, type Found, linesOf, positionOf } from '../actions/read-settlements.ts';
import { CLOSED_EXAMPLE } from '../schemas/examples.ts';
import { LINE_EXAMPLE } from '../schemas/part-examples.ts';
import { LINES_CONTRACT, LinePage, lineToWire } from '../schemas/settlement-parts.ts';

export const linePageResponse = {
  status: 200,
  description: 'One page',
  schema: LinePage,
  example: {
    data: [LINE_EXAMPLE],
    page: { limit: 50, next_cursor: null, has_more: false },
    ...listMetadataExample(LINES_CONTRACT),
    ...moneyOf('AUD'),
    settlement_id: CLOSED_EXAMPLE.settlement_id,
    opening_balance_minor: 0,
  },
} as const;

interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/**
 * One page of lines, with the opening balance of the settlement.
 *
 * @param find reads the settlement, after the cursor was decoded
 * @throws ApiError 422 at `query.cursor` for a cursor of another list
 */
export async function linePage(
  ctx: SellerCtx & WithServices,
  { route, filters }: Omit<CursorScope, 'seller_id'>,
  { limit = PAGE_LIMIT_DEFAULT, cursor }: PageQuery,
  find: () => Promise<Found>,
) {
  const { cursors } = ctx.services;
  const scope = { seller_id: ctx.seller.seller_id, route, filters };
  const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as EntriesPosition);
  const found = await find();
  const { settlement_id, currency, opening_balance_minor, ledger_position, closed_at } = found.row;
  const generated_at = new Date(ctx.now()).toISOString();
  const rows = await linesOf(ctx, found, after, limit);
  const { data, page } = pageOf(rows, limit, (line) => cursors.encode(scope, positionOf(line)));
  return {
    data: data.map(lineToWire),
    page,
    ...moneyOf(currency),
    generated_at,
    source: sourceOf(LINES_CONTRACT, ledger_position, closed_at ?? generated_at),
    settlement_id,
    opening_balance_minor: minorToJson(minor(opening_balance_minor)),
  };
}
