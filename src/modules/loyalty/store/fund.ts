/** The seller's fund lines of the money ledger beside the points of the same orders. */
import type { Db } from '../../../kernel/context.ts';
import { idsFrom } from '../../../kernel/ids.ts';
import type { GaugeDef } from '../../../kernel/route.ts';
import {
  bigint,
  boolean,
  date,
  float,
  instant,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import { type MISMATCHES, PENDING_HOURS, type Reconciled } from '../domain/points.ts';

const TYPES = raw(
  "('loyalty_program_fund', 'loyalty_program_fund_credit', 'loyalty_program_fund_credit_reversal')",
);
const CHARGED = raw("coalesce(sum(amount_minor) filter (where type = 'loyalty_program_fund'), 0)::bigint");
const CREDITED = raw("coalesce(-sum(amount_minor) filter (where type <> 'loyalty_program_fund'), 0)::bigint");

const DAY_MS = 86_400_000;

/**
 * The fund's balance by what the ledger had recorded before an instant: the sums of all months without what was
 * recorded since, so that the lines of years are not read.
 *
 * @param before milliseconds
 */
export async function fundBalance(
  { db, seller_id }: SellerDb,
  currency: string,
  before: number,
): Promise<{ readonly balance: bigint; readonly others: boolean }> {
  const since = new Date(before).toISOString();
  // Ids are in the order of recording; a process whose clock was moved back may have made them some time ahead.
  const firstId = idsFrom('jnl_', before - DAY_MS);
  const row = await db.one(statement({ balance: bigint, others: boolean })`
    with whole as (
      select currency, sum(amount_minor) as amount_minor, sum(entries) as entries
        from v_ledger_month
       where seller_id = ${seller_id}
         and type in ${TYPES}
       group by currency),
    later as (
      select e.currency, sum(e.amount_minor) as amount_minor, count(*) as entries
        from v_ledger_journal j
        join v_ledger_entry e
          on e.seller_id = j.seller_id
         and e.journal_id = j.journal_id
       where j.seller_id = ${seller_id}
         and j.journal_id >= ${firstId}
         and j.recorded_at >= ${since}::timestamptz
         and e.type in ${TYPES}
         and e.bucket is not null
       group by e.currency)
    select coalesce(sum(w.amount_minor - coalesce(l.amount_minor, 0))
             filter (where w.currency = ${currency}), 0)::bigint as balance,
           coalesce(bool_or(w.currency <> ${currency} and w.entries > coalesce(l.entries, 0)), false) as others
      from whole w
      left join later l
        on l.currency = w.currency`);
  return row ?? { balance: 0n, others: false };
}

const charged = { charged_minor: bigint, credited_minor: bigint };
const settlement = {
  settlement_id: text,
  period_start: date,
  period_end: date,
  currency: text,
  status: text,
  ...charged,
};
export type StatementRow = RowOf<typeof settlement>;

/** Closed settlements with the sums of their fund lines, newest first. */
export const statementsOf = (
  { db, seller_id }: SellerDb,
  { id, after, limit }: { id?: string; after?: readonly (string | number)[] | undefined; limit: number },
): Promise<StatementRow[]> =>
  db.all(statement(settlement)`
    select s.settlement_id, s.period_start, s.period_end, s.currency, s.status,
           coalesce(f.charged_minor, 0)::bigint as charged_minor,
           coalesce(f.credited_minor, 0)::bigint as credited_minor
      from v_settlements_settlement s
      left join lateral (
        select ${CHARGED} as charged_minor, ${CREDITED} as credited_minor
          from v_settlements_line l
          join v_ledger_entry e
            on e.seller_id = l.seller_id
           and e.entry_id = l.entry_id
         where l.seller_id = s.seller_id
           and l.settlement_id = s.settlement_id
           and e.type in ${TYPES}) f on true
     where s.seller_id = ${seller_id}
       and s.closed_at is not null
       and ${allOf(
         id !== undefined && part`s.settlement_id = ${id}`,
         after && part`(s.period_start, s.settlement_id) < (${after[0]}::date, ${after[1]})`,
       )}
     order by s.period_start desc, s.settlement_id desc
     limit ${limit}`);

const settled = { order_id: text, ...charged, points_earned: bigint, points_reversed: bigint };
/** The orders of a settlement's fund lines, with all their points. */
export const ordersOfStatement = ({ db, seller_id }: SellerDb, settlementId: string) =>
  db.all(statement(settled)`
    select f.order_id, f.charged_minor, f.credited_minor,
           coalesce(p.earned, 0)::bigint as points_earned,
           coalesce(p.reversed, 0)::bigint as points_reversed
      from (
        select e.order_id, ${CHARGED} as charged_minor, ${CREDITED} as credited_minor
          from v_settlements_line l
          join v_ledger_entry e
            on e.seller_id = l.seller_id
           and e.entry_id = l.entry_id
         where l.seller_id = ${seller_id}
           and l.settlement_id = ${settlementId}
           and e.type in ${TYPES}
           and e.order_id is not null
         group by e.order_id) f
      left join lateral (
        select sum(points) filter (where kind = 'earned') as earned,
               sum(points) filter (where kind = 'reversed') as reversed
          from points_journal
         where seller_id = ${seller_id}
           and order_id = f.order_id) p on true
     order by f.order_id`);

const reconciled = {
  order_id: text,
  currency: text,
  fund_minor: bigint,
  points_funded_minor: bigint,
  status: textOf<Reconciled>(),
  last_booked_at: instant,
  charged_without_enrolment: boolean,
};
export type ReconciledRow = RowOf<typeof reconciled>;

interface Compared {
  readonly now: number;
  readonly status?: string | undefined;
  readonly order_ids: readonly string[];
}

/** Of these orders those with points or fund lines, compared to the cent; the newest ids first. */
export function compareOrders({ db, seller_id }: SellerDb, asked: Compared): Promise<ReconciledRow[]> {
  const { now, status, order_ids } = asked;
  const due = new Date(now - PENDING_HOURS * 3_600_000).toISOString();
  return db.all(statement(reconciled)`
    with sides as (
      select e.order_id, sum(e.amount_minor) as fund, 0 as points, max(j.recorded_at) as booked_at,
             bool_or(e.type = 'loyalty_program_fund') as charged
        from v_ledger_entry e
        join v_ledger_journal j
          on j.seller_id = e.seller_id
         and j.journal_id = e.journal_id
       where e.seller_id = ${seller_id}
         and e.type in ${TYPES}
         and e.bucket is not null
         and e.order_id is not null
         and e.order_id = any(${order_ids})
       group by e.order_id
       union all
      select p.order_id, 0, sum(case when p.kind = 'reversed' then -p.funded_minor else p.funded_minor end),
             max(p.recorded_at), false
        from points_journal p
       where p.seller_id = ${seller_id}
         and p.kind in ('earned', 'reversed', 'adjusted')
         and p.order_id is not null
         and p.order_id = any(${order_ids})
       group by p.order_id),
    orders as (
      select order_id, sum(fund)::bigint as fund, sum(points)::bigint as points, max(booked_at) as booked_at,
             bool_or(charged) as charged
        from sides
       group by order_id),
    compared as (
      select o.order_id, s.currency, o.fund as fund_minor, o.points as points_funded_minor,
             case when o.fund = o.points then 'matched'
                  when o.booked_at > ${due}::timestamptz then 'pending'
                  when o.points = 0 then 'points_missing'
                  when o.fund = 0 then 'fund_missing'
                  else 'amount_differs' end as status,
             o.booked_at as last_booked_at,
             o.charged and not exists (
               select from loyalty_enrolment n
                where n.seller_id = ${seller_id}
                  and n.state in ('active', 'ending', 'ended')
                  and n.from_on <= (s.placed_at at time zone 'Australia/Sydney')::date
                  and (n.to_on is null or n.to_on > (s.placed_at at time zone 'Australia/Sydney')::date)
             ) as charged_without_enrolment
        from orders o
        join v_orders_sold s
          on s.seller_id = ${seller_id}
         and s.order_id = o.order_id)
    select order_id, currency, fund_minor, points_funded_minor, status, last_booked_at,
           charged_without_enrolment
      from compared
     where ${allOf(status !== undefined && part`status = ${status}`)}
     order by order_id desc`);
}

/** Orders that are compared at once to find those of a status. */
const LOOKED_AT = 500;

/** The next orders with points or fund lines, the newest ids first. */
async function nextOrders(
  { db, seller_id }: SellerDb,
  { after, order_id, limit }: Pick<Asked, 'after' | 'order_id' | 'limit'>,
): Promise<string[]> {
  const wanted = allOf(
    order_id !== undefined && part`order_id = ${order_id}`,
    after && part`order_id < ${after[0]}`,
  );
  const rows = await db.all(statement({ order_id: text })`
    select order_id
      from ((select distinct order_id
               from v_ledger_entry
              where seller_id = ${seller_id}
                and type in ${TYPES}
                and bucket is not null
                and order_id is not null
                and ${wanted}
              order by order_id desc
              limit ${limit})
            union
            (select distinct order_id
               from points_journal
              where seller_id = ${seller_id}
                and kind in ('earned', 'reversed', 'adjusted')
                and order_id is not null
                and ${wanted}
              order by order_id desc
              limit ${limit})) o
     order by order_id desc
     limit ${limit}`);
  return rows.map(({ order_id }) => order_id);
}

interface Asked extends Omit<Compared, 'order_ids'> {
  readonly order_id?: string | undefined;
  readonly after?: readonly (string | number)[] | undefined;
  readonly limit: number;
}

/** A page of the comparison. Unless a status is asked for, it compares no order beyond the page. */
export async function pageOfCompared(at: SellerDb, { limit, ...asked }: Asked): Promise<ReconciledRow[]> {
  const { now, status, order_id } = asked;
  const size = status === undefined ? limit : Math.max(limit, LOOKED_AT);
  const found: ReconciledRow[] = [];
  for (let { after } = asked; ; ) {
    const order_ids = await nextOrders(at, { after, order_id, limit: size });
    found.push(...(await compareOrders(at, { now, status, order_ids })));
    if (found.length >= limit || order_ids.length < size) return found.slice(0, limit);
    after = order_ids.slice(-1);
  }
}

export const mismatches = defineTable('loyalty_mismatch', ['order_id', 'status'], {
  order_id: text,
  status: textOf<(typeof MISMATCHES)[number]>(),
  told_at: instant,
  open: boolean,
});

/** Sellers with fund lines or points of some days, or with open differences. In the system's scope. */
export async function sellersToCheck(db: Db, from: string): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select seller_id
      from points_journal
     where recorded_at >= ${from}::date
     union
    select seller_id
      from v_ledger_day
     where type in ${TYPES}
       and posted_on >= ${from}::date
     union
    select seller_id
      from loyalty_mismatch
     where open`);
  return rows.map(({ seller_id }) => seller_id);
}

/** The orders of a seller that are compared again. */
export async function ordersToCheck({ db, seller_id }: SellerDb, from: string): Promise<string[]> {
  const rows = await db.all(statement({ order_id: nullable(text) })`
    select order_id
      from v_ledger_entry
     where seller_id = ${seller_id}
       and type in ${TYPES}
       and bucket is not null
       and posted_on >= ${from}::date
     union
    select order_id
      from points_journal
     where seller_id = ${seller_id}
       and posted_on >= ${from}::date
     union
    select order_id
      from loyalty_mismatch
     where seller_id = ${seller_id}
       and open`);
  return rows.flatMap(({ order_id }) => order_id ?? []);
}

/** Closes stored differences whose order has another status now, and opens those that have come again. */
export async function markMismatches(
  { db, seller_id }: SellerDb,
  rows: readonly { readonly order_id: string; readonly status: string }[],
): Promise<void> {
  const [ids, statuses] = [rows.map(({ order_id }) => order_id), rows.map(({ status }) => status)];
  await db.run(command`
    update loyalty_mismatch m
       set open = (m.status = r.status)
      from unnest(${ids}::text[], ${statuses}::text[]) as r (order_id, status)
     where m.seller_id = ${seller_id}
       and m.order_id = r.order_id
       and m.open <> (m.status = r.status)`);
}

export const mismatchGauge: GaugeDef = {
  name: 'spp_loyalty_mismatches',
  help: 'Orders whose points and loyalty fund differ',
  label: 'status',
  read: () => statement({ label: text, value: float })`
    select s.status as label,
           count(m.order_id)::float8 as value
      from (values ('points_missing'), ('fund_missing'), ('amount_differs')) as s (status)
      left join loyalty_mismatch m
        on m.status = s.status
       and m.open
     group by s.status`,
};
