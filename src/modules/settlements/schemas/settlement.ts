/** The settlement on the wire: docs/design/money.md#settlement-close. */
import Type, { type Static } from 'typebox';
import { instantsOf } from '../../../kernel/australia/settlement-period.ts';
import { TIME_ZONE } from '../../../kernel/australia/sydney.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import {
  Amount,
  checkOf,
  Day,
  Money,
  moneyOf,
  NullableDay,
  payoutReconciliation,
  ReconciliationSchema,
  reconciliationJson,
  SourceSchema,
  sourceOf,
} from '../../reconciliation/index.ts';
import { hasMoved } from '../domain/payout-status.ts';
import {
  adjustmentComponentsOf,
  type ByType,
  CARRY_REASONS,
  FIGURES,
  type Figures,
  feeComponentsOf,
  HOLD_REASONS,
  SETTLEMENT_STATUSES,
} from '../domain/settlement.ts';
import type { SettlementRow } from '../store/settlements.ts';

export const FeeComponents = Type.Object(
  {
    platform_fee_minor: Amount('Fees charged'),
    loyalty_program_fund_minor: Amount('Fees charged'),
    seller_order_fee_minor: Amount('Fees charged'),
    payment_processing_minor: Amount('Charged, including dispute fees'),
    fee_credits_minor: Amount('Given back of these fees; `fees_minor` is the four fees less this amount'),
  },
  { title: 'FeeComponents', description: 'The fees by component.' },
);
export const AdjustmentComponents = Type.Object(
  {
    refunds_minor: Amount('Below zero: to buyers'),
    chargebacks_minor: Amount('Below zero: to buyers'),
    manual_adjustments_minor: Amount('Above zero: to the seller'),
    settlement_corrections_minor: Amount('Above zero: to the seller'),
  },
  {
    title: 'AdjustmentComponents',
    description: 'Signed from the seller’s side; they sum to `adjustments_minor`',
  },
);

const StatusChange = Type.Object({
  status: Type.String({ description: 'The new state' }),
  at: Instant({ description: 'When it changed' }),
  actor: Type.String({ description: 'Who changed it' }),
  reason: Nullable(Type.String({ description: 'Why it changed' })),
});

const Audit = Type.Object(
  {
    created_at: Nullable(Instant()),
    closed_at: Nullable(Instant()),
    closed_by: Nullable(Type.String({ description: 'Who closed it; null while it is open' })),
    calculation_version: Type.Integer({ description: 'Version of the rules by which it was computed' }),
    ledger_position: Type.Integer({ description: 'Entries of the seller’s ledger when it was closed' }),
    lines_sha256: Nullable(
      Type.String({ description: 'Hash of all its lines; the proof says how it is made' }),
    ),
    status_history: Type.Array(StatusChange, { description: 'All changes of the status, oldest first' }),
  },
  { title: 'SettlementAudit', description: 'How the settlement came about.' },
);

export const SettlementSchema = Type.Object(
  {
    settlement_id: Type.String(),
    period_start: Day('First day, Australia/Sydney'),
    period_end: Day('Last day, Australia/Sydney'),
    period_start_at: Instant({ description: 'First instant of the period' }),
    period_end_at: Instant({ description: 'The first instant after the period' }),
    timezone: Type.String(),
    ...Money,
    status: StringEnum(SETTLEMENT_STATUSES, {
      title: 'SettlementStatus',
      description: 'Figures of an open one change until it is closed, those of the others never',
    }),
    opening_balance_minor: Amount('Carried in from the period before'),
    gross_amount_minor: Amount('Sales'),
    fees_minor: Amount('Above zero: kept by the marketplace'),
    adjustments_minor: Amount('Refunds, chargebacks, corrections; signed from the seller’s side'),
    net_amount_minor: Amount('gross − fees + adjustments'),
    reserve_change_minor: Amount('Below zero: held in reserve; above: released'),
    payable_amount_minor: Amount('opening balance + net + reserve change'),
    payout_amount_minor: Amount('What is paid: the payable amount, or zero below the smallest payout'),
    closing_balance_minor: Amount('Carried out: payable − payout'),
    carry_reason: Nullable(StringEnum(CARRY_REASONS, { description: 'Why nothing is paid' })),
    fee_components: FeeComponents,
    adjustment_components: AdjustmentComponents,
    order_count: Type.Integer({ description: 'Orders with a delivery among the lines' }),
    line_count: Type.Integer({ description: 'Number of lines' }),
    payment_reference: Nullable(Type.String({ description: 'Reference on the seller’s bank statement' })),
    payout_id: Nullable(Type.String({ description: 'The last attempt to pay' })),
    invoice_ids: Type.Array(Type.String(), { description: 'Ids of the fee invoices and notes' }),
    hold_reasons: Type.Array(
      StringEnum(HOLD_REASONS, { title: 'HoldReason', description: 'Why money is held back' }),
      { description: 'Why it is on hold; empty: it is not' },
    ),
    expected_payout_on: NullableDay('First business day after the period; null when nothing is expected'),
    paid_on: NullableDay('Null until it is paid, and after the bank has returned the money'),
    reconciliation: ReconciliationSchema,
    source: SourceSchema,
    audit: Audit,
  },
  { title: 'Settlement', description: 'What is paid for one period, and why.' },
);
export type SettlementWire = Static<typeof SettlementSchema>;

/** The sums of lines as the domain has them. */
export function byTypeOf(sums: SettlementRow['by_type']): ByType {
  return Object.fromEntries(
    Object.entries(sums).map(([type, { lines, amount_minor }]) => [
      type,
      { lines, amount_minor: minor(amount_minor) },
    ]),
  );
}

const json = (amount: bigint): number => minorToJson(minor(amount));
/** Amounts as JSON numbers. */
export const allJson = <K extends string>(amounts: Readonly<Record<K, bigint>>): Record<K, number> =>
  Object.fromEntries(Object.entries<bigint>(amounts).map(([key, amount]) => [key, json(amount)])) as Record<
    K,
    number
  >;

/**
 * A settlement as the API shows it.
 *
 * @param at the instant of the read, RFC 3339
 */
export function settlementToWire(row: SettlementRow, at: string): SettlementWire {
  const period = instantsOf({ start: row.period_start, end: row.period_end });
  const byType = byTypeOf(row.by_type);
  const { payout } = row;
  const compared = payoutReconciliation(
    'settlement',
    hasMoved(payout?.status ?? null),
    checkOf(payout?.checked),
    Date.parse(at),
  );
  return {
    settlement_id: row.settlement_id,
    period_start: row.period_start,
    period_end: row.period_end,
    period_start_at: period.start_at,
    period_end_at: period.end_at,
    timezone: TIME_ZONE,
    ...moneyOf(row.currency),
    status: row.status,
    ...allJson(Object.fromEntries(FIGURES.map((name) => [name, row[name]])) as Figures),
    carry_reason: row.carry_reason,
    fee_components: allJson(feeComponentsOf(byType)),
    adjustment_components: allJson(adjustmentComponentsOf(byType)),
    order_count: row.order_count,
    line_count: row.line_count,
    payment_reference: row.payment_reference,
    payout_id: row.payout_id,
    invoice_ids: [...row.invoice_ids],
    hold_reasons: [...row.hold_reasons],
    expected_payout_on: row.expected_payout_on,
    paid_on: row.paid_on,
    reconciliation: reconciliationJson(compared),
    source: sourceOf('financials.settlement.v1', row.ledger_position, row.closed_at ?? at),
    audit: {
      created_at: row.created_at,
      closed_at: row.closed_at,
      closed_by: row.closed_by,
      calculation_version: row.calculation_version,
      ledger_position: Number(row.ledger_position),
      lines_sha256: row.lines_sha256,
      status_history: row.status_history.map((change) => ({ ...change })),
    },
  };
}
