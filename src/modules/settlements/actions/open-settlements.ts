/** The settlement of the period that is not closed. It is computed for each read, and keeps its id at the close. */

import {
  SETTLEMENT_SCHEDULES,
  type SettlementSchedule,
} from '../../../kernel/australia/settlement-period.ts';
import type { Minor } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import {
  CALCULATION_VERSION,
  figuresOf,
  openPeriodOf,
  type StatementState,
  settlementIdOf,
} from '../domain/settlement.ts';
import { byTypeOf } from '../schemas/settlement.ts';
import { type ActiveHold, activeHolds, reasonsFor } from '../store/holds.ts';
import { type LineRange, rangeTotals, statementStates } from '../store/lines.ts';
import type { SettlementRow } from '../store/settlements.ts';
import { minimumOf, type SettlementPolicy } from './close-settlements.ts';

/** An open settlement and the days whose lines it has. */
export interface OpenSettlement {
  readonly row: SettlementRow;
  readonly range: LineRange;
}

function placeOf(sellerId: string, state: StatementState, schedule: SettlementSchedule) {
  const { start, end } = openPeriodOf(state, schedule);
  const { currency, closed_through } = state;
  return {
    settlement_id: settlementIdOf(sellerId, currency, start),
    period_start: start,
    period_end: end,
    range: { currency, closed_through, through: end },
  };
}

interface Facts {
  readonly minimum: Minor;
  readonly holds: readonly ActiveHold[];
  readonly position: bigint;
}

async function compute(
  at: SellerDb,
  state: StatementState,
  { range, ...place }: ReturnType<typeof placeOf>,
  { minimum, holds, position }: Facts,
): Promise<OpenSettlement> {
  const totals = await rangeTotals(at, range);
  const row: SettlementRow = {
    ...place,
    ...figuresOf(state.balance_minor, byTypeOf(totals.by_type), minimum),
    ...totals,
    currency: state.currency,
    status: 'open',
    calculation_version: CALCULATION_VERSION,
    ledger_position: position,
    carry_reason: null,
    expected_payout_on: null,
    paid_on: null,
    payment_reference: null,
    created_at: null,
    closed_at: null,
    closed_by: null,
    version: 0,
    payout_id: null,
    payout: null,
    invoice_ids: [],
    hold_reasons: reasonsFor(place.settlement_id, holds),
    status_history: [],
  };
  return { row, range };
}

/**
 * The open settlements of a seller, one for each currency. An open settlement is the first period that is not closed,
 * with the figures of a close now.
 *
 * @param settlementId only the settlement with this id
 */
export async function openSettlements(
  at: SellerDb,
  policy: SettlementPolicy,
  settlementId?: string,
): Promise<OpenSettlement[]> {
  const states = await statementStates(at);
  const places = states
    .map((state) => ({ state, place: placeOf(at.seller_id, state, policy.schedule) }))
    .filter(({ place }) => settlementId === undefined || place.settlement_id === settlementId);
  if (places.length === 0) return [];
  const [minimum, holds, position] = await Promise.all([
    minimumOf(at, policy),
    activeHolds(at),
    ledgerPosition(at.db, at.seller_id),
  ]);
  const facts: Facts = { minimum, holds, position };
  return Promise.all(places.map(({ state, place }) => compute(at, state, place, facts)));
}

/** Whether an id names an open settlement. Before the first close the id depends on the schedule, so all are tried. */
export async function isOpenSettlement(at: SellerDb, settlementId: string): Promise<boolean> {
  const states = await statementStates(at);
  return states.some((state) =>
    SETTLEMENT_SCHEDULES.some(
      (schedule) => placeOf(at.seller_id, state, schedule).settlement_id === settlementId,
    ),
  );
}
