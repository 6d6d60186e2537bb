import { Temporal } from 'temporal-polyfill';

/** A day or a month, clipped to the days that are asked for. */
interface Period {
  /** Its first day without the clip. */
  readonly key: string;
  readonly start: string;
  readonly end: string;
}

/**
 * The periods of a range of days.
 *
 * @param from first day, `YYYY-MM-DD`
 * @param to last day
 * @returns undefined if there are more than `most`
 */
export function periodsOf(
  from: string,
  to: string,
  granularity: 'day' | 'month',
  most: number,
): Period[] | undefined {
  const last = Temporal.PlainDate.from(to);
  const step = granularity === 'day' ? { days: 1 } : { months: 1 };
  const first = Temporal.PlainDate.from(from);
  const periods: Period[] = [];
  let at = granularity === 'day' ? first : first.with({ day: 1 });
  while (Temporal.PlainDate.compare(at, last) <= 0) {
    if (periods.length === most) return undefined;
    const next = at.add(step);
    const end = next.subtract({ days: 1 });
    periods.push({
      key: at.toString(),
      start: (Temporal.PlainDate.compare(at, first) < 0 ? first : at).toString(),
      end: (Temporal.PlainDate.compare(end, last) > 0 ? last : end).toString(),
    });
    at = next;
  }
  return periods;
}
