/** Payouts as a file, with the query of the list. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { CsvFile } from '../../../kernel/csv-file.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';
import { writeCsv } from '../../../kernel/write-rows.ts';
import { pagesOf } from '../../../platform/db/pages-of.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import {
  countPayouts,
  listPayouts,
  type PayoutFilter,
  type PayoutPosition,
  type PayoutRow,
} from '../store/payouts.ts';

/** Books are kept by days in Sydney. */
const dayOf = (instant: string | null): string | null =>
  instant === null ? null : sydneyDate(Date.parse(instant));

const COLUMNS: readonly CsvColumn<PayoutRow>[] = [
  { name: 'payout_id', kind: 'text', value: (row) => row.payout_id },
  { name: 'settlement_id', kind: 'text', value: (row) => row.settlement_id },
  { name: 'attempt', kind: 'number', value: (row) => row.attempt },
  { name: 'status', kind: 'text', value: (row) => row.status },
  { name: 'amount', kind: 'decimal', value: (row) => formatAmount(minor(row.amount_minor), row.currency) },
  { name: 'currency', kind: 'text', value: (row) => row.currency },
  { name: 'created_on', kind: 'date', value: (row) => dayOf(row.created_at) },
  { name: 'sent_on', kind: 'date', value: (row) => dayOf(row.sent_at) },
  { name: 'paid_on', kind: 'date', value: (row) => dayOf(row.paid_at) },
  { name: 'returned_on', kind: 'date', value: (row) => dayOf(row.returned_at) },
  { name: 'failure_code', kind: 'text', value: (row) => row.failure_code },
  { name: 'payment_reference', kind: 'text', value: (row) => row.payment_reference },
  { name: 'bank_reference', kind: 'text', value: (row) => row.bank_reference },
  { name: 'provider', kind: 'text', value: (row) => row.provider },
  { name: 'provider_payout_id', kind: 'text', value: (row) => row.provider_payout_id },
  { name: 'retry_of', kind: 'text', value: (row) => row.retry_of },
];
/** The beginning of a file, for the description of the API. */
export const PAYOUTS_CSV_EXAMPLE = `${csvWriter(COLUMNS).header}pay_06fjh5m2k9x0001a2b3c4d5e6f,stl_4m7x0p2k9w3c8v5n1q6t0r2y5d,1,paid,949.59,AUD,2026-07-16,2026-07-16,2026-07-17,,,SPP-4M7X0P2K,,manual,po_1,\r\n`;
/** The payouts of one currency, the newest first. Each attempt is a row. */
export async function payoutsFile(
  at: SellerDb,
  filter: PayoutFilter & { readonly currency: string },
): Promise<CsvFile> {
  const pages = pagesOf(
    (after: PayoutPosition | undefined, limit) => listPayouts(at, filter, after, limit),
    (last): PayoutPosition => [last.created_at, last.payout_id],
  );
  return { rows: await countPayouts(at, filter), text: () => writeCsv(pages, COLUMNS) };
}
