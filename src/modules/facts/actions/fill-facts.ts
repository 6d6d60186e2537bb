import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { firstInstant, sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import {
  changedDays,
  type Day,
  followVisibility,
  lockProgress,
  recordHiddenDays,
  replaceDays,
  writeProgress,
} from '../store/facts.ts';

/** Facts are kept for 25 months (src/modules/platform/jobs.ts). */
export const DAYS_KEPT = 760;
/** Changes of transactions that began before the last roll and were committed after it are found again. */
const OVERLAP_MS = 600_000;
/** The days that forecasts read. */
export const DAYS_READ = 182;

export const iso = (ms: number): string => new Date(ms).toISOString();
export const dayWith = (day: string): Day => ({
  day,
  start_at: iso(firstInstant(day)),
  next_at: iso(firstInstant(addDays(day, 1))),
});

/** From when on changes of orders may not be counted; null: none is. */
export const changedFrom = (watermark: string | null): string | null =>
  watermark === null ? null : iso(Date.parse(watermark) - OVERLAP_MS);

/** The days from one to another, inclusive. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/**
 * Counts the whole days up to yesterday. The facts of a day are replaced when an order of that day has changed, or when
 * the day has ended since the last time, so that events in any order, repetitions and crashes come to the same facts.
 *
 * @returns the last day that is counted
 */
export async function fillFacts(ctx: Acting, currency: string): Promise<string> {
  const now = ctx.now();
  const today = sydneyDate(now);
  const yesterday = addDays(today, -1);
  const { through_on, watermark_at } = await lockProgress(ctx);
  const ended = daysBetween(addDays(through_on ?? addDays(today, -DAYS_READ - 1), 1), yesterday);
  const since = through_on === null ? null : changedFrom(watermark_at);
  const changed = await changedDays(ctx, since, {
    from: iso(firstInstant(addDays(today, -DAYS_KEPT))),
    to: iso(firstInstant(today)),
  });
  const days = [...new Set([...changed, ...ended])].sort().map(dayWith);
  // They go out together, in this order.
  await Promise.all([
    replaceDays(ctx, currency, days),
    recordHiddenDays(ctx, ended.map(dayWith)),
    followVisibility(ctx, iso(firstInstant(today)), addDays(today, -DAYS_READ)),
    writeProgress(ctx, { through_on: yesterday, watermark_at: iso(now) }),
  ]);
  return yesterday;
}
