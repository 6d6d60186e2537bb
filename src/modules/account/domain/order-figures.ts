/** The figures of an order, from its lines. Source: docs/design/money.md#order-facts. */
import { type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import type { Bucket, EntryType } from '../../ledger/domain/entry-types.ts';
import { type ByType, bucketSums } from '../../settlements/domain/settlement.ts';

export const LINE_STATUSES = ['in_hold', 'available', 'settled', 'paid'] as const;
type LineStatus = (typeof LINE_STATUSES)[number];

interface Placed {
  readonly available_on: string;
  readonly settlement_status: string | null;
}

/** The status of a line on a Sydney day. */
export function statusOfLine({ available_on, settlement_status }: Placed, today: string): LineStatus {
  if (settlement_status === null) return available_on > today ? 'in_hold' : 'available';
  return settlement_status === 'paid' ? 'paid' : 'settled';
}

interface Amounted {
  readonly type: EntryType;
  readonly amount: Minor;
}

/** Lines and their sums by type, from the seller's side. */
export function sumByType(lines: readonly Amounted[]): ByType {
  const sums: Partial<Record<EntryType, { lines: number; amount_minor: Minor }>> = {};
  for (const { type, amount } of lines) {
    const known = sums[type] ?? { lines: 0, amount_minor: minor(0) };
    sums[type] = { lines: known.lines + 1, amount_minor: sumMinor([known.amount_minor, amount]) };
  }
  return sums;
}

/** Sums of lines by bucket, from the seller's side. */
export const sumByBucket = (lines: readonly Amounted[]): Readonly<Record<Bucket, Minor>> =>
  bucketSums(sumByType(lines));
