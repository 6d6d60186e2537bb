/** What is said of every figure beside it. */
import type { Db } from '../../../kernel/context.ts';
import { reconciliationOf } from '../domain/reconciliation.ts';
import { reconciliationJson, sourceOf } from '../schemas/source.ts';
import { ledgerPosition } from '../store/ledger-days.ts';
import { accountCheck } from '../store/reconciliation.ts';

export interface Described {
  readonly db: Db;
  readonly sellerId: string;
  readonly currency: string;
  /** Of the last entry of the ledger. */
  readonly position: bigint;
  /** Milliseconds. */
  readonly now: number;
}

/** Where the rows of a list come from: each says for itself in which currency, and whether the provider agrees. */
export async function describeList(db: Db, sellerId: string, contract: string, now: number) {
  const generated_at = new Date(now).toISOString();
  return { generated_at, source: sourceOf(contract, await ledgerPosition(db, sellerId), generated_at) };
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
