/** The source of figures, and their comparison with the provider. */

import type { CursorDb, SellerCtx } from '../../../kernel/context.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import { reconciliationOf } from '../domain/reconciliation.ts';
import { moneyOf } from '../schemas/metadata.ts';
import { reconciliationJson, sourceOf } from '../schemas/source.ts';
import { accountCheck } from '../store/checks.ts';

export interface AccountScope extends SellerDb {
  readonly db: CursorDb;
  readonly currency: string;
  /** Position of the last entry of the ledger. */
  readonly position: bigint;
  /** Milliseconds. */
  readonly now: number;
}

/**
 * The source of a list, and the currency of its rows, which is null if they have several. Each row has its own currency
 * and reconciliation.
 *
 * @param asked the currency of the query. Without it, an empty list has the seller's currency.
 */
export async function describeList(
  ctx: Pick<SellerCtx, 'db' | 'seller_id' | 'standing' | 'at'>,
  contract: string,
  rows: readonly { readonly currency: string }[] | Promise<readonly { readonly currency: string }[]>,
  asked?: string,
) {
  const [found, position] = await Promise.all([rows, ledgerPosition(ctx.db, ctx.seller_id)]);
  const known = new Set(found.map(({ currency }) => currency));
  const [only = asked ?? (await ctx.standing()).currency] = known;
  const currency = known.size > 1 ? null : only;
  const generated_at = ctx.at();
  return {
    currency,
    currency_exponent: currency === null ? null : currencyExponent(currency),
    generated_at,
    source: sourceOf(contract, position, generated_at),
  };
}

/**
 * The currency and the source of figures, and the comparison of their account with the provider.
 *
 * @param asOf the instant of the figures, RFC 3339; by default now
 * @param entries the number of ledger entries in the figures; by default all
 */
export async function describeFigures(
  of: AccountScope,
  contract: string,
  asOf = new Date(of.now).toISOString(),
  entries?: number,
) {
  const { db, seller_id, currency, now } = of;
  const position = entries === undefined ? of.position : BigInt(entries);
  const check = await accountCheck(db, seller_id, currency);
  return {
    ...moneyOf(currency),
    generated_at: new Date(now).toISOString(),
    source: sourceOf(contract, position, asOf),
    reconciliation: reconciliationJson(reconciliationOf('account', check, now)),
  };
}
