/** Settlements as routes read them: the closed ones from their table, the open ones computed. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { SETTLEMENT_STATUSES, type SettlementStatus } from '../domain/settlement.ts';
import { type LineRow, rangePage, settledPage } from '../store/lines.ts';
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

/** Open settlements that match a filter; none is computed when the filter names only closed states. */
async function openOnes(ctx: SellerCtx, filter: SettlementFilter): Promise<SettlementRow[]> {
  if (filter.status?.includes('open') === false) return [];
  const found = await openSettlements(ctx, policyOf(ctx));
  return found.map(({ row }) => row).filter((row) => openMatches(row, filter));
}

const before = (row: SettlementRow, [end, id]: SettlementPosition): boolean =>
  row.period_end < end || (row.period_end === end && row.settlement_id < id);

/** One page and one settlement more, the last period first. */
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

/** A settlement of the seller; an open one with the days whose lines it has. */
export interface Found {
  readonly row: SettlementRow;
  readonly range?: OpenSettlement['range'];
}

/** @throws ApiError 404 */
export async function requireSettlement(ctx: SellerCtx, settlementId: string): Promise<Found> {
  const row = await findSettlement(ctx, settlementId);
  if (row !== undefined) return { row };
  const [open] = await openSettlements(ctx, policyOf(ctx), settlementId);
  if (open === undefined) throw fail(coreErrors.not_found);
  return open;
}

/** The position of a cursor: the last line of the page before, and the balance after it. */
export type EntriesPosition = readonly [row_no: number, posted_on: string, position: string, running: string];

const BEFORE_ALL: readonly [number, string, string] = [0, '-infinity', '0'];

/** Lines of a settlement in the order of the statement; one more than the page. */
export function linesOf(
  ctx: SellerCtx,
  { row, range }: Found,
  after: EntriesPosition | undefined,
  limit: number,
): Promise<LineRow[]> {
  const [row_no, posted_on, position, running] = after ?? [...BEFORE_ALL, String(row.opening_balance_minor)];
  const at = { row_no, posted_on, position: BigInt(position), running_balance_minor: BigInt(running) };
  return range === undefined
    ? settledPage(ctx, row.settlement_id, at, limit)
    : rangePage(ctx, range, at, limit);
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
type Sums = Readonly<Record<(typeof SUMS)[number], bigint>> & { readonly settlement_count: number };

function total(rows: readonly Sums[]) {
  const sum = (name: (typeof SUMS)[number]): Minor => sumMinor(rows.map((row) => minor(row[name])));
  return {
    settlement_count: rows.reduce((count, row) => count + row.settlement_count, 0),
    ...(Object.fromEntries(SUMS.map((name) => [name, sum(name)])) as Record<(typeof SUMS)[number], Minor>),
  };
}

/** Totals of each status, with zeros where there is none, and of all. */
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
