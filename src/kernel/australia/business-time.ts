/**
 * Time that counts for a service target: the open hours of a weekly calendar in Sydney, without closed dates and
 * national public holidays. Source: docs/design/conversations.md#business-time.
 */
import { Temporal } from 'temporal-polyfill';
import { onceFor } from '../once-for.ts';
import { isPublicHoliday } from './business-days.ts';
import { firstInstant, sydneyDate, TIME_ZONE } from './sydney.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
type Weekday = (typeof WEEKDAYS)[number];
/** From and to, `HH:MM`; `24:00` ends a day. */
type Hours = readonly [string, string];

export interface BusinessCalendar {
  /** Hours in order that do not overlap. A day that is not named is closed. */
  readonly weekly: Readonly<Partial<Record<Weekday, readonly Hours[]>>>;
  /** `YYYY-MM-DD` */
  readonly closed_dates: readonly string[];
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const isWeekly = (hours: readonly Hours[]): boolean => {
  const times = hours.flat().map(minutesOf);
  return times.every((time, index) => {
    const before = times[index - 1] ?? 0;
    // Hours may begin where those before them end.
    return index % 2 === 0 ? time >= before : time > before;
  });
};

/** Whether the hours of each day are in order and do not overlap. */
export const isCalendar = ({ weekly }: Pick<BusinessCalendar, 'weekly'>): boolean =>
  Object.values(weekly).every(isWeekly);

/** The instant at which a clock in Sydney shows a time of a date, in milliseconds; if it is skipped, an hour later. */
function instantAt(date: Temporal.PlainDate, minutes: number): number {
  const start = firstInstant(date.toString());
  const next = firstInstant(date.add({ days: 1 }).toString());
  if (minutes === DAY_MS / MINUTE_MS) return next;
  if (next - start === DAY_MS) return start + minutes * MINUTE_MS;
  const plainTime = Temporal.PlainTime.from({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
  return date.toZonedDateTime({ timeZone: TIME_ZONE, plainTime }).epochMilliseconds;
}

/** The open hours of a date as instants, in order. Where the clock is set forward, hours may be shorter or vanish. */
function openOn({ weekly, closed_dates }: BusinessCalendar, date: Temporal.PlainDate): [number, number][] {
  const hours = weekly[WEEKDAYS[date.dayOfWeek - 1] ?? 'mon'] ?? [];
  if (hours.length === 0 || closed_dates.includes(date.toString()) || isPublicHoliday(date)) return [];
  let last = 0;
  return hours.map(([from, to]): [number, number] => {
    const start = Math.max(last, instantAt(date, minutesOf(from)));
    last = Math.max(start, instantAt(date, minutesOf(to)));
    return [start, last];
  });
}

/** The open hours from the Sydney day of an instant on. */
function* openFrom(calendar: BusinessCalendar, at: number): Generator<[number, number]> {
  for (let date = Temporal.PlainDate.from(sydneyDate(at)); ; date = date.add({ days: 1 })) {
    const hours = openOn(calendar, date);
    // A closed day too, so that the reader sees how far it has come.
    if (hours.length === 0) hours.push([firstInstant(date.toString()), firstInstant(date.toString())]);
    yield* hours;
  }
}

/** Open milliseconds in `[a, b)`; 0 if `b` is not after `a`. */
export function between(calendar: BusinessCalendar, a: number, b: number): number {
  let sum = 0;
  for (const [start, end] of openFrom(calendar, a)) {
    if (start >= b) break;
    sum += Math.max(0, Math.min(end, b) - Math.max(start, a));
  }
  return sum;
}

/**
 * The first instant at or after `a` until which so many open milliseconds have passed. A target that is used up at 17:00
 * is due at 17:00, not at the next opening.
 *
 * @param calendar must open some day
 */
export function add(calendar: BusinessCalendar, a: number, ms: number): number {
  if (ms <= 0) return a;
  let left = ms;
  for (const [start, end] of openFrom(calendar, a)) {
    const from = Math.max(start, a);
    if (end - from >= left) return from + left;
    left -= Math.max(0, end - from);
  }
  return a;
}

const OPENS_WITHIN_DAYS = 400;

/** Whether the calendar has an open minute in the 400 days from a Sydney date on. */
export function opens(calendar: BusinessCalendar, date: string): boolean {
  const start = firstInstant(date);
  return between(calendar, start, start + OPENS_WITHIN_DAYS * DAY_MS) >= MINUTE_MS;
}

/** The calendar for people: `Australia/Sydney, mon-fri 09:00-17:00, closed on national public holidays`. */
export const describeCalendar = onceFor(inWords);

function inWords({ weekly, closed_dates }: BusinessCalendar): string {
  const runs: { first: Weekday; last: Weekday; hours: string }[] = [];
  for (const [index, day] of WEEKDAYS.entries()) {
    const hours = (weekly[day] ?? []).map((span) => span.join('-')).join(' ');
    const run = runs.at(-1);
    if (run?.hours === hours && run.last === WEEKDAYS[index - 1]) run.last = day;
    else if (hours !== '') runs.push({ first: day, last: day, hours });
  }
  const days = runs.map(
    ({ first, last, hours }) => `${first === last ? first : `${first}-${last}`} ${hours}`,
  );
  const closed = ['national public holidays', ...closed_dates].join(', ');
  return [TIME_ZONE, ...days, `closed on ${closed}`].join(', ');
}
