import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { formatAmount } from '../../../kernel/money.ts';
import type { StatementRow } from './statement-rows.ts';

/** The columns of the native layout, which has one row for each line. */
export const DETAIL_COLUMNS: readonly CsvColumn<StatementRow>[] = [
  { name: 'settlement_id', kind: 'text', value: (row) => row.settlement_id },
  { name: 'period_start', kind: 'date', value: (row) => row.period_start },
  { name: 'period_end', kind: 'date', value: (row) => row.period_end },
  { name: 'row_no', kind: 'number', value: (row) => row.row_no },
  { name: 'row_type', kind: 'text', value: (row) => row.row_type },
  { name: 'posted_on', kind: 'date', value: (row) => row.posted_on },
  { name: 'available_on', kind: 'date', value: ({ line }) => line?.available_on },
  { name: 'order_id', kind: 'text', value: ({ line }) => line?.order_id },
  { name: 'order_line_no', kind: 'number', value: ({ line }) => line?.order_line_no },
  { name: 'sku', kind: 'text', value: ({ line }) => line?.sku },
  { name: 'quantity', kind: 'number', value: ({ line }) => line?.quantity },
  { name: 'group', kind: 'text', value: (row) => row.group },
  { name: 'type', kind: 'text', value: (row) => row.type },
  { name: 'description', kind: 'text', value: (row) => row.description },
  { name: 'amount', kind: 'decimal', value: (row) => formatAmount(row.amount, row.currency) },
  {
    name: 'running_balance',
    kind: 'decimal',
    value: (row) => formatAmount(row.running_balance, row.currency),
  },
  { name: 'currency', kind: 'text', value: (row) => row.currency },
  { name: 'transaction_id', kind: 'text', value: ({ line }) => line?.transaction_id },
  { name: 'related_id', kind: 'text', value: (row) => row.related_id },
  { name: 'invoice_id', kind: 'text', value: ({ line }) => line?.invoice_id },
  { name: 'payment_reference', kind: 'text', value: (row) => row.payment_reference },
  { name: 'order_number', kind: 'text', value: ({ line }) => line?.order_number },
];

/** The beginning of a file, for the description of the API. */
export const STATEMENT_CSV_EXAMPLE = `${csvWriter(DETAIL_COLUMNS).header}${[
  'stl_4m7x0p2k9w3c8v5n1q6t0r2y5d,2026-07-01,2026-07-15,1,opening_balance,2026-07-01,,,,,,balance,balance_carried_in,Opening balance,0.00,0.00,AUD,,,,,',
  'stl_4m7x0p2k9w3c8v5n1q6t0r2y5d,2026-07-01,2026-07-15,2,transaction,2026-07-04,2026-07-11,ord_1002,1,TEA-250,1,gross,sale,Sale TEA-250,59.95,59.95,AUD,txn_06fjd1h4k7m0p3r6t9v2x5z8b0,,,,1002',
].join('\r\n')}\r\n`;
