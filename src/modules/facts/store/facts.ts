import { textArray } from '../../../platform/db/arrays.ts';
import { date, instant, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';

const PROGRESS = { through_on: nullable(date), watermark_at: nullable(instant) };
type Progress = RowOf<typeof PROGRESS>;
const NONE: Progress = { through_on: null, watermark_at: null };
const progressOf = (sellerId: string): Part => part`
    select through_on, watermark_at
      from fact_progress
     where seller_id = ${sellerId}`;

/** Locks how far the facts of the seller are, so that only one transaction at a time changes them. */
export async function lockProgress({ db, seller_id }: SellerDb): Promise<Progress> {
  db.later(command`
    insert into fact_progress (seller_id)
    values (${seller_id})
        on conflict do nothing`);
  const row = await db.one(statement(PROGRESS)`${progressOf(seller_id)} for update`);
  return row ?? NONE;
}

export const readProgress = async ({ db, seller_id }: SellerDb): Promise<Progress> =>
  (await db.one(statement(PROGRESS)`${progressOf(seller_id)}`)) ?? NONE;

export const writeProgress = ({ db, seller_id }: SellerDb, { through_on, watermark_at }: Progress) =>
  db.run(command`
    update fact_progress
       set through_on = ${through_on}::date, watermark_at = ${watermark_at}::timestamptz
     where seller_id = ${seller_id}`);

/** A Sydney day with its first instant and that of the next day. */
const DAY = { day: date, start_at: instant, next_at: instant };
export type Day = RowOf<typeof DAY>;

/** Days as a relation `d`. */
function relationOf(days: readonly Day[]): Part {
  const { from, element } = asRelation(DAY, days);
  const names = Object.keys(DAY);
  const list = raw(names.map((name) => `${element(name)} as ${name}`).join(', '));
  return part`(select ${list} from ${from} as u (${raw(names.join(', '))})) d`;
}

/**
 * The days of orders that have changed, RFC 3339.
 *
 * @param since null: all orders
 */
export async function changedDays(
  { db, seller_id }: SellerDb,
  since: string | null,
  placed: { readonly from: string; readonly to: string },
): Promise<string[]> {
  const rows = await db.all(statement({ day: date })`
    select distinct (placed_at at time zone 'Australia/Sydney')::date as day
      from v_orders_changed
     where seller_id = ${seller_id}
       and updated_at >= coalesce(${since}::timestamptz, '-infinity')
       and placed_at >= ${placed.from}::timestamptz
       and placed_at < ${placed.to}::timestamptz
     order by day`);
  return rows.map(({ day }) => day);
}

/** The facts that the orders make. @param currency of the seller; the money of other orders is left out */
const factsOf = (sellerId: string, currency: string, days: readonly Day[]): Part => part`
    select o.seller_id, d.day, o.product_id,
           sum(o.wanted)::int as demand_units,
           coalesce(sum(o.ordered) filter (where o.currency = ${currency}), 0)::int as ordered_units,
           coalesce(sum(o.net_minor) filter (where o.currency = ${currency}), 0)::bigint as ordered_minor,
           coalesce(sum(o.ordered) filter (where o.currency <> ${currency}), 0)::int as other_units
      from ${relationOf(days)}
      join v_orders_ordered o
        on o.seller_id = ${sellerId}
       and o.placed_at >= d.start_at
       and o.placed_at < d.next_at
     group by o.seller_id, d.day, o.product_id`;

const VALUES = ['demand_units', 'ordered_units', 'ordered_minor', 'other_units'];
const COLUMNS = raw(['seller_id', 'day', 'product_id', ...VALUES].join(', '));
const valuesOf = (alias: string): Part => raw(VALUES.map((name) => `${alias}.${name}`).join(', '));

/**
 * Replaces the facts of whole days. Most changes of an order, such as its delivery, change no fact: only facts that
 * differ are written.
 */
export async function replaceDays(
  { db, seller_id }: SellerDb,
  currency: string,
  days: readonly Day[],
): Promise<void> {
  await db.run(command`
    with made as materialized (${factsOf(seller_id, currency, days)}),
    kept as materialized (
      select ${COLUMNS}
        from fact_sku_day
       where seller_id = ${seller_id}
         and day = any(${textArray(days.map(({ day }) => day))}::text[]::date[])),
    gone as (
      delete from fact_sku_day f
       where f.seller_id = ${seller_id}
         and (f.day, f.product_id) in (
               select k.day, k.product_id
                 from kept k
                 left join made m
                   on m.day = k.day
                  and m.product_id = k.product_id
                where m.product_id is null))
    insert into fact_sku_day as f (${COLUMNS})
    select m.*
      from made m
      left join kept k
        on k.day = m.day
       and k.product_id = m.product_id
     where (${valuesOf('k')}) is distinct from (${valuesOf('m')})
        on conflict (seller_id, day, product_id) do update
       set ${raw(VALUES.map((name) => `${name} = excluded.${name}`).join(', '))}`);
}

/** The days and products whose facts differ from what the orders make, among whole days. */
export function differences({ db, seller_id }: SellerDb, currency: string, days: readonly Day[]) {
  return db.all(statement({ day: date, product_id: text })`
    with kept as (
      select ${COLUMNS}
        from fact_sku_day
       where seller_id = ${seller_id}
         and day = any(${textArray(days.map(({ day }) => day))}::text[]::date[])),
    made as (${factsOf(seller_id, currency, days)})
    select day, product_id
      from ((select ${COLUMNS} from kept except select ${COLUMNS} from made)
            union
            (select ${COLUMNS} from made except select ${COLUMNS} from kept)) as differing
     group by day, product_id
     order by day, product_id`);
}

/** Records the days on which a closing hid all products of the seller: the closing that held at the end of the day. */
export const recordHiddenDays = ({ db, seller_id }: SellerDb, days: readonly Day[]): Promise<number> =>
  db.run(command`
    insert into fact_outage (seller_id, product_id, cause, from_at, to_at)
    select ${seller_id}, '', 'not_visible', d.start_at, d.next_at
      from ${relationOf(days)}
      cross join lateral (
        select h.hidden_from, h.hidden_to
          from v_sellers_hidden h
         where h.seller_id = ${seller_id}
           and h.held_until > d.next_at
         order by h.held_until
         limit 1) h
     where h.hidden_from::date <= d.day
       and (h.hidden_to is null or h.hidden_to::date >= d.day)
        on conflict do nothing`);

/**
 * Opens and closes the outages of products that buyers do not find, from the first instant of today.
 *
 * @param since a day: only products that were in demand from then on are followed
 */
export async function followVisibility(
  { db, seller_id }: SellerDb,
  today: string,
  since: string,
): Promise<void> {
  db.later(command`
    update fact_outage o
       set to_at = greatest(o.from_at, ${today}::timestamptz)
     where o.seller_id = ${seller_id}
       and o.product_id <> ''
       and o.cause = 'not_visible'
       and o.to_at is null
       and o.product_id in (
             select p.product_id
               from v_products_sellable p
              where p.seller_id = ${seller_id}
                and p.product_id = o.product_id
                and p.is_visible)`);
  await db.run(command`
    insert into fact_outage (seller_id, product_id, cause, from_at)
    select f.seller_id, f.product_id, 'not_visible', ${today}::timestamptz
      from (select distinct seller_id, product_id
              from fact_sku_day
             where seller_id = ${seller_id}
               and day >= ${since}::date) f
      join v_products_sellable p
        on p.seller_id = f.seller_id
       and p.product_id = f.product_id
       and not p.is_visible
     where not exists (
             select
               from fact_outage o
              where o.seller_id = f.seller_id
                and o.product_id = f.product_id
                and o.cause = 'not_visible'
                and o.to_at is null)
        on conflict (seller_id, product_id, cause, from_at) do update
       set to_at = null`);
}
