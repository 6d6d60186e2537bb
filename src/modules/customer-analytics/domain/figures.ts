/** Segments, cohorts and lifetime value from the sums. Source: docs/design/customer-analytics.md. */
import { OWN_BUYERS_MIN, ofEnoughBuyers } from '../../../kernel/disclosure.ts';
import { rateBps } from '../../../kernel/frame.ts';
import type { Bucket, CohortSums, Tally } from './tally.ts';

const GAPS_MIN = 50;
const GAP_DEFAULT = 60;
const GAP_LEAST = 14;
const GAP_MOST = 180;

/** Half up, for amounts and counts that are not negative. */
const halfUp = (part: number, of: number): number => Math.floor((2 * part + of) / (2 * of));

/** The median of the gaps between orders of the same buyer, in days; 60 if there are too few. */
export function gapOf(gaps: Tally['gaps']): number {
  const sorted = [...gaps].sort(([a], [b]) => a - b);
  const count = sorted.reduce((sum, [, times]) => sum + times, 0);
  if (count < GAPS_MIN) return GAP_DEFAULT;
  const at = (place: number): number => {
    let passed = 0;
    for (const [days, times] of sorted) {
      passed += times;
      if (passed > place) return days;
    }
    return 0;
  };
  const median = halfUp(at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2)), 2);
  return Math.min(GAP_MOST, Math.max(GAP_LEAST, median));
}

/**
 * The first rule that fits decides. `within` is a number of gaps; a rule without it sets no limit for the
 * last order.
 */
const RULES = [
  { segment: 'champions', within: 1, least: 4 },
  { segment: 'loyal', within: 1.5, least: 3 },
  { segment: 'returning', within: 1.5, least: 2 },
  { segment: 'new', within: 1.5, least: 1 },
  { segment: 'at_risk', within: 3, least: 2 },
  { segment: 'lapsed', within: Number.POSITIVE_INFINITY, least: 2 },
  { segment: 'one_time', within: Number.POSITIVE_INFINITY, least: 1 },
] as const;
type Segment = (typeof RULES)[number]['segment'];
export const SEGMENTS: readonly Segment[] = RULES.map(({ segment }) => segment);

/** @param days since the last order @param orders of the window */
export const segmentOf = (days: number, orders: number, gap: number): Segment =>
  RULES.find(({ within, least }) => days <= within * gap && orders >= least)?.segment ?? 'one_time';

const ruleOf = ({ within, least }: (typeof RULES)[number], gap: number): string => {
  const orders = least === 1 ? 'one order or more' : `${least} orders or more`;
  return within === Number.POSITIVE_INFINITY
    ? orders
    : `${orders}, the last at most ${Math.floor(within * gap)} days ago`;
};

type Sums = Pick<Bucket, 'buyers' | 'orders' | 'net_minor' | 'value_minor'>;
const NONE: Sums = { buyers: 0, orders: 0, net_minor: 0, value_minor: 0 };
const sum = (a: Sums, b: Sums): Sums => ({
  buyers: a.buyers + b.buyers,
  orders: a.orders + b.orders,
  net_minor: a.net_minor + b.net_minor,
  value_minor: a.value_minor + b.value_minor,
});

const statusOf = (buyers: number) =>
  buyers < OWN_BUYERS_MIN ? ('insufficient_sample' as const) : ('complete' as const);
/** The mean of enough buyers. */
const meanOf = (amount: number, buyers: number, of = buyers): number | null =>
  of === 0 ? null : ofEnoughBuyers(buyers, halfUp(amount, of));

function bySegment({ buckets }: Tally, gap: number) {
  const found = new Map<Segment, Sums>();
  for (const bucket of buckets) {
    const segment = segmentOf(bucket.days, bucket.orders_each, gap);
    found.set(segment, sum(found.get(segment) ?? NONE, bucket));
  }
  return RULES.map((rule) => ({ rule, sums: found.get(rule.segment) ?? NONE }));
}

export function segmentsOf(tally: Tally) {
  const gap = gapOf(tally.gaps);
  const rows = bySegment(tally, gap);
  const all = rows.reduce((count, { sums }) => count + sums.buyers, 0);
  return rows.map(({ rule, sums: { buyers, orders, net_minor } }) => ({
    segment: rule.segment,
    rule: ruleOf(rule, gap),
    buyers,
    share_bps: rateBps(buyers, all),
    orders,
    mean_net_minor: meanOf(net_minor, buyers, orders),
    status: statusOf(buyers),
  }));
}

export const summaryOf = (tally: Tally, coveredBps: number | null) => ({
  buyers: tally.buckets.reduce((count, { buyers }) => count + buyers, 0),
  new_buyers_90d: tally.new_buyers,
  repeat_rate_bps: rateBps(tally.repeated, tally.older_buyers, OWN_BUYERS_MIN),
  gap_days: gapOf(tally.gaps),
  covered_orders_bps: coveredBps,
});

/** The month so many months later. */
export function addMonths(month: string, months: number): string {
  const [year = '', number = ''] = month.split('-');
  const count = Number(year) * 12 + Number(number) - 1 + months;
  return `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`;
}

/** A month of a cohort; null if it has not ended. */
interface Cell {
  readonly buyers: number;
  readonly net_minor: number;
}
/** The months of a cohort up to the present one, which has not ended. */
function cellsOf({ month, months }: CohortSums, present: string): (Cell | null)[] {
  const cells: (Cell | null)[] = [];
  for (let at = month; at <= present; at = addMonths(at, 1))
    cells.push(at === present ? null : (months.get(at) ?? { buyers: 0, net_minor: 0 }));
  return cells;
}
/** What the buyers of a month have brought: of none nothing, of few it is not said. */
const moneyOf = ({ buyers, net_minor }: Cell): number | null =>
  buyers === 0 ? 0 : ofEnoughBuyers(buyers, net_minor);
const isCell = (cell: Cell | null): cell is Cell => cell !== null;

/** @param present the month of today */
export function cohortsOf({ cohorts }: Tally, present: string) {
  const rows = cohorts.map((cohort) => ({ cohort, cells: cellsOf(cohort, present) }));
  const most = Math.max(0, ...rows.map(({ cells }) => cells.filter(isCell).length));
  const average_retained_bps = Array.from({ length: most }, (_, m) => {
    const whole = rows.filter(({ cells }) => cells[m] != null);
    const total = (of: (row: (typeof rows)[number]) => number) =>
      whole.reduce((count, row) => count + of(row), 0);
    return rateBps(
      total(({ cells }) => cells[m]?.buyers ?? 0),
      total(({ cohort }) => cohort.buyers),
      OWN_BUYERS_MIN,
    );
  });
  return {
    cohorts: rows.map(({ cohort: { month, buyers }, cells }) => ({
      month,
      buyers,
      status: statusOf(buyers),
      cells: cells.map((cell, m) => ({
        m,
        buyers: cell?.buyers ?? null,
        retained_bps: cell === null ? null : rateBps(cell.buyers, buyers, OWN_BUYERS_MIN),
        net_minor: cell === null ? null : ofEnoughBuyers(buyers, moneyOf(cell)),
        complete: cell !== null,
      })),
    })),
    average_retained_bps,
  };
}

/** What the buyers of each cohort have brought to the end of each whole month. */
function cumulated({ cohorts }: Tally, present: string) {
  return cohorts.map((cohort) => {
    let total = 0;
    const totals = cellsOf(cohort, present)
      .filter(isCell)
      .map(({ net_minor }) => {
        total += net_minor;
        return total;
      });
    return { month: cohort.month, buyers: cohort.buyers, totals };
  });
}

type Cumulated = ReturnType<typeof cumulated>;

/**
 * The cohorts that count in the overall value. A reader can subtract the cohorts that are shown, and the overall value
 * of an earlier night. So cohorts of too few buyers count in groups that have enough buyers together. Groups are made
 * from the oldest cohort on, and a later cohort changes none of them. A buyer who leaves a cohort can change them.
 *
 * @param rows the oldest first
 */
function countedOf(rows: Cumulated): Cumulated {
  const counted: Cumulated = [];
  let group: Cumulated = [];
  for (const row of rows) {
    if (row.buyers >= OWN_BUYERS_MIN) {
      counted.push(row);
      continue;
    }
    group.push(row);
    if (buyersOf(group) < OWN_BUYERS_MIN) continue;
    counted.push(...group);
    group = [];
  }
  return counted;
}
const buyersOf = (rows: Cumulated): number => rows.reduce((count, { buyers }) => count + buyers, 0);

/** Over the cohorts whose month is complete. */
function overallOf(rows: Cumulated): (number | null)[] {
  const most = Math.max(0, ...rows.map(({ totals }) => totals.length));
  return Array.from({ length: most }, (_, m) => {
    const counted = countedOf(rows.filter(({ totals }) => totals.length > m));
    const total = counted.reduce((sum, { totals }) => sum + (totals[m] ?? 0), 0);
    return meanOf(total, buyersOf(counted));
  });
}

export function lifetimeOf(tally: Tally, present: string) {
  const rows = cumulated(tally, present);
  return {
    by_cohort: rows.map(({ month, buyers, totals }) => ({
      month,
      buyers,
      status: statusOf(buyers),
      value_minor: totals.map((total) => meanOf(total, buyers)),
    })),
    by_segment: bySegment(tally, gapOf(tally.gaps)).map(({ rule: { segment }, sums }) => ({
      segment,
      buyers: sums.buyers,
      status: statusOf(sums.buyers),
      mean_value_minor: meanOf(sums.value_minor, sums.buyers),
    })),
    overall: overallOf(rows),
    basis: 'realised' as const,
  };
}
