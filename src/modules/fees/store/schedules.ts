/** Published fee schedules. They belong to no seller, and every scope may read them. */
import type { Db } from '../../../kernel/context.ts';
import { date, instant, integer, json, money, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, type Part, part, statement } from '../../../platform/db/statement.ts';
import { type CategoryOverride, DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';

const schedule = {
  version: text,
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
  select version, effective_from, platform_fee_default_bps, category_overrides, shipping_fee_bps,
         loyalty_program_fund_bps, seller_order_fee_minor, dispute_fee_minor, published_at
    from fee_schedule
   ${tail}`;

/** The schedule of a Sydney day, `YYYY-MM-DD`; of two for one day the one that was published later. */
export async function scheduleAt(db: Db, day: string): Promise<FeeSchedule> {
  const row: RowOf<typeof schedule> | undefined = await db.one(
    select(part`
      where effective_from <= ${day}::date
      order by effective_from desc, published_at desc, version desc
      limit 1`),
  );
  return row ?? DEFAULT_SCHEDULE;
}

/** The default schedule, then all that were published, in the order in which they take effect. */
export async function allSchedules(db: Db): Promise<FeeSchedule[]> {
  const published = await db.all(select(part`order by effective_from, published_at, version`));
  return [DEFAULT_SCHEDULE, ...published];
}

export async function scheduleOfVersion(db: Db, version: string): Promise<FeeSchedule | undefined> {
  if (version === DEFAULT_SCHEDULE.version) return DEFAULT_SCHEDULE;
  return db.one(select(part`where version = ${version}`));
}

/** In the system's scope. @returns false when the version exists already */
export async function insertSchedule(db: Db, row: FeeSchedule): Promise<boolean> {
  const rows = await db.run(command`
    insert into fee_schedule (version, effective_from, platform_fee_default_bps, category_overrides, shipping_fee_bps,
                              loyalty_program_fund_bps, seller_order_fee_minor, dispute_fee_minor, published_at)
    values (${row.version}, ${row.effective_from}::date, ${row.platform_fee_default_bps},
            ${JSON.stringify(row.category_overrides)}::json, ${row.shipping_fee_bps},
            ${row.loyalty_program_fund_bps}, ${row.seller_order_fee_minor}, ${row.dispute_fee_minor},
            ${row.published_at}::timestamptz)
        on conflict (version) do nothing`);
  return rows > 0;
}
