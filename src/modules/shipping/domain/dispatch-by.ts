/** When a parcel must have been handed over. Public holidays are not known here: sellers close by holiday mode. */
import { Temporal } from 'temporal-polyfill';
import { type Handling, WORKING_DAYS } from './profile.ts';

/** Whether the calendar of the platform knows a time zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    // Offsets are no places: they know no daylight saving.
    return (
      /^[A-Za-z]/.test(name) &&
      Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name) !== undefined
    );
  } catch {
    return false;
  }
}

/**
 * The end of the day on which an order of this instant must have been handed over, in milliseconds: so many
 * working days after the day it counts as of. An order at the cut-off or later counts as of the next working day.
 *
 * @param handling at least one working day
 */
export function dispatchBy(
  { handling_days, cut_off, timezone, working_days }: Handling,
  placedAt: number,
): number {
  const works = (day: Temporal.PlainDate): boolean => {
    const name = WORKING_DAYS[day.dayOfWeek - 1];
    return name !== undefined && working_days.includes(name);
  };
  const nextWorking = (day: Temporal.PlainDate): Temporal.PlainDate => {
    let next = day;
    do next = next.add({ days: 1 });
    while (!works(next));
    return next;
  };
  const placed = Temporal.Instant.fromEpochMilliseconds(placedAt).toZonedDateTimeISO(timezone);
  const today = placed.toPlainDate();
  const late = Temporal.PlainTime.compare(placed.toPlainTime(), Temporal.PlainTime.from(cut_off)) >= 0;
  let day = works(today) && !late ? today : nextWorking(today);
  for (let left = handling_days; left > 0; left -= 1) day = nextWorking(day);
  return day.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds;
}
