/**
 * Business days in Sydney: weekdays that are not a national public holiday. A holiday of one state counts as a
 * business day, because a seller may be in any state. A holiday on a weekend moves to the next free weekday.
 * Source: docs/design/orders.md#deadlines, Fair Work Act s 115.
 */
import { Temporal } from 'temporal-polyfill';
import { TIME_ZONE } from './sydney.ts';

const SATURDAY = 6;
const SUNDAY = 7;
const isWeekend = ({ dayOfWeek }: Temporal.PlainDate): boolean =>
  dayOfWeek === SATURDAY || dayOfWeek === SUNDAY;

/** Easter Sunday of a Gregorian year, by Butcher's rule. */
export function easterSunday(year: number): Temporal.PlainDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const correction = Math.floor((century + 8) / 25);
  const moon =
    (19 * golden + century - Math.floor(century / 4) - Math.floor((century - correction + 1) / 3) + 15) % 30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - moon - (yearOfCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * moon + 22 * weekday) / 451);
  const days = moon + weekday - 7 * shift + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(days / 31), day: (days % 31) + 1 });
}

function holidaysOf(year: number): ReadonlySet<string> {
  const day = (month: number, of: number) => Temporal.PlainDate.from({ year, month, day: of });
  const easter = easterSunday(year);
  // Anzac Day does not move. The other holidays move from a weekend to the next free weekday.
  const kept = [easter.subtract({ days: 2 }), easter.add({ days: 1 }), day(4, 25)].map(String);
  const moving = [day(1, 1), day(1, 26), day(12, 25), day(12, 26)];
  for (let date of moving) {
    while (isWeekend(date) || kept.includes(date.toString())) date = date.add({ days: 1 });
    kept.push(date.toString());
  }
  // On a weekend the day itself stays a holiday too, for sellers who work on weekends.
  return new Set([...kept, ...moving.map(String)]);
}

const years = new Map<number, ReadonlySet<string>>();

/** Whether a date is a national public holiday, or the weekday to which one moved from a weekend. */
export function isPublicHoliday(date: Temporal.PlainDate): boolean {
  let holidays = years.get(date.year);
  if (holidays === undefined) {
    holidays = holidaysOf(date.year);
    years.set(date.year, holidays);
  }
  return holidays.has(date.toString());
}

/** Whether a date is a business day everywhere in Australia. */
export const isBusinessDay = (date: Temporal.PlainDate): boolean =>
  !isWeekend(date) && !isPublicHoliday(date);

/**
 * The end, in milliseconds, of the business day that is `days` business days after the day of an instant. If an order is
 * accepted on a Thursday and due in two business days, the deadline is Monday midnight.
 *
 * @param days above zero
 */
export function endOfBusinessDay(at: number, days: number): number {
  let date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).toPlainDate();
  for (let left = days; left > 0; ) {
    date = date.add({ days: 1 });
    if (isBusinessDay(date)) left -= 1;
  }
  return date.add({ days: 1 }).toZonedDateTime(TIME_ZONE).epochMilliseconds;
}
