/**
 * Columns of bank statements for other programs, and of the layouts with few rows.
 * Source: docs/design/money.md#files.
 */
import type { CsvColumn } from '../../../kernel/csv-writer.ts';
import { formatAmount, type Minor } from '../../../kernel/money.ts';
import { type ClearingRow, inAndOut, type TypeRow } from './summary-rows.ts';

export const TYPE_COLUMNS: readonly CsvColumn<TypeRow>[] = [
  { name: 'settlement_id', kind: 'text', value: (row) => row.settlement_id },
  { name: 'period_end', kind: 'date', value: (row) => row.period_end },
  { name: 'group', kind: 'text', value: (row) => row.group },
  { name: 'type', kind: 'text', value: (row) => row.type },
  { name: 'amount', kind: 'decimal', value: (row) => formatAmount(row.amount, row.currency) },
  { name: 'count', kind: 'number', value: (row) => row.count },
  { name: 'currency', kind: 'text', value: (row) => row.currency },
];

type Columns = readonly CsvColumn<ClearingRow>[];
type Column = CsvColumn<ClearingRow>;

/** Day, month, year, as in Australia. */
const auDate = (date: string): string => date.split('-').reverse().join('/');
const amountOf = (row: ClearingRow): string => formatAmount(row.amount, row.currency);
const optional = (amount: Minor | null, { currency }: ClearingRow): string | null =>
  amount === null ? null : formatAmount(amount, currency);
const text = (name: string, value: (row: ClearingRow) => string): Column => ({ name, kind: 'text', value });
const AU_DATE: Column = { name: 'Date', kind: 'date', value: (row) => auDate(row.date) };
/** The description has the id of the settlement, for shapes without a column for it. */
const named = text('Description', (row) => `${row.description} ${row.settlement_id}`);

/** The most lines that those programs import from one file. */
export const STATEMENT_LINES_MAX = 1_000;

export const CLEARING_SHAPES = ['clearing', 'xero-statement', 'qbo-3col', 'qbo-4col'] as const;
export type ClearingShape = (typeof CLEARING_SHAPES)[number];

/**
 * The columns of a shape, exactly as the program needs them.
 *
 * @param payee the operator of the marketplace
 */
export function clearingColumns(shape: ClearingShape, payee: string): Columns {
  const description = text('Description', (row) => row.description);
  const reference = text('Reference', (row) => row.settlement_id);
  const SHAPES: Readonly<Record<ClearingShape, Columns>> = {
    clearing: [
      { name: 'Date', kind: 'date', value: (row) => row.date },
      { name: 'Amount', kind: 'decimal', value: amountOf },
      text('Payee', () => payee),
      description,
      reference,
    ],
    'xero-statement': [
      { ...AU_DATE, name: '*Date' },
      { name: '*Amount', kind: 'decimal', value: amountOf },
      text('Payee', () => payee),
      description,
      reference,
      text('Cheque Number', () => ''),
    ],
    'qbo-3col': [AU_DATE, named, { name: 'Amount', kind: 'decimal', value: amountOf }],
    'qbo-4col': [
      AU_DATE,
      named,
      { name: 'Credit', kind: 'decimal', value: (row) => optional(inAndOut(row.amount).credit, row) },
      { name: 'Debit', kind: 'decimal', value: (row) => optional(inAndOut(row.amount).debit, row) },
    ],
  };
  return SHAPES[shape];
}
