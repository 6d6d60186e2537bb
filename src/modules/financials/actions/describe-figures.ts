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
  /** Milliseconds. */
  readonly now: number;
}

/** Source of figures, and whether the provider agrees with the account that they belong to. */
export async function describeFigures(of: Described, contract: string, asOf: string) {
  const { db, sellerId, currency, now } = of;
  const position = await ledgerPosition(db, sellerId);
  const check = await accountCheck(db, sellerId, currency);
  return {
    generated_at: new Date(now).toISOString(),
    source: sourceOf(contract, position, asOf),
    reconciliation: reconciliationJson(reconciliationOf('account', check, now)),
  };
}
