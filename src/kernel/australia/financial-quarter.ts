/**
 * Australian financial quarters: a financial year begins on 1 July and is named after both its calendar years.
 * Source: docs/design/money.md#dates.
 */
import { Temporal } from 'temporal-polyfill';
import type { Period } from './settlement-period.ts';

export interface Quarter extends Period {
  /** `FY2026-27-Q1`. */
  readonly label: string;
}

const MONTHS = 3;
const FIRST_MONTH = 7;
/** For this number of days after its end, a quarter still includes late facts. */
const LOCK_DAYS = 3;

function quarter(year: number, number: number): Quarter {
  const start = Temporal.PlainDate.from({ year, month: FIRST_MONTH, day: 1 }).add({
    months: (number - 1) * MONTHS,
  });
  const short = String((year + 1) % 100).padStart(2, '0');
  return {
    label: `FY${year}-${short}-Q${number}`,
    start: start.toString(),
    end: start.add({ months: MONTHS }).subtract({ days: 1 }).toString(),
  };
}

/** The quarter of a Sydney date. */
export function quarterOf(date: string): Quarter {
  const day = Temporal.PlainDate.from(date);
  const months = (day.month - FIRST_MONTH + 12) % 12;
  return quarter(day.month < FIRST_MONTH ? day.year - 1 : day.year, Math.floor(months / MONTHS) + 1);
}

/** The quarter of a label such as `FY2026-27-Q1`, from the year 1000 to 2999; undefined for anything else. */
export function parseQuarter(label: string): Quarter | undefined {
  const match = /^FY([12]\d{3})-(\d{2})-Q([1-4])$/.exec(label);
  if (match === null) return undefined;
  const found = quarter(Number(match[1]), Number(match[3]));
  return found.label === label ? found : undefined;
}

/** The first Sydney day on which a quarter is locked. */
export const locksOn = ({ end }: Period): string =>
  Temporal.PlainDate.from(end)
    .add({ days: LOCK_DAYS + 1 })
    .toString();

/**
 * The calendar months of a quarter that have begun, each from its first to its last day. A future month is left out,
 * because its figures are unknown, and zeros would be wrong.
 *
 * @param today Sydney day
 */
export function monthsOf({ start }: Quarter, today: string): (Period & { readonly month: string })[] {
  const first = Temporal.PlainDate.from(start);
  const months = Array.from({ length: MONTHS }, (_, index) => {
    const day = first.add({ months: index });
    return {
      month: day.toPlainYearMonth().toString(),
      start: day.toString(),
      end: day.with({ day: day.daysInMonth }).toString(),
    };
  });
  return months.filter((month) => month.start <= today);
}
