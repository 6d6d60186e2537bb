import { dayOf } from '../../../kernel/australia/sydney.ts';
import { liveFrame } from '../../../kernel/frame.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { worthOf } from '../domain/points.ts';
import { NOTE, toNumber, type WireWallet } from '../schemas/loyalty.ts';
import { fundBalance } from '../store/fund.ts';
import { sellerCurrency, spentByMonth, sumsOn } from '../store/points.ts';
import { allPrograms, programOn } from '../store/programs.ts';

/**
 * The wallet at the end of a Sydney day that is over. It counts what was recorded by then, so later answers
 * for the day are the same.
 *
 * @param as_of `YYYY-MM-DD`
 */
export async function readWallet(ctx: HandlerCtx, as_of: string): Promise<WireWallet> {
  const { currency = 'AUD' } = (await sellerCurrency(ctx)) ?? {};
  const [of, months, fund, programs] = await Promise.all([
    sumsOn(ctx, as_of),
    spentByMonth(ctx, as_of),
    fundBalance(ctx, currency, dayOf(as_of).next),
    allPrograms(ctx.db),
  ]);
  const [outstanding, deficit] = [of('outstanding'), of('deficit')];
  const program = programOn(
    programs.filter(({ recorded_at }) => Date.parse(recorded_at) < dayOf(as_of).next),
    as_of,
  );
  const worth = (points: bigint): bigint =>
    program === undefined ? 0n : worthOf(points, program.points_per_major, currencyExponent(currency));
  const paidFor = outstanding + deficit + of('redeemed') - of('restored') + of('expired') - of('adjusted');
  const isKnown = program !== undefined;
  return {
    as_of,
    currency,
    currency_exponent: currencyExponent(currency),
    points: {
      issued: toNumber(of('earned')),
      reversed: toNumber(of('reversed')),
      redeemed: toNumber(of('redeemed')),
      expired: toNumber(of('expired')),
      restored: toNumber(of('restored')),
      adjusted: toNumber(of('adjusted')),
      outstanding: toNumber(outstanding),
      deficit: toNumber(deficit),
    },
    by_month: months.map(({ month, redeemed, expired }) => ({
      month,
      redeemed: toNumber(redeemed),
      expired: toNumber(expired),
    })),
    value_minor: isKnown
      ? {
          outstanding: toNumber(worth(outstanding)),
          redeemed: toNumber(worth(of('redeemed'))),
          expired: toNumber(worth(of('expired'))),
        }
      : null,
    fund_balance_minor: toNumber(fund.balance),
    difference_minor: isKnown ? toNumber(fund.balance - worth(paidFor)) : null,
    note: NOTE,
    ...liveFrame(ctx.at(), 'loyalty.wallet.v1', {
      facts_through_on: as_of,
      ...(isKnown ? {} : { semantic_status: 'partial' as const, status_reason: 'no_program' }),
      missing: fund.others ? ['other_currencies'] : [],
    }),
  };
}
