/** Moves settlements from one state to the next, records each move and emits its event. */
import { endOfBusinessDay } from '../../../kernel/australia/business-days.ts';
import { dayOf, sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import type { EventOf } from '../../../kernel/events.ts';
import { lockLedger } from '../../ledger/index.ts';
import { type HoldReason, UNPAID } from '../domain/settlement.ts';
import { type SettlementEvent, settlementMachine } from '../domain/settlement-machine.ts';
import { payoutScheduled, settlementHeld, settlementReleased } from '../events.ts';
import { type SettlementWire, settlementToWire } from '../schemas/settlement.ts';
import { type HoldSource, holdForDebt, setSourceHolds } from '../store/holds.ts';
import {
  addStatusChange,
  findSettlement,
  type SettlementRow,
  type SettlementUpdate,
  settlementsWithStatus,
  updateSettlement,
} from '../store/settlements.ts';

/** The first business day after a Sydney date. */
export function businessDayAfter(date: string): string {
  return sydneyDate(endOfBusinessDay(dayOf(date).start, 1) - 1);
}

/** Emits an event with the settlement as it is now. */
export async function emitSettlement(
  ctx: Acting,
  event: EventOf<SettlementWire>,
  settlementId: string,
): Promise<void> {
  const row = await findSettlement(ctx, settlementId);
  if (row === undefined) throw new Error(`settlement ${settlementId} is gone`);
  await ctx.emit(event.of(settlementToWire(row, ctx.at()), { version: row.version }));
}

/**
 * Moves a settlement, records the move, and announces a new day of its payout. The caller holds the lock of the seller's ledger.
 *
 * @throws Error for a move that the machine does not allow; the caller must check that before
 */
export async function moveSettlement(
  ctx: Acting,
  row: SettlementRow,
  event: SettlementEvent,
  { reason = null, ...update }: SettlementUpdate & { readonly reason?: string | null },
): Promise<void> {
  const repeated = update.status === row.status;
  if (!repeated && !settlementMachine.allows(event, row.status))
    throw new Error(`settlement ${row.settlement_id} is ${row.status}: ${event} is not allowed`);
  await updateSettlement(ctx, row, update);
  await addStatusChange(ctx, row.settlement_id, {
    status: update.status,
    at: ctx.at(),
    actor: ctx.by.kind,
    reason,
  });
  const { expected_payout_on = null } = update;
  if (expected_payout_on !== null && expected_payout_on !== row.expected_payout_on)
    await emitSettlement(ctx, payoutScheduled, row.settlement_id);
}

/** The text of reasons in the history. */
export const reasonText = (reasons: readonly HoldReason[]): string | null =>
  reasons.length === 0 ? null : reasons.join(', ');

/** Holds unpaid settlements that have a reason to be held, and releases those without one. */
export async function applyHolds(ctx: Acting): Promise<void> {
  for (const row of await settlementsWithStatus(ctx, UNPAID)) {
    const reason = reasonText(row.standing_reasons);
    const isHeld = row.status === 'on_hold';
    if (reason !== null && !(isHeld && row.status_history.at(-1)?.reason === reason)) {
      await moveSettlement(ctx, row, 'hold', { status: 'on_hold', expected_payout_on: null, reason });
      await emitSettlement(ctx, settlementHeld, row.settlement_id);
    } else if (reason === null && isHeld) {
      const expected_payout_on = businessDayAfter(sydneyDate(ctx.now()));
      await moveSettlement(ctx, row, 'release', { status: 'ready', expected_payout_on });
      await emitSettlement(ctx, settlementReleased, row.settlement_id);
    }
  }
}

/**
 * Sets all reasons of a source to hold the settlements of a seller, and applies what has changed. It locks the seller's
 * ledger, so that a settlement that is closed or sent meanwhile is seen as it is then.
 */
export async function holdBySource(
  ctx: Acting,
  source: Exclude<HoldSource, 'marketplace'>,
  reasons: readonly HoldReason[],
): Promise<void> {
  await lockLedger(ctx);
  if (await setSourceHolds(ctx, source, reasons)) await applyHolds(ctx);
}

/** Plans another attempt for settlements whose last one failed for good, because its cause may be gone. */
export async function retryFailedPayouts(ctx: Acting): Promise<void> {
  const expected_payout_on = businessDayAfter(sydneyDate(ctx.now()));
  for (const row of await settlementsWithStatus(ctx, ['payment_failed']))
    if (row.expected_payout_on === null)
      await moveSettlement(ctx, row, 'fail', { status: 'payment_failed', expected_payout_on });
}

/** Holds or releases the unpaid settlements of a currency after the seller's debt has changed. */
export async function applyDebt(ctx: Acting, currency: string): Promise<void> {
  await holdForDebt(ctx, currency, ctx.at());
  await applyHolds(ctx);
}
