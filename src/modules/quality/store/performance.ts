/** What counts against a seller, its sums by day, and the targets. */

import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import {
  boolean,
  date,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, oneOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation, defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import {
  DEFAULT_TARGETS,
  type Fact,
  METRICS,
  type Metric,
  type Served,
  type Target,
} from '../domain/performance.ts';

export const countedEvents = defineTable('quality_event', ['event_id'], {
  event_id: text,
  metric: textOf<Metric>(),
  order_id: text,
  day: date,
  since_at: instant,
  fact: json<Fact>(),
  /** False: a contest was upheld. */
  counted: boolean,
  /** The order counts against the seller no longer. The row stays, because it may again. */
  gone: boolean,
});
export type EventRow = RowIn<typeof countedEvents>;

/** The ids of the events about some orders. */
export async function eventsOfOrders(at: SellerDb, orderIds: readonly string[]): Promise<string[]> {
  const rows = await countedEvents.all(at, part`${oneOf(raw('order_id'), orderIds)} order by event_id`);
  return rows.map(({ event_id }) => event_id);
}

/** The days on which an order is counted, by metric. */
type OrderDays = Readonly<Partial<Record<Metric, string>>>;
export const countedOrders = defineTable('quality_order', ['order_id'], {
  order_id: text,
  days: json<OrderDays>(),
  /** The last of them. */
  day: date,
});

const NIGHT = {
  /** Changes of orders were followed up to this instant. */
  watermark_at: nullable(instant),
  /** The last Sydney day that is counted. */
  through_on: nullable(date),
  told: json<Readonly<Partial<Record<Metric, 'met' | 'missed'>>>>(),
};
type NightRow = RowOf<typeof NIGHT>;

/** Locks the figures of a seller until the transaction ends. */
export async function holdNight({ db, seller_id }: SellerDb): Promise<NightRow> {
  db.later(command`
    insert into quality_night (seller_id)
    values (${seller_id})
        on conflict do nothing`);
  const row = await db.one(statement(NIGHT)`
    select watermark_at, through_on, told
      from quality_night
     where seller_id = ${seller_id}
       for update`);
  if (row === undefined) throw new Error('the row was inserted');
  return row;
}

/** The last Sydney day that is counted; undefined before the first night. */
export async function countedThrough({ db, seller_id }: SellerDb): Promise<string | undefined> {
  const row = await db.one(statement({ through_on: nullable(date) })`
    select through_on
      from quality_night
     where seller_id = ${seller_id}`);
  return row?.through_on ?? undefined;
}

export async function saveNight(
  { db, seller_id }: SellerDb,
  { watermark_at, through_on, told }: NightRow,
): Promise<void> {
  await db.run(command`
    update quality_night
       set watermark_at = ${watermark_at},
           through_on = ${through_on}::date,
           told = ${JSON.stringify(told)}
     where seller_id = ${seller_id}`);
}

const SERVED = {
  order_id: text,
  /** The whole instant of the last change: with milliseconds alone, orders of one would be read again and again. */
  changed_at: text,
  accept_by: instant,
  dispatch_by: nullable(instant),
  expired_at: nullable(instant),
  delivered_at: nullable(instant),
  dispatched_at: nullable(instant),
  units: json<Served['units']>('json'),
  given_up: json<Served['given_up']>('json'),
  lost_disputes: json<Served['lost_disputes']>('json'),
  returned: json<Served['returned']>('json'),
  ratings: json<Served['ratings']>('json'),
};
export type ServedRow = RowOf<typeof SERVED>;

const served = (sellerId: string, tail: Part) => statement(SERVED)`
  select o.order_id, o.updated_at::text as changed_at, o.accept_by, o.dispatch_by, o.expired_at, o.delivered_at,
         o.dispatched_at, o.units, o.given_up, o.lost_disputes, o.returned,
         (select coalesce(json_agg(json_build_object('id', r.rating_id, 'at', r.posted_at, 'stars', r.stars)
                            order by r.posted_at), '[]')
            from v_reviews_rating r
           where r.seller_id = ${sellerId}
             and r.order_id = o.order_id
             and r.status = 'counted') as ratings
    from v_orders_served o
   where o.seller_id = ${sellerId}
     and ${tail}`;

/** Orders that have changed since an instant, the first changed first. */
export const changedOrders = (
  { db, seller_id }: SellerDb,
  after: Pick<ServedRow, 'changed_at' | 'order_id'>,
  limit: number,
): Promise<ServedRow[]> =>
  db.all(
    served(
      seller_id,
      part`(o.updated_at, o.order_id) > (${after.changed_at}::timestamptz, ${after.order_id})
     order by o.updated_at, o.order_id
     limit ${limit}`,
    ),
  );

/** Orders whose ratings have changed since an instant. */
export const ratedOrders = ({ db, seller_id }: SellerDb, since: string): Promise<ServedRow[]> =>
  db.all(
    served(
      seller_id,
      part`o.order_id in (
           select r.order_id
             from v_reviews_rating r
            where r.seller_id = ${seller_id}
              and r.updated_at >= ${since}::timestamptz)`,
    ),
  );

/** What is known of some orders. */
export async function knownOf({ db, seller_id }: SellerDb, orderIds: readonly string[]) {
  const some = oneOf(raw('order_id'), orderIds);
  const [orders, events] = await Promise.all([
    db.all(countedOrders.select(seller_id, some)),
    db.all(countedEvents.select(seller_id, some)),
  ]);
  return { orders, events };
}

const DELTA = { metric: textOf<Metric>(), day: date, numerator: integer, denominator: integer };
export type Delta = RowOf<typeof DELTA>;

/** Adds to the sums of days. */
export async function addToDays({ db, seller_id }: SellerDb, deltas: readonly Delta[]): Promise<void> {
  if (deltas.length === 0) return;
  const { from, element } = asRelation(DELTA, deltas);
  await db.run(command`
    insert into quality_day as d (seller_id, metric, day, numerator, denominator)
    select ${seller_id}, u.metric, ${raw(element('day'))}, sum(u.numerator), sum(u.denominator)
      from ${from} as u (metric, day, numerator, denominator)
     group by 2, 3
    having sum(u.numerator) <> 0 or sum(u.denominator) <> 0
        on conflict (seller_id, metric, day) do update
       set numerator = d.numerator + excluded.numerator,
           denominator = d.denominator + excluded.denominator`);
}

const days = { day: date, numerator: integer, denominator: integer };
/** The sums of the days of a metric. */
export const daysBetween = ({ db, seller_id }: SellerDb, metric: Metric, from: string, to: string) =>
  db.all(statement(days)`
    select day, numerator, denominator
      from quality_day
     where seller_id = ${seller_id}
       and metric = ${metric}
       and day between ${from}::date and ${to}::date`);

/**
 * The sums of all metrics from one day to another, apart for the days before and from `since` on, and for the days of
 * each target. `day` is the first day of such a part.
 */
export const sumsBetween = (
  { db, seller_id }: SellerDb,
  { from, since, to }: { readonly from: string; readonly since: string; readonly to: string },
) =>
  db.all(statement(DELTA)`
    with parts as (
      select array(
             select unnest(array[${from}::date, ${since}::date])
              union
             select effective_from
               from quality_target
              where effective_from between ${from}::date and ${to}::date
              order by 1) as starts)
    select metric, starts[width_bucket(day, starts)] as day,
           sum(numerator)::integer as numerator, sum(denominator)::integer as denominator
      from quality_day, parts
     where seller_id = ${seller_id}
       and metric = any(${textArray(METRICS)}::text[])
       and day between ${from}::date and ${to}::date
     group by 1, 2`);

/** SQL condition on `quality_event`: the marketplace has not decided about its contest. */
const CONTESTED = part`
  exists (select
            from v_contests_contest c
           where c.seller_id = quality_event.seller_id
             and c.target_kind = 'performance'
             and c.target_id = quality_event.event_id
             and c.status in ('submitted', 'under_review'))`;

/** How many events of each metric are contested. */
export const countContested = ({ db, seller_id }: SellerDb, from: string, to: string) =>
  db.all(statement({ metric: textOf<Metric>(), events: integer })`
    select metric, count(*)::integer as events
      from quality_event
     where seller_id = ${seller_id}
       and day between ${from}::date and ${to}::date
       and not gone
       and ${CONTESTED}
     group by metric`);

interface EventFilters {
  readonly metric: Metric;
  readonly from: string;
  readonly to: string;
  readonly counted?: boolean | undefined;
  readonly contested?: boolean | undefined;
}
/** A page of events, the newest day first. */
export const pageOfEvents = (
  at: SellerDb,
  { metric, from, to, counted, contested }: EventFilters,
  page: { readonly after: readonly (string | number)[] | undefined; readonly limit: number },
): Promise<EventRow[]> =>
  countedEvents.page(at, {
    ...page,
    order: ['day', 'event_id'],
    descending: true,
    where: allOf(
      part`metric = ${metric} and day between ${from}::date and ${to}::date and not gone`,
      counted !== undefined && part`counted = ${counted}`,
      contested !== undefined && part`${CONTESTED} = ${contested}`,
    ),
  });

const TARGET = { version: text, metric: textOf<Metric>(), effective_from: date, max_bps: integer };
/** What was published under a version, and when. */
export const targetsOf = (db: Db, version: string) =>
  db.all(statement({ ...TARGET, published_at: instant })`
    select version, metric, effective_from, max_bps, published_at
      from quality_target
     where version = ${version}`);

/** The targets of all metrics, the newest last. */
export async function readTargets(db: Db): Promise<Target[]> {
  const rows = await db.all(statement(TARGET)`
    select version, metric, effective_from, max_bps
      from quality_target
     order by effective_from, published_at, version`);
  return [...DEFAULT_TARGETS, ...rows];
}

/** Stores targets, in the system's scope. @returns false if the version exists */
export async function insertTargets(
  db: Db,
  targets: readonly Target[],
  publishedAt: string,
): Promise<boolean> {
  const { from, element } = asRelation(TARGET, targets);
  const added = await db.run(command`
    insert into quality_target (version, metric, effective_from, max_bps, published_at)
    select u.version, u.metric, ${raw(element('effective_from'))}, u.max_bps, ${publishedAt}
      from ${from} as u (version, metric, effective_from, max_bps)
        on conflict (version, metric) do nothing`);
  return added > 0;
}
