/** Settlements in few rows: by type for a journal, and by component as lines of a clearing account. */

import { type Minor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import { bucketOf, componentOf, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';
import type { SettlementRow } from '../store/settlements.ts';
import { closingRows, openingRow, type StatementRow } from './statement-rows.ts';

export interface TypeRow {
  readonly settlement_id: string;
  readonly period_end: string;
  readonly group: string;
  readonly type: string;
  readonly amount: Minor;
  readonly count: number;
  readonly currency: string;
}

interface Sum {
  readonly type: EntryType;
  readonly amount: Minor;
  readonly count: number;
}

const TYPES = Object.keys(ENTRY_TYPES) as EntryType[];

/** Sums of the lines by type, from the seller's side, in a fixed order. */
const sumsOf = ({ by_type }: SettlementRow): Sum[] =>
  TYPES.flatMap((type) => {
    const sum = by_type[type];
    return sum === undefined ? [] : [{ type, amount: minor(sum.amount_minor), count: sum.lines }];
  });

/** One row for each group and type; the rows sum to zero. */
export function typeRows(settlement: SettlementRow): TypeRow[] {
  const { settlement_id, period_end, currency } = settlement;
  const single = ({ group, type, amount }: StatementRow): TypeRow => ({
    ...{ settlement_id, period_end, currency, group, type, amount },
    count: 1,
  });
  const lines = sumsOf(settlement).map(
    ({ type, amount, count }): TypeRow => ({
      ...{ settlement_id, period_end, currency, type, amount, count },
      group: bucketOf(type),
    }),
  );
  return [single(openingRow(settlement)), ...lines, ...closingRows(settlement).map(single)];
}

export interface ClearingRow {
  readonly settlement_id: string;
  /** Sydney day, `YYYY-MM-DD`. */
  readonly date: string;
  readonly description: string;
  readonly amount: Minor;
  readonly currency: string;
}

/** The labels never change, because a bookkeeper assigns an account to each of them once. */
const LABELS: readonly (readonly [label: string, of: (type: EntryType) => boolean])[] = [
  ['Sales', (type) => bucketOf(type) === 'gross'],
  ['Platform fee', (type) => componentOf(type) === 'platform_fee'],
  ['Loyalty program fund', (type) => componentOf(type) === 'loyalty_program_fund'],
  ['Seller order fee', (type) => componentOf(type) === 'seller_order_fee'],
  ['Payment processing', (type) => componentOf(type) === 'payment_processing'],
  ['Adjustments', (type) => bucketOf(type) === 'adjustments'],
  ['Reserve', (type) => bucketOf(type) === 'reserve'],
];

/** The lines of a clearing account, whose balance is zero after each settlement. An amount of zero has no line. */
export function clearingRows(settlement: SettlementRow): ClearingRow[] {
  const { settlement_id, period_end, currency } = settlement;
  const sums = sumsOf(settlement);
  const carried = ({ posted_on, description, amount }: StatementRow): ClearingRow => ({
    ...{ settlement_id, currency, description, amount },
    date: posted_on,
  });
  const components = LABELS.map(
    ([description, of]): ClearingRow => ({
      ...{ settlement_id, currency, description },
      date: period_end,
      amount: sumMinor(sums.filter(({ type }) => of(type)).map(({ amount }) => amount)),
    }),
  );
  const rows = [carried(openingRow(settlement)), ...components, ...closingRows(settlement).map(carried)];
  return rows.filter(({ amount }) => amount !== 0n);
}

/** Splits an amount into money in and money out. One of them is above zero, the other is null. */
export const inAndOut = (amount: Minor): { readonly credit: Minor | null; readonly debit: Minor | null } =>
  amount > 0n ? { credit: amount, debit: null } : { credit: null, debit: negated(amount) };
