/** Finds the published schedule that is in force on a day. */
import type { FeeSchedule } from './schedule.ts';

/** The versions of a currency that are in force on some day: one for each first day, sorted by that day. */
export function inEffect(schedules: readonly FeeSchedule[], currency: string): FeeSchedule[] {
  const own = schedules.filter((schedule) => schedule.currency === currency);
  // If two versions have the same first day, the later one counts. It comes after the other in the list.
  return own.filter(({ effective_from }, at) => own[at + 1]?.effective_from !== effective_from);
}

/**
 * The schedule of a currency and a Sydney day, with the one that follows it.
 *
 * @param schedules sorted by their first day
 * @returns undefined for a day before the first schedule
 */
export function scheduleOn(
  schedules: readonly FeeSchedule[],
  currency: string,
  day: string,
): { readonly schedule: FeeSchedule; readonly next: FeeSchedule | undefined } | undefined {
  const counting = inEffect(schedules, currency);
  const at = counting.findLastIndex(({ effective_from }) => effective_from <= day);
  const schedule = counting[at];
  return schedule === undefined ? undefined : { schedule, next: counting[at + 1] };
}
