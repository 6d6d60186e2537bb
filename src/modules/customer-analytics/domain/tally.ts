/**
 * Sums over the orders of a seller, buyer by buyer. Nothing of a buyer stays after the last order of the buyer, and the
 * memory does not grow with their number. Source: docs/design/customer-analytics.md#one-pass.
 */
import { addDays } from '../../../kernel/australia/settlement-period.ts';

/** A counted order. They come sorted by buyer, those of a buyer by day. */
export interface BuyerOrder {
  readonly buyer: string;
  /** Sydney day of the placement, `YYYY-MM-DD`. */
  readonly day: string;
  readonly net_minor: number;
}

const WINDOW_DAYS = 365;
const NEW_DAYS = 90;
/** The most orders that a rule of a segment asks for. */
const ORDERS_MAX = 4;

interface Sums {
  buyers: number;
  orders: number;
  net_minor: number;
  /** Of all orders ever. */
  value_minor: number;
}
/** Buyers with the same days since their last order, and as many orders of the window, {@link ORDERS_MAX} for more. */
export interface Bucket extends Readonly<Sums> {
  readonly days: number;
  readonly orders_each: number;
}
/** Buyers of a cohort with an order in a month. */
interface MonthSums {
  readonly buyers: number;
  readonly net_minor: number;
}
export interface CohortSums {
  /** `2026-05`: the month of the first order. */
  readonly month: string;
  readonly buyers: number;
  readonly months: ReadonlyMap<string, MonthSums>;
}
export interface Tally {
  readonly buckets: readonly Bucket[];
  /** The number of gaps of each length in days. */
  readonly gaps: ReadonlyMap<number, number>;
  /** The oldest first. */
  readonly cohorts: readonly CohortSums[];
  /**
   * Buyers whose first order is too new for a second one; the other buyers; and how many of these have a
   * second order.
   */
  readonly new_buyers: number;
  readonly older_buyers: number;
  readonly repeated: number;
}

const DAY_MS = 86_400_000;
const daysFrom = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;
const monthOf = (day: string): string => day.slice(0, 'YYYY-MM'.length);

function valueAt<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** The sums of the buyer whose orders are being read. */
interface Current {
  readonly buyer: string;
  readonly first: string;
  last: string;
  orders: number;
  value_minor: number;
  recent: number;
  recent_minor: number;
  readonly months: Map<string, MonthSums>;
}

export class Tallying {
  private readonly today: string;
  private readonly since: string;
  private current: Current | undefined;
  private readonly buckets = new Map<
    string,
    Sums & { readonly days: number; readonly orders_each: number }
  >();
  private readonly gaps = new Map<number, number>();
  private readonly cohorts = new Map<
    string,
    { buyers: number; months: Map<string, { buyers: number; net_minor: number }> }
  >();
  private counts = { new_buyers: 0, older_buyers: 0, repeated: 0 };

  /** @param through the last day that counts; days are counted up to the next one */
  constructor(through: string) {
    this.today = addDays(through, 1);
    this.since = addDays(through, 1 - WINDOW_DAYS);
  }

  add({ buyer, day, net_minor }: BuyerOrder): void {
    if (this.current?.buyer !== buyer) {
      this.close();
      this.current = {
        ...{ buyer, first: day, last: day, orders: 0, value_minor: 0, recent: 0, recent_minor: 0 },
        months: new Map(),
      };
    }
    const { current } = this;
    if (day >= this.since) {
      if (current.recent > 0) {
        const gap = daysFrom(current.last, day);
        this.gaps.set(gap, (this.gaps.get(gap) ?? 0) + 1);
      }
      current.recent += 1;
      current.recent_minor += net_minor;
    }
    current.last = day;
    current.orders += 1;
    current.value_minor += net_minor;
    const month = monthOf(day);
    const known = current.months.get(month)?.net_minor ?? 0;
    current.months.set(month, { buyers: 1, net_minor: known + net_minor });
  }

  end(): Tally {
    this.close();
    const cohorts = [...this.cohorts]
      .map(([month, sums]) => ({ month, ...sums }))
      .sort((a, b) => (a.month < b.month ? -1 : 1));
    return { buckets: [...this.buckets.values()], gaps: this.gaps, cohorts, ...this.counts };
  }

  /** Counts a buyer after its last order. */
  private close(): void {
    const { current } = this;
    if (current === undefined) return;
    this.current = undefined;
    const { first, last, orders, months, value_minor, recent, recent_minor } = current;
    if (first > addDays(this.today, -NEW_DAYS)) this.counts.new_buyers += 1;
    else {
      this.counts.older_buyers += 1;
      if (orders > 1) this.counts.repeated += 1;
    }
    if (recent > 0) {
      const days = daysFrom(last, this.today);
      const orders_each = Math.min(recent, ORDERS_MAX);
      const bucket = valueAt(this.buckets, `${days}/${orders_each}`, () => ({
        ...{ days, orders_each, buyers: 0, orders: 0, net_minor: 0, value_minor: 0 },
      }));
      bucket.buyers += 1;
      bucket.orders += recent;
      bucket.net_minor += recent_minor;
      bucket.value_minor += value_minor;
    }
    const cohort = valueAt(this.cohorts, monthOf(first), () => ({ buyers: 0, months: new Map() }));
    cohort.buyers += 1;
    for (const [month, { net_minor }] of months) {
      const cell = valueAt(cohort.months, month, () => ({ buyers: 0, net_minor: 0 }));
      cell.buyers += 1;
      cell.net_minor += net_minor;
    }
  }
}
