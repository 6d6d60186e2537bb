/** The source of figures, and their comparison with the provider. */

import type { Db, SellerCtx } from '../../../kernel/context.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import { reconciliationOf } from '../domain/reconciliation.ts';
import { reconciliationJson, sourceOf } from '../schemas/source.ts';
import { accountCheck } from '../store/checks.ts';

export interface AccountScope {
  readonly db: Db;
  readonly sellerId: string;
  readonly currency: string;
  /** Position of the last entry of the ledger. */
  readonly position: bigint;
  /** Milliseconds. */
  readonly now: number;
}

/**
 * The source of a list, and the currency of its rows: null where they have several. Each row has its own currency and
 * reconciliation.
 *
 * @param asked the currency of the query; without it, an empty list has the seller's
 */
export async function describeList(
  ctx: Pick<SellerCtx, 'db' | 'seller' | 'standing' | 'now'>,
  contract: string,
  rows: readonly { readonly currency: string }[],
  asked?: string,
) {
  const known = new Set(rows.map(({ currency }) => currency));
  const [only = asked ?? (await ctx.standing()).currency] = known;
  const currency = known.size > 1 ? null : only;
  const generated_at = new Date(ctx.now()).toISOString();
  return {
    currency,
    currency_exponent: currency === null ? null : currencyExponent(currency),
    generated_at,
    source: sourceOf(contract, await ledgerPosition(ctx.db, ctx.seller.seller_id), generated_at),
  };
}

/**
 * The source of figures, and the comparison of their account with the provider.
 *
 * @param asOf the instant of the figures, RFC 3339; default: now
 * @param entries how many entries of the ledger the figures include; default: all
 */
export async function describeFigures(
  of: AccountScope,
  contract: string,
  asOf = new Date(of.now).toISOString(),
  entries?: number,
) {
  const { db, sellerId, currency, now } = of;
  const position = entries === undefined ? of.position : BigInt(entries);
  const check = await accountCheck(db, sellerId, currency);
  return {
    generated_at: new Date(now).toISOString(),
    source: sourceOf(contract, position, asOf),
    reconciliation: reconciliationJson(reconciliationOf('account', check, now)),
  };
}
