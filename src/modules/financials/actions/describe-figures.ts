/** What is said of every figure beside it. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minorToJson } from '../../../kernel/money.ts';
import { type ReconciliationFigures, reconciliationOf } from '../domain/reconciliation.ts';
import { sourceOf } from '../schemas/source.ts';
import { ledgerPosition } from '../store/ledger-days.ts';
import { accountCheck } from '../store/reconciliation.ts';

export interface Described {
  readonly db: Db;
  readonly sellerId: string;
  readonly currency: string;
  /** Milliseconds. */
  readonly now: number;
}

const json = (amount: Minor | null): number | null => (amount === null ? null : minorToJson(amount));

/** The comparison with the provider as it goes over the wire. */
export const reconciliationJson = (figures: ReconciliationFigures) => ({
  ...figures,
  expected_minor: json(figures.expected_minor),
  reported_minor: json(figures.reported_minor),
  difference_minor: json(figures.difference_minor),
});

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
