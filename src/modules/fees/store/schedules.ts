/** Published fee schedules. They are the same for all sellers, and every scope may read them. */
import type { Db } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { date, instant, integer, json, money, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, type Part, part, statement } from '../../../platform/db/statement.ts';
import { type CategoryOverride, DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';

const schedule = {
  version: text,
  currency: text,
  effective_from: date,
  platform_fee_default_bps: integer,
  category_overrides: json<readonly CategoryOverride[]>('json'),
  shipping_fee_bps: integer,
  loyalty_program_fund_bps: integer,
  seller_order_fee_minor: money,
  dispute_fee_minor: money,
  published_at: instant,
};

const select = (tail: Part) => statement(schedule)`
  select version, currency, effective_from, platform_fee_default_bps, category_overrides, shipping_fee_bps,
         loyalty_program_fund_bps, seller_order_fee_minor, dispute_fee_minor, published_at
    from fee_schedule
   ${tail}`;

/**
 * The schedule of a currency that is in force on a Sydney day, `YYYY-MM-DD`. Of two with the same first day, the one that
 * was published later counts.
 *
 * @returns undefined if no rates in this currency are in force on the day
 */
export async function scheduleAt(db: Db, currency: string, day: string): Promise<FeeSchedule | undefined> {
  const row: RowOf<typeof schedule> | undefined = await db.one(
    select(part`
      where currency = ${currency}
        and effective_from <= ${day}::date
      order by effective_from desc, published_at desc, version desc
      limit 1`),
  );
  return row ?? (currency === DEFAULT_SCHEDULE.currency ? DEFAULT_SCHEDULE : undefined);
}

/** Whether an order in a currency that is placed on a day can be charged. */
export const hasRates = async (db: Db, currency: string, day: string): Promise<boolean> =>
  currency === DEFAULT_SCHEDULE.currency || (await scheduleAt(db, currency, day)) !== undefined;

/**
 * The schedule by which an order is charged: that of the day, or the first one of its currency for a day before it,
 * because the marketplace may report an old instant. An order that was placed before schedules had a currency may have
 * no rates: it is charged the default rates without the fixed amounts, which are Australian.
 */
export async function scheduleOfOrder(db: Db, currency: string, day: string): Promise<FeeSchedule> {
  const first = part`where currency = ${currency} order by effective_from, published_at limit 1`;
  const found = (await scheduleAt(db, currency, day)) ?? (await db.one(select(first)));
  const none = minor(0);
  return found ?? { ...DEFAULT_SCHEDULE, currency, seller_order_fee_minor: none, dispute_fee_minor: none };
}

/** The default schedule, then all published ones, sorted by their first day. */
export async function allSchedules(db: Db): Promise<FeeSchedule[]> {
  const published = await db.all(select(part`order by effective_from, published_at, version`));
  return [DEFAULT_SCHEDULE, ...published];
}

export async function scheduleOfVersion(db: Db, version: string): Promise<FeeSchedule | undefined> {
  if (version === DEFAULT_SCHEDULE.version) return DEFAULT_SCHEDULE;
  return db.one(select(part`where version = ${version}`));
}

/** Stores a schedule, in the system's scope. @returns false if the version already exists */
export async function insertSchedule(db: Db, row: FeeSchedule): Promise<boolean> {
  const rows = await db.run(command`
    insert into fee_schedule (version, currency, effective_from, platform_fee_default_bps, category_overrides,
                              shipping_fee_bps, loyalty_program_fund_bps, seller_order_fee_minor, dispute_fee_minor, published_at)
    values (${row.version}, ${row.currency}, ${row.effective_from}::date, ${row.platform_fee_default_bps},
            ${JSON.stringify(row.category_overrides)}::json, ${row.shipping_fee_bps},
            ${row.loyalty_program_fund_bps}, ${row.seller_order_fee_minor}, ${row.dispute_fee_minor},
            ${row.published_at}::timestamptz)
        on conflict (version) do nothing`);
  return rows > 0;
}
