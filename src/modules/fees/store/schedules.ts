/** Published fee schedules: everybody's to read. */
import type { Db } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type CategoryOverride, DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';

const COLUMNS =
  'version, effective_from::text as effective_from, platform_fee_default_bps, category_overrides, shipping_fee_bps, ' +
  'loyalty_program_fund_bps, seller_order_fee_minor, dispute_fee_minor, published_at';
// Of two for one day the later published counts.
const AT =
  `select ${COLUMNS} from fee_schedule where effective_from <= $1::date ` +
  'order by effective_from desc, published_at desc, version desc limit 1';
const ALL = `select ${COLUMNS} from fee_schedule order by effective_from, published_at, version`;
const BY_VERSION = `select ${COLUMNS} from fee_schedule where version = $1`;

interface Row {
  readonly version: string;
  readonly effective_from: string;
  readonly platform_fee_default_bps: number;
  readonly category_overrides: readonly CategoryOverride[];
  readonly shipping_fee_bps: number;
  readonly loyalty_program_fund_bps: number;
  readonly seller_order_fee_minor: bigint;
  readonly dispute_fee_minor: bigint;
  readonly published_at: string;
}

const toSchedule = (row: Row): FeeSchedule => ({
  ...row,
  seller_order_fee_minor: minor(row.seller_order_fee_minor),
  dispute_fee_minor: minor(row.dispute_fee_minor),
});

/** The schedule that counts on a Sydney day, `YYYY-MM-DD`: in any scope. */
export async function scheduleAt(db: Db, date: string): Promise<FeeSchedule> {
  const row = await db.one<Row>(sql(AT, [date]));
  return row === undefined ? DEFAULT_SCHEDULE : toSchedule(row);
}

/** All that was published, in the order in which it takes effect, after the one that needs no publishing. */
export async function allSchedules(db: Db): Promise<FeeSchedule[]> {
  return [DEFAULT_SCHEDULE, ...(await db.all<Row>(sql(ALL))).map(toSchedule)];
}

export async function scheduleOfVersion(db: Db, version: string): Promise<FeeSchedule | undefined> {
  if (version === DEFAULT_SCHEDULE.version) return DEFAULT_SCHEDULE;
  const row = await db.one<Row>(sql(BY_VERSION, [version]));
  return row === undefined ? undefined : toSchedule(row);
}

const INSERT =
  'insert into fee_schedule (version, effective_from, platform_fee_default_bps, category_overrides, shipping_fee_bps, ' +
  'loyalty_program_fund_bps, seller_order_fee_minor, dispute_fee_minor, published_at) ' +
  'values ($1, $2::date, $3, $4::json, $5, $6, $7, $8, $9::timestamptz) on conflict (version) do nothing';

/** @returns false when the version stands already; in the system's scope */
export async function insertSchedule(db: Db, schedule: FeeSchedule): Promise<boolean> {
  const rows = await db.run(
    sql(INSERT, [
      schedule.version,
      schedule.effective_from,
      schedule.platform_fee_default_bps,
      JSON.stringify(schedule.category_overrides),
      schedule.shipping_fee_bps,
      schedule.loyalty_program_fund_bps,
      schedule.seller_order_fee_minor,
      schedule.dispute_fee_minor,
      schedule.published_at,
    ]),
  );
  return rows > 0;
}
