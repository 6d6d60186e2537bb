/** Which published schedule counts on which day. */
import type { FeeSchedule } from './schedule.ts';

/** The versions that count on some day, one for each first day, in that order. */
export function inEffect(schedules: readonly FeeSchedule[]): FeeSchedule[] {
  // Of two for one day the later one counts; it comes after the other in the list.
  return schedules.filter(({ effective_from }, at) => schedules[at + 1]?.effective_from !== effective_from);
}

/**
 * The schedule of a Sydney day, with the one that follows it.
 *
 * @param schedules in order of their first day, as the store has them
 * @returns undefined before the first of them
 */
export function scheduleOn(
  schedules: readonly FeeSchedule[],
  day: string,
): { readonly schedule: FeeSchedule; readonly next: FeeSchedule | undefined } | undefined {
  const counting = inEffect(schedules);
  const at = counting.findLastIndex(({ effective_from }) => effective_from <= day);
  const schedule = counting[at];
  return schedule === undefined ? undefined : { schedule, next: counting[at + 1] };
}
