/**
 * A settlement as rows of a file: the opening balance, its lines, the payout, the closing balance. The amounts of a
 * settlement sum to zero, so the file is a complete statement of a clearing account.
 * Source: docs/design/money.md#files.
 */
import { lessMinor, type Minor, minor, negated } from '../../../kernel/money.ts';
import type { LineRow } from '../store/lines.ts';
import type { SettlementRow } from '../store/settlements.ts';

/** The fields of every row of a settlement. */
type StatementHead = Pick<SettlementRow, 'settlement_id' | 'period_start' | 'period_end' | 'currency'>;

export interface StatementRow extends StatementHead {
  readonly row_no: number;
  readonly row_type: 'opening_balance' | 'transaction' | 'payout' | 'closing_balance';
  readonly posted_on: string;
  readonly group: string;
  readonly type: string;
  readonly description: string;
  /** From the seller's side. */
  readonly amount: Minor;
  readonly running_balance: Minor;
  readonly related_id: string | null;
  readonly payment_reference: string | null;
  /** Null for rows that are no line. */
  readonly line: LineRow | null;
}

const OF_NO_LINE = { related_id: null, payment_reference: null, line: null } as const;

/** The payout of a settlement; an open one has none. */
const paidOf = ({ status, payout_amount_minor }: SettlementRow): Minor =>
  minor(status === 'open' ? 0n : payout_amount_minor);

export function openingRow(settlement: SettlementRow): StatementRow {
  const amount = minor(settlement.opening_balance_minor);
  return {
    ...settlement,
    row_no: 1,
    row_type: 'opening_balance',
    posted_on: settlement.period_start,
    group: 'balance',
    type: 'balance_carried_in',
    description: 'Opening balance',
    amount,
    running_balance: amount,
    ...OF_NO_LINE,
  };
}

/** A line, as the list of the settlement's entries shows it; the opening balance is row 1. */
export const lineRow = (settlement: SettlementRow, line: LineRow): StatementRow => ({
  ...settlement,
  row_no: line.row_no + 1,
  row_type: 'transaction',
  posted_on: line.posted_on,
  group: line.bucket,
  type: line.type,
  description: line.description,
  amount: minor(line.amount_minor),
  running_balance: minor(line.running_balance_minor),
  related_id: line.related_id,
  payment_reference: null,
  line,
});

/** The payout, if there is one, and the closing balance. */
export function closingRows(settlement: SettlementRow): StatementRow[] {
  const payable = minor(settlement.payable_amount_minor);
  const paid = paidOf(settlement);
  const carried = lessMinor(payable, paid);
  const row_no = settlement.line_count + 2;
  const shared = { ...settlement, posted_on: settlement.period_end, ...OF_NO_LINE };
  const payout: StatementRow = {
    ...shared,
    row_no,
    row_type: 'payout',
    group: 'payout',
    type: 'payout',
    description: 'Paid to bank account',
    amount: negated(paid),
    running_balance: carried,
    related_id: settlement.payout_id,
    payment_reference: settlement.payment_reference,
  };
  const closing: StatementRow = {
    ...shared,
    row_no: paid === 0n ? row_no : row_no + 1,
    row_type: 'closing_balance',
    group: 'balance',
    type: 'balance_carried_out',
    description: 'Closing balance',
    amount: negated(carried),
    running_balance: minor(0),
  };
  return paid === 0n ? [closing] : [payout, closing];
}

/** Rows of a settlement in the layout of single lines. */
export const detailRowCount = (settlement: SettlementRow): number =>
  settlement.line_count + 1 + closingRows(settlement).length;
