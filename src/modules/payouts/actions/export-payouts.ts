/** Payouts as a file, with the query of the list. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { CsvFile } from '../../../kernel/csv-file.ts';
import { type CsvColumn, csvWriter } from '../../../kernel/csv-writer.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';
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
const ROWS_AT_ONCE = 1_000;

/** Payouts of one currency, the newest first; each attempt is one. */
export async function payoutsFile(
  at: SellerDb,
  filter: PayoutFilter & { readonly currency: string },
): Promise<CsvFile> {
  const writer = csvWriter(COLUMNS);
  async function* text(): AsyncGenerator<string> {
    yield writer.header;
    let after: PayoutPosition | undefined;
    for (;;) {
      const page = await listPayouts(at, filter, after, ROWS_AT_ONCE);
      const rows = page.slice(0, ROWS_AT_ONCE);
      yield rows.map((row) => writer.line(row)).join('');
      const last = rows.at(-1);
      if (page.length <= ROWS_AT_ONCE || last === undefined) return;
      after = [last.created_at, last.payout_id];
    }
  }
  return { rows: await countPayouts(at, filter), text };
}
