/** The settlement of the period that is not closed yet: computed whenever it is read, under the id that it keeps. */

import {
  SETTLEMENT_SCHEDULES,
  type SettlementSchedule,
} from '../../../kernel/australia/settlement-period.ts';
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { ledgerPosition } from '../../ledger/index.ts';
import {
  CALCULATION_VERSION,
  figuresOf,
  type HoldReason,
  openPeriodOf,
  type StatementState,
  settlementIdOf,
} from '../domain/settlement.ts';
import { byTypeOf } from '../schemas/settlement.ts';
import { ALL_SETTLEMENTS, activeHolds, type HoldRow } from '../store/holds.ts';
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
  readonly holds: readonly HoldRow[];
  readonly position: bigint;
}

async function compute(
  db: Db,
  sellerId: string,
  state: StatementState,
  { range, ...place }: ReturnType<typeof placeOf>,
  { minimum, holds, position }: Facts,
): Promise<OpenSettlement> {
  const totals = await rangeTotals(db, sellerId, range);
  const reasons = holds
    .filter(({ settlement_id }) => [ALL_SETTLEMENTS, place.settlement_id].includes(settlement_id))
    .map(({ reason }) => reason);
  const row: SettlementRow = {
    ...place,
    ...figuresOf(minor(state.balance_minor), byTypeOf(totals.by_type), minimum),
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
    hold_reasons: [...new Set<HoldReason>(reasons)].sort(),
    status_history: [],
  };
  return { row, range };
}

/**
 * The open settlements of a seller: one for each currency, the first period that is not closed. Its figures are what
 * it would be closed with, were nothing to come.
 *
 * @param settlementId of this one only
 */
export async function openSettlements(
  db: Db,
  sellerId: string,
  policy: SettlementPolicy,
  settlementId?: string,
): Promise<OpenSettlement[]> {
  const states = await statementStates(db, sellerId);
  const places = states
    .map((state) => ({ state, place: placeOf(sellerId, state, policy.schedule) }))
    .filter(({ place }) => settlementId === undefined || place.settlement_id === settlementId);
  if (places.length === 0) return [];
  const [minimum, holds, position] = await Promise.all([
    minimumOf({ db, sellerId }, policy),
    activeHolds(db, sellerId),
    ledgerPosition(db, sellerId),
  ]);
  const facts: Facts = { minimum, holds, position };
  return Promise.all(places.map(({ state, place }) => compute(db, sellerId, state, place, facts)));
}

/** Whether an id is that of an open settlement; before the first close the schedule decides, so any of them counts. */
export async function isOpenSettlement(db: Db, sellerId: string, settlementId: string): Promise<boolean> {
  const states = await statementStates(db, sellerId);
  return states.some((state) =>
    SETTLEMENT_SCHEDULES.some(
      (schedule) => placeOf(sellerId, state, schedule).settlement_id === settlementId,
    ),
  );
}
