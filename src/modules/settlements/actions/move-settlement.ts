/** How a settlement comes from one state to the next: what is written, and what the seller is told. */

import { endOfBusinessDay } from '../../../kernel/australia/business-days.ts';
import { dayOf, sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { DeclaredEvent } from '../../../kernel/events.ts';
import type { LedgerCtx } from '../../ledger/index.ts';
import type { HoldReason } from '../domain/settlement.ts';
import { UNPAID } from '../domain/settlement.ts';
import { type SettlementEvent, settlementMachine } from '../domain/settlement-machine.ts';
import { settlementToWire } from '../schemas/settlement.ts';
import { followBalance } from '../store/holds.ts';
import {
  addStatusChange,
  findSettlement,
  type SettlementRow,
  type SettlementUpdate,
  settlementsWithStatus,
  updateSettlement,
} from '../store/settlements.ts';

/** Whoever changes a settlement holds the seller's ledger. */
export interface SettlementCtx extends LedgerCtx {
  /** In whose name, for the record. */
  readonly actor: string;
  readonly emit: (...events: DeclaredEvent[]) => Promise<void>;
}

export const nowOf = (ctx: SettlementCtx): string => new Date(ctx.now()).toISOString();

/** The first business day after a Sydney date. */
export function businessDayAfter(date: string): string {
  return sydneyDate(endOfBusinessDay(dayOf(date).start, 1) - 1);
}

export async function tellSettlement(ctx: SettlementCtx, type: string, settlementId: string): Promise<void> {
  const row = await findSettlement(ctx.db, ctx.sellerId, settlementId);
  if (row === undefined) throw new Error(`settlement ${settlementId} is gone`);
  await ctx.emit({
    type,
    object_id: settlementId,
    object_version: row.version,
    data: { object: settlementToWire(row, nowOf(ctx)) },
  });
}

/**
 * Moves a settlement and records it.
 *
 * @throws Error for a move that the table does not have: whoever calls has asked before
 */
export async function moveSettlement(
  ctx: SettlementCtx,
  row: SettlementRow,
  event: SettlementEvent,
  { reason = null, ...update }: SettlementUpdate & { readonly reason?: string | null },
): Promise<void> {
  const repeated = update.status === row.status;
  if (!repeated && !settlementMachine.allows(event, row.status))
    throw new Error(`${event} does not meet ${row.status} of settlement ${row.settlement_id}`);
  const { db, sellerId, actor } = ctx;
  await updateSettlement(db, sellerId, row, update);
  await addStatusChange(db, sellerId, row.settlement_id, {
    status: update.status,
    at: nowOf(ctx),
    actor,
    reason,
  });
}

/** Reasons as the history has them. */
export const reasonText = (reasons: readonly HoldReason[]): string | null =>
  reasons.length === 0 ? null : reasons.join(', ');

/** Holds what has a reason to be held and is not paid, and lets go what has none any more. */
export async function followHolds(ctx: SettlementCtx): Promise<void> {
  const { db, sellerId } = ctx;
  for (const row of await settlementsWithStatus(db, sellerId, UNPAID)) {
    const reason = reasonText(row.standing_reasons);
    const isHeld = row.status === 'on_hold';
    if (reason !== null && !(isHeld && row.status_history.at(-1)?.reason === reason)) {
      await moveSettlement(ctx, row, 'hold', { status: 'on_hold', expected_payout_on: null, reason });
      await tellSettlement(ctx, 'settlement.held', row.settlement_id);
    } else if (reason === null && isHeld) {
      const expected_payout_on = businessDayAfter(sydneyDate(ctx.now()));
      await moveSettlement(ctx, row, 'release', { status: 'ready', expected_payout_on });
      await tellSettlement(ctx, 'settlement.released', row.settlement_id);
    }
  }
}

/** The same after what a seller owes may have changed: a debt holds what is not paid yet. */
export async function followDebt(ctx: SettlementCtx, currency: string): Promise<void> {
  await followBalance(ctx.db, ctx.sellerId, currency, nowOf(ctx));
  await followHolds(ctx);
}
