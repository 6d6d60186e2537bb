/** Settlements as routes read them: the closed ones from their table, the open ones computed. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { type Minor, sumMinor } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { SETTLEMENT_STATUSES, type SettlementStatus } from '../domain/settlement.ts';
import { type LinePosition, type LineRow, rangePage, settledPage } from '../store/lines.ts';
import {
  findSettlement,
  listSettlements,
  type SettlementFilter,
  type SettlementPosition,
  type SettlementRow,
  sumByStatus,
} from '../store/settlements.ts';
import { type OpenSettlement, openSettlements } from './open-settlements.ts';
import { policyOf } from './policy.ts';

const isEmpty = ({ line_count, opening_balance_minor }: SettlementRow): boolean =>
  line_count === 0 && opening_balance_minor === 0n;

function openMatches(row: SettlementRow, filter: SettlementFilter): boolean {
  const { status, currency, from, to } = filter;
  return (
    (status === undefined || status.includes('open')) &&
    (currency === undefined || row.currency === currency) &&
    (from === undefined || row.period_end >= from) &&
    (to === undefined || row.period_start <= to) &&
    (filter.include_empty === true || !isEmpty(row))
  );
}

/** The open settlements that match a filter. If the filter has only closed states, none is computed. */
async function openOnes(ctx: SellerCtx, filter: SettlementFilter): Promise<SettlementRow[]> {
  if (filter.status?.includes('open') === false) return [];
  const found = await openSettlements(ctx, policyOf(ctx));
  return found.map(({ row }) => row).filter((row) => openMatches(row, filter));
}

const before = (row: SettlementRow, [end, id]: SettlementPosition): boolean =>
  row.period_end < end || (row.period_end === end && row.settlement_id < id);

/** One page of settlements and one more, the last period first. */
export async function settlementPage(
  ctx: SellerCtx,
  filter: SettlementFilter,
  after: SettlementPosition | undefined,
  limit: number,
): Promise<SettlementRow[]> {
  const [open, closed] = await Promise.all([
    openOnes(ctx, filter),
    listSettlements(ctx, filter, after, limit),
  ]);
  return [...open.filter((row) => after === undefined || before(row, after)), ...closed]
    .sort((one, other) => (before(one, [other.period_end, other.settlement_id]) ? 1 : -1))
    .slice(0, limit + 1);
}

/** A settlement of the seller. An open settlement has the days whose lines belong to it. */
export type Found = Pick<OpenSettlement, 'row'> & Partial<OpenSettlement>;

/** @throws ApiError 404 */
export async function requireSettlement(ctx: SellerCtx, settlementId: string): Promise<Found> {
  const row = await findSettlement(ctx, settlementId);
  if (row !== undefined) return { row };
  const [open] = await openSettlements(ctx, policyOf(ctx), settlementId);
  if (open === undefined) throw fail(coreErrors.not_found);
  return open;
}

/** The position of a cursor: the last line of the previous page, and the balance after it. */
export type EntriesPosition = readonly [row_no: number, posted_on: string, position: string, running: string];

const BEFORE_ALL = { row_no: 0, posted_on: '-infinity', position: 0n };

/** The lines of a settlement after a given line, in the order of the statement, one more than the limit. */
export const linesAfter = (
  at: SellerDb,
  { row, range }: Found,
  after: LinePosition | undefined,
  limit: number,
): Promise<LineRow[]> => {
  const last = after ?? { ...BEFORE_ALL, running_balance_minor: row.opening_balance_minor };
  return range === undefined
    ? settledPage(at, row.settlement_id, last, limit)
    : rangePage(at, range, last, limit);
};

/** The lines of a settlement after the position of a cursor. */
export function linesOf(at: SellerDb, found: Found, after: EntriesPosition | undefined, limit: number) {
  if (after === undefined) return linesAfter(at, found, undefined, limit);
  const [row_no, posted_on, position, running] = after;
  const last = { row_no, posted_on, position: BigInt(position), running_balance_minor: BigInt(running) };
  return linesAfter(at, found, last, limit);
}

export const positionOf = (line: LineRow): EntriesPosition => [
  line.row_no,
  line.posted_on,
  String(line.position),
  String(line.running_balance_minor),
];

const SUMS = [
  'gross_amount_minor',
  'fees_minor',
  'adjustments_minor',
  'net_amount_minor',
  'payout_amount_minor',
] as const;
type Sums = Readonly<Record<(typeof SUMS)[number], Minor>> & { readonly settlement_count: number };

function total(rows: readonly Sums[]) {
  const sums = SUMS.map((name) => [name, sumMinor(rows.map((row) => row[name]))] as const);
  return {
    settlement_count: rows.reduce((count, row) => count + row.settlement_count, 0),
    ...(Object.fromEntries(sums) as Record<(typeof SUMS)[number], Minor>),
  };
}

/** The totals of each status and of all settlements. A status without settlements has zeros. */
export async function settlementTotals(ctx: SellerCtx, filter: SettlementFilter) {
  const [open, closed] = await Promise.all([openOnes(ctx, filter), sumByStatus(ctx, filter)]);
  const rows: (Sums & { readonly status: SettlementStatus })[] = [
    ...open.map((row) => ({ ...row, settlement_count: 1 })),
    ...closed,
  ];
  const by_status = SETTLEMENT_STATUSES.map((status) => ({
    status,
    ...total(rows.filter((row) => row.status === status)),
  }));
  return { by_status, totals: total(rows) };
}
