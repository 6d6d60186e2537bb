import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { csvAnswer, findSettlement, statementFile } from '../../settlements/index.ts';
import { payoutsFile } from '../actions/export-payouts.ts';
import { findPayout, type PayoutFilter } from '../store/payouts.ts';

/**
 * What a payout was made of: the lines of the settlement that it pays, ending with this attempt.
 *
 * @param mark `1`: with a byte order mark
 * @throws ApiError 404
 */
export function payoutStatement(
  ctx: SellerCtx,
  payoutId: string,
  mark: string | undefined,
): Promise<RouteResult> {
  return csvAnswer(ctx, `payout-${payoutId}`, mark, async (db) => {
    const at = ctx.in(db);
    const payout = await findPayout(at, payoutId);
    const settlement = payout && (await findSettlement(at, payout.settlement_id));
    if (payout === undefined || settlement === undefined) throw fail(coreErrors.not_found);
    const { payout_id, payment_reference } = payout;
    const row = { ...settlement, payout_id, payment_reference };
    return statementFile(at, [{ row }], { layout: 'detail', payee: '' });
  });
}

/** Payouts as the list over the API has them, in one currency. */
export async function payoutList(
  ctx: SellerCtx,
  filter: PayoutFilter,
  mark: string | undefined,
): Promise<RouteResult> {
  const currency = filter.currency ?? (await ctx.standing()).currency;
  return csvAnswer(ctx, `payouts-${sydneyDate(ctx.now())}`, mark, (db) =>
    payoutsFile(ctx.in(db), { ...filter, currency }),
  );
}
