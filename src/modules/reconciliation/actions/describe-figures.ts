/** What is said of every figure beside it. */

import type { Db, SellerCtx } from '../../../kernel/context.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import { reconciliationOf } from '../domain/reconciliation.ts';
import { reconciliationJson, sourceOf } from '../schemas/source.ts';
import { accountCheck } from '../store/checks.ts';

export interface Described {
  readonly db: Db;
  readonly sellerId: string;
  readonly currency: string;
  /** Of the last entry of the ledger. */
  readonly position: bigint;
  /** Milliseconds. */
  readonly now: number;
}

/**
 * Where the rows of a list come from, and the currency that all of them have: null where they have several. Each says
 * for itself, too, and whether the provider agrees.
 *
 * @param asked the currency that was asked for; absent, a list without rows has the seller's
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
 * Source of figures, and whether the provider agrees with the account that they belong to.
 *
 * @param asOf the instant that they are of, RFC 3339; absent, the one at which they are read
 * @param entries how many entries of the ledger they know, where that is not all there is now
 */
export async function describeFigures(
  of: Described,
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
