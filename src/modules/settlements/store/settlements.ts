/** Closed settlements. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  date,
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
  textsOf,
} from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import { type CheckRow, PAYOUT_CHECK } from '../../reconciliation/index.ts';
import type { PayoutStatus } from '../domain/payout-status.ts';
import type { CarryReason, HoldReason, SettlementStatus } from '../domain/settlement.ts';
import type { LineTotals } from './lines.ts';
import { type StatusChange, statusHistory } from './status-history.ts';

const settlements = defineTable('settlement', ['settlement_id'], {
  settlement_id: text,
  currency: text,
  period_start: date,
  period_end: date,
  status: textOf<SettlementStatus>(),
  opening_balance_minor: money,
  gross_amount_minor: money,
  fees_minor: money,
  adjustments_minor: money,
  net_amount_minor: money,
  reserve_change_minor: money,
  payable_amount_minor: money,
  payout_amount_minor: money,
  closing_balance_minor: money,
  by_type: json<LineTotals['by_type']>('json'),
  order_count: integer,
  line_count: integer,
  /** Null while it is open. */
  lines_sha256: nullable(text),
  calculation_version: integer,
  ledger_position: bigint,
  carry_reason: nullable(textOf<CarryReason>()),
  expected_payout_on: nullable(date),
  paid_on: nullable(date),
  payment_reference: nullable(text),
  created_at: nullable(instant),
  closed_at: nullable(instant),
  closed_by: nullable(text),
  version: integer,
});

const history = statusHistory('settlement_change', 'settlement_id');

/** A settlement with its last payout, its invoices, its holds and its history. */
const whole = {
  ...settlements.columns,
  /** The last attempt to pay. */
  payout_id: nullable(text),
  payout: nullable(json<{ readonly status: PayoutStatus; readonly checked: CheckRow | null }>()),
  invoice_ids: textsOf(),
  hold_reasons: textsOf<HoldReason>(),
  status_history: json<readonly StatusChange[]>(),
};
export type SettlementRow = RowOf<typeof whole>;

const REASONS = part`
  array(select distinct h.reason
          from v_settlements_hold h
         where h.seller_id = s.seller_id and h.settlement_id in ('', s.settlement_id)
         order by 1)`;
const lastPayout = (what: Part) => part`
  (select ${what}
     from v_payouts_payout p
    where p.seller_id = s.seller_id and p.settlement_id = s.settlement_id
    order by p.attempt desc
    limit 1)`;
const WHOLE = part`
  ${settlements.listOf('s')},
  ${lastPayout(raw('p.payout_id'))} as payout_id,
  ${lastPayout(part`json_build_object('status', p.status, 'checked', ${PAYOUT_CHECK})`)} as payout,
  array(select i.invoice_id::text
          from v_invoices_invoice i
         where i.seller_id = s.seller_id and i.settlement_id = s.settlement_id
         order by i.invoice_number, i.invoice_id) as invoice_ids,
  case when s.status = 'on_hold' then ${REASONS} else '{}' end as hold_reasons,
  ${history.of('s')} as status_history`;

export interface SettlementFilter {
  readonly status?: readonly string[] | undefined;
  readonly currency?: string | undefined;
  /** Periods that end on this day or later. `to` limits them to those that begin on that day or earlier. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly include_empty?: boolean | undefined;
}

/** The last day of the period, and the id, of the last row of the previous page. */
export type SettlementPosition = readonly [period_end: string, settlement_id: string];

function matches(sellerId: string, { status, currency, from, to, include_empty }: SettlementFilter): Part {
  const withEmpty = include_empty === true || status?.includes('no_activity') === true;
  return allOf(
    part`s.seller_id = ${sellerId}`,
    status !== undefined && part`s.status = any(${textArray(status)}::text[])`,
    currency !== undefined && part`s.currency = ${currency}`,
    from !== undefined && part`s.period_end >= ${from}::date`,
    to !== undefined && part`s.period_start <= ${to}::date`,
    !withEmpty && part`s.status <> 'no_activity'`,
  );
}

/** One page of settlements and one more, the last period first. The page is cut before other tables are read. */
export function listSettlements(
  { db, seller_id }: SellerDb,
  filter: SettlementFilter,
  after: SettlementPosition | undefined,
  limit: number,
): Promise<SettlementRow[]> {
  const behind = after && part`(s.period_end, s.settlement_id) < (${after[0]}::date, ${after[1]})`;
  const order = part`order by s.period_end desc, s.settlement_id desc`;
  return db.all(statement(whole)`
    select ${WHOLE}
      from (select s.*
              from settlement s
             where ${allOf(matches(seller_id, filter), behind)}
             ${order}
             limit ${limit + 1}) s
    ${order}`);
}

export const findSettlement = (
  { db, seller_id }: SellerDb,
  settlementId: string,
): Promise<SettlementRow | undefined> =>
  db.one(statement(whole)`
    select ${WHOLE}
      from settlement s
     where s.seller_id = ${seller_id}
       and s.settlement_id = ${settlementId}`);

const withReasons = { ...whole, standing_reasons: textsOf<HoldReason>() };

/** Settlements in some states, the oldest first, with the reasons to hold them. */
export const settlementsWithStatus = (
  { db, seller_id }: SellerDb,
  statuses: readonly SettlementStatus[],
): Promise<RowOf<typeof withReasons>[]> =>
  db.all(statement(withReasons)`
    select ${WHOLE}, ${REASONS} as standing_reasons
      from settlement s
     where s.seller_id = ${seller_id}
       and s.status = any(${textArray(statuses)}::text[])
     order by s.period_end, s.settlement_id`);

const statusSum = {
  status: textOf<SettlementStatus>(),
  settlement_count: integer,
  gross_amount_minor: money,
  fees_minor: money,
  adjustments_minor: money,
  net_amount_minor: money,
  payout_amount_minor: money,
};

/** Totals of closed settlements by status; a status without any has no row. */
export const sumByStatus = (
  { db, seller_id }: SellerDb,
  filter: SettlementFilter,
): Promise<RowOf<typeof statusSum>[]> =>
  db.all(statement(statusSum)`
    select s.status, count(*)::int as settlement_count,
           sum(s.gross_amount_minor)::bigint as gross_amount_minor,
           sum(s.fees_minor)::bigint as fees_minor,
           sum(s.adjustments_minor)::bigint as adjustments_minor,
           sum(s.net_amount_minor)::bigint as net_amount_minor,
           sum(s.payout_amount_minor)::bigint as payout_amount_minor
      from settlement s
     where ${matches(seller_id, filter)}
     group by s.status`);

/** @throws Error if the settlement exists, which cannot happen because the caller holds the lock of the ledger */
export async function insertSettlement(at: SellerDb, row: RowIn<typeof settlements>): Promise<void> {
  if (!(await settlements.insert(at, row))) throw new Error(`settlement ${row.settlement_id} exists`);
}

/** The fields of a closed settlement that can change. An absent field keeps its value. */
export interface SettlementUpdate {
  readonly status: SettlementStatus;
  readonly expected_payout_on?: string | null;
  readonly paid_on?: string | null;
  readonly payment_reference?: string | null;
}

export async function updateSettlement(
  at: SellerDb,
  row: SettlementRow,
  change: SettlementUpdate,
): Promise<void> {
  const { status, expected_payout_on, paid_on, payment_reference } = { ...row, ...change };
  await settlements.change(
    at,
    part`status = ${status}, expected_payout_on = ${expected_payout_on}, paid_on = ${paid_on},
     payment_reference = ${payment_reference}, version = version + 1`,
    part`settlement_id = ${row.settlement_id}`,
  );
}

export const addStatusChange = (at: SellerDb, settlementId: string, change: StatusChange): Promise<void> =>
  history.add(at, settlementId, change);

const due = { seller_id: text, settlement_id: text };
export type DueSettlement = RowOf<typeof due>;

/** One page of settlements whose next payout is due on a day. It runs in the system's scope. */
export const dueSettlements = (
  db: Db,
  today: string,
  after: DueSettlement | undefined,
  limit: number,
): Promise<DueSettlement[]> =>
  db.all(statement(due)`
    select seller_id, settlement_id
      from settlement
     where status in ('ready', 'payment_failed')
       and expected_payout_on <= ${today}::date
       and (seller_id, settlement_id) > (${after?.seller_id ?? ''}, ${after?.settlement_id ?? ''})
     order by seller_id, settlement_id
     limit ${limit}`);
