/**
 * By when an order must be dispatched. This is the only place that says so: the simulation of a profile and the
 * placement of an order both ask it. Source: docs/design/orders.md#deadlines.
 */
import { Temporal } from 'temporal-polyfill';
import { isPublicHoliday } from '../../../kernel/australia/business-days.ts';
import { type Closing, isClosedOn } from '../../../kernel/australia/closing.ts';
import { TIME_ZONE } from '../../../kernel/australia/sydney.ts';
import { type Handling, WORKING_DAYS } from './profile.ts';

/** Whether a time zone with this name exists. */
export function isTimeZone(name: string): boolean {
  try {
    // Offsets are refused, because they ignore daylight saving.
    return (
      /^[A-Za-z]/.test(name) &&
      Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name) !== undefined
    );
  } catch {
    return false;
  }
}

/** Business days from order to dispatch of a seller that has neither a shipping profile nor a setting. */
const HANDLING_DAYS_DEFAULT = 2;

/** The rule of products without a shipping profile: business days in Sydney, without a cut-off. */
export const handlingWithoutProfile = (days: number | null): Handling => ({
  handling_days: days ?? HANDLING_DAYS_DEFAULT,
  cut_off: null,
  timezone: TIME_ZONE,
  working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
});

/**
 * The end, in milliseconds, of the day on which an order of this instant must have been handed over: so many working
 * days after the day as of which it counts. An order at the cut-off or later, or on a day off, counts as of the next
 * working day; without a cut-off it counts as of its own day.
 *
 * A working day is one of the rule's weekdays that is no national public holiday and none of the closed days.
 *
 * @param handling at least one weekday
 * @param closing with a last day: a closing without one would never end
 */
export function dispatchBy(
  { handling_days, cut_off, timezone, working_days }: Handling,
  placedAt: number,
  closing: Closing | null,
): number {
  const works = (day: Temporal.PlainDate): boolean => {
    const name = WORKING_DAYS[day.dayOfWeek - 1];
    if (name === undefined || !working_days.includes(name) || isPublicHoliday(day)) return false;
    return closing === null || closing.to === null || !isClosedOn(closing, day.toString());
  };
  const nextWorking = (day: Temporal.PlainDate): Temporal.PlainDate => {
    let next = day;
    do next = next.add({ days: 1 });
    while (!works(next));
    return next;
  };
  const placed = Temporal.Instant.fromEpochMilliseconds(placedAt).toZonedDateTimeISO(timezone);
  let day = placed.toPlainDate();
  if (cut_off !== null) {
    const late = Temporal.PlainTime.compare(placed.toPlainTime(), Temporal.PlainTime.from(cut_off)) >= 0;
    if (late || !works(day)) day = nextWorking(day);
  }
  for (let left = handling_days; left > 0; left -= 1) day = nextWorking(day);
  if (!works(day)) day = nextWorking(day);
  return day.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds;
}
