/** Closed settlements. Every statement names the seller: it works in the seller's and in the system's scope. */

import type { Db } from '../../../kernel/context.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { INSTANT } from '../../../platform/db/instant.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type CheckRow, PAYOUT_CHECK } from '../../reconciliation/index.ts';
import type { PayoutStatus } from '../domain/payout-status.ts';
import type { CarryReason, HoldReason, SettlementStatus } from '../domain/settlement.ts';
import type { LineTotals } from './lines.ts';

export interface StatusChange {
  readonly status: string;
  readonly at: string;
  readonly actor: string;
  readonly reason: string | null;
}

interface Amounts {
  readonly opening_balance_minor: bigint;
  readonly gross_amount_minor: bigint;
  readonly fees_minor: bigint;
  readonly adjustments_minor: bigint;
  readonly net_amount_minor: bigint;
  readonly reserve_change_minor: bigint;
  readonly payable_amount_minor: bigint;
  readonly payout_amount_minor: bigint;
  readonly closing_balance_minor: bigint;
}

/** A settlement with all that belongs to it; instants are RFC 3339, days `YYYY-MM-DD`. */
export interface SettlementRow extends Amounts {
  readonly settlement_id: string;
  readonly currency: string;
  readonly period_start: string;
  readonly period_end: string;
  readonly status: SettlementStatus;
  readonly by_type: LineTotals['by_type'];
  readonly order_count: number;
  readonly line_count: number;
  /** Null while it is open. */
  readonly lines_sha256: string | null;
  readonly calculation_version: number;
  readonly ledger_position: bigint;
  readonly carry_reason: CarryReason | null;
  readonly expected_payout_on: string | null;
  readonly paid_on: string | null;
  readonly payment_reference: string | null;
  readonly created_at: string | null;
  readonly closed_at: string | null;
  readonly closed_by: string | null;
  readonly version: number;
  /** The attempt that counts: the last one. */
  readonly payout_id: string | null;
  readonly payout: { readonly status: PayoutStatus; readonly checked: CheckRow | null } | null;
  readonly invoice_ids: readonly string[];
  readonly hold_reasons: readonly HoldReason[];
  readonly status_history: readonly StatusChange[];
}

const day = (column: string) => `s.${column}::text as ${column}`;
const AMOUNTS =
  's.opening_balance_minor, s.gross_amount_minor, s.fees_minor, s.adjustments_minor, s.net_amount_minor, ' +
  's.reserve_change_minor, s.payable_amount_minor, s.payout_amount_minor, s.closing_balance_minor';
const REASONS =
  'array(select distinct h.reason from settlement_hold h where h.seller_id = s.seller_id and h.active ' +
  "and h.settlement_id in ('', s.settlement_id) order by 1)";
const LAST_PAYOUT = (what: string) =>
  `(select ${what} from v_payouts_payout p where p.seller_id = s.seller_id and p.settlement_id = s.settlement_id ` +
  'order by p.attempt desc limit 1)';
const WHOLE =
  `s.settlement_id, s.currency, ${day('period_start')}, ${day('period_end')}, s.status, ${AMOUNTS}, s.by_type, s.order_count, ` +
  's.line_count, s.lines_sha256, s.calculation_version, s.ledger_position, s.carry_reason, ' +
  `${day('expected_payout_on')}, ${day('paid_on')}, s.payment_reference, s.created_at, s.closed_at, s.closed_by, s.version, ` +
  `${LAST_PAYOUT('p.payout_id')} as payout_id, ` +
  `${LAST_PAYOUT(`json_build_object('status', p.status, 'checked', ${PAYOUT_CHECK})`)} as payout, ` +
  'array(select i.invoice_id::text from v_invoices_invoice i where i.seller_id = s.seller_id and i.settlement_id = s.settlement_id ' +
  'order by i.invoice_number, i.invoice_id) as invoice_ids, ' +
  `case when s.status = 'on_hold' then ${REASONS} else '{}' end as hold_reasons, ` +
  "coalesce((select json_agg(json_build_object('status', c.status, 'at', " +
  `${INSTANT('c.at')}, 'actor', c.actor, 'reason', c.reason) order by c.number) from settlement_change c ` +
  "where c.seller_id = s.seller_id and c.settlement_id = s.settlement_id), '[]') as status_history";

export interface SettlementFilter {
  readonly status?: readonly string[] | undefined;
  readonly currency?: string | undefined;
  /** Periods that end on or after this day, and that begin on or before that one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly include_empty?: boolean | undefined;
}

/** Last day of the period, and id, of the last row of the page before. */
export type SettlementPosition = readonly [period_end: string, settlement_id: string];

function filtered(sellerId: string, filter: SettlementFilter): Conditions {
  const where = new Conditions();
  where.add((p) => `s.seller_id = ${p}`, sellerId);
  if (filter.status !== undefined) where.add((p) => `s.status = any(${p})`, filter.status);
  if (filter.currency !== undefined) where.add((p) => `s.currency = ${p}`, filter.currency);
  if (filter.from !== undefined) where.add((p) => `s.period_end >= ${p}::date`, filter.from);
  if (filter.to !== undefined) where.add((p) => `s.period_start <= ${p}::date`, filter.to);
  if (filter.include_empty !== true && !filter.status?.includes('no_activity'))
    where.fixed("s.status <> 'no_activity'");
  return where;
}

/** One page and one settlement beyond it, the last period first; the page is cut before the rest is read. */
export function listSettlements(
  db: Db,
  sellerId: string,
  filter: SettlementFilter,
  after: SettlementPosition | undefined,
  limit: number,
): Promise<SettlementRow[]> {
  const where = filtered(sellerId, filter);
  if (after !== undefined)
    where.fixed(
      `(s.period_end, s.settlement_id) < (${where.value(after[0])}::date, ${where.value(after[1])})`,
    );
  const order = 'order by s.period_end desc, s.settlement_id desc';
  const page = `select s.* from settlement s where ${where.text} ${order} limit ${where.value(limit + 1)}::int`;
  return db.all<SettlementRow>(sql(`select ${WHOLE} from (${page}) s ${order}`, where.values));
}

const BY_ID = `select ${WHOLE} from settlement s where s.seller_id = $1 and s.settlement_id = $2`;

export function findSettlement(
  db: Db,
  sellerId: string,
  settlementId: string,
): Promise<SettlementRow | undefined> {
  return db.one<SettlementRow>(sql(BY_ID, [sellerId, settlementId]));
}

const WITH_STATUS =
  `select ${WHOLE}, ${REASONS} as standing_reasons from settlement s ` +
  'where s.seller_id = $1 and s.status = any($2) order by s.period_end, s.settlement_id';

/** Settlements of some states, the oldest first, each with the reasons to hold it, held or not. */
export function settlementsWithStatus(
  db: Db,
  sellerId: string,
  statuses: readonly SettlementStatus[],
): Promise<(SettlementRow & { readonly standing_reasons: readonly HoldReason[] })[]> {
  return db.all(sql(WITH_STATUS, [sellerId, statuses]));
}

export interface StatusSum {
  readonly status: SettlementStatus;
  readonly settlement_count: number;
  readonly gross_amount_minor: bigint;
  readonly fees_minor: bigint;
  readonly adjustments_minor: bigint;
  readonly net_amount_minor: bigint;
  readonly payout_amount_minor: bigint;
}

/** Totals of closed settlements by status; a status without any has no row. */
export function sumByStatus(db: Db, sellerId: string, filter: SettlementFilter): Promise<StatusSum[]> {
  const where = filtered(sellerId, filter);
  const sums = [
    'gross_amount_minor',
    'fees_minor',
    'adjustments_minor',
    'net_amount_minor',
    'payout_amount_minor',
  ]
    .map((column) => `sum(s.${column})::bigint as ${column}`)
    .join(', ');
  return db.all<StatusSum>(
    sql(
      `select s.status, count(*)::int as settlement_count, ${sums} from settlement s where ${where.text} group by s.status`,
      where.values,
    ),
  );
}

export type NewSettlement = Amounts &
  Pick<
    SettlementRow,
    | 'settlement_id'
    | 'currency'
    | 'period_start'
    | 'period_end'
    | 'status'
    | 'by_type'
    | 'order_count'
    | 'line_count'
    | 'calculation_version'
    | 'ledger_position'
    | 'carry_reason'
    | 'expected_payout_on'
  > & { readonly lines_sha256: string; readonly closed_at: string; readonly closed_by: string };

const INSERT =
  'insert into settlement (seller_id, settlement_id, currency, period_start, period_end, status, opening_balance_minor, ' +
  'gross_amount_minor, fees_minor, adjustments_minor, net_amount_minor, reserve_change_minor, payable_amount_minor, ' +
  'payout_amount_minor, closing_balance_minor, by_type, order_count, line_count, lines_sha256, calculation_version, ' +
  'ledger_position, carry_reason, expected_payout_on, created_at, closed_at, closed_by, version) values ' +
  `(${Array.from({ length: 23 }, (_, index) => `$${index + 1}`).join(', ')}, $24, $24, $25, 1)`;

export async function insertSettlement(db: Db, sellerId: string, row: NewSettlement): Promise<void> {
  await db.run(
    sql(INSERT, [
      sellerId,
      row.settlement_id,
      row.currency,
      row.period_start,
      row.period_end,
      row.status,
      row.opening_balance_minor,
      row.gross_amount_minor,
      row.fees_minor,
      row.adjustments_minor,
      row.net_amount_minor,
      row.reserve_change_minor,
      row.payable_amount_minor,
      row.payout_amount_minor,
      row.closing_balance_minor,
      JSON.stringify(row.by_type),
      row.order_count,
      row.line_count,
      row.lines_sha256,
      row.calculation_version,
      row.ledger_position,
      row.carry_reason,
      row.expected_payout_on,
      row.closed_at,
      row.closed_by,
    ]),
  );
}

/** What may still change of a closed settlement; absent: as it is. */
export interface SettlementUpdate {
  readonly status: SettlementStatus;
  readonly expected_payout_on?: string | null;
  readonly paid_on?: string | null;
  readonly payment_reference?: string | null;
}

const UPDATE =
  'update settlement set status = $3, expected_payout_on = $4, paid_on = $5, payment_reference = $6, version = version + 1 ' +
  'where seller_id = $1 and settlement_id = $2';

export async function updateSettlement(
  db: Db,
  sellerId: string,
  row: SettlementRow,
  change: SettlementUpdate,
): Promise<void> {
  const after = { ...row, ...change };
  await db.run(
    sql(UPDATE, [
      sellerId,
      row.settlement_id,
      after.status,
      after.expected_payout_on,
      after.paid_on,
      after.payment_reference,
    ]),
  );
}

const CHANGE =
  'insert into settlement_change (seller_id, settlement_id, number, status, at, actor, reason) ' +
  'select $1::text, $2::text, coalesce(max(number), 0) + 1, $3, $4, $5, $6 from settlement_change where seller_id = $1 and settlement_id = $2';

export async function addStatusChange(
  db: Db,
  sellerId: string,
  settlementId: string,
  { status, at, actor, reason }: StatusChange,
): Promise<void> {
  await db.run(sql(CHANGE, [sellerId, settlementId, status, at, actor, reason]));
}

const DUE =
  "select seller_id, settlement_id from settlement where status in ('ready', 'payment_failed') and expected_payout_on <= $1::date " +
  'and (seller_id, settlement_id) > ($2, $3) order by seller_id, settlement_id limit $4::int';

export interface DueSettlement {
  readonly seller_id: string;
  readonly settlement_id: string;
}

/** Settlements whose next payout is due on a day, in the system's scope; a page behind the one before. */
export function dueSettlements(
  db: Db,
  today: string,
  after: DueSettlement | undefined,
  limit: number,
): Promise<DueSettlement[]> {
  const values = [today, after?.seller_id ?? '', after?.settlement_id ?? '', limit];
  return db.all<DueSettlement>(sql(DUE, values));
}
