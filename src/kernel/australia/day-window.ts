/** A window of Sydney days, both ends included. */
import { Temporal } from 'temporal-polyfill';
import Type from 'typebox';
import { type FieldProblem, invalid } from '../errors.ts';
import { isDay } from '../instant.ts';
import { addDays, type Period } from './settlement-period.ts';

/** Length of the default window, in days. */
const DAYS_DEFAULT = 30;
/** Longest window: a leap year. */
const DAYS_MAX = 366;

const daysOf = ({ start, end }: Period): number =>
  Temporal.PlainDate.from(start).until(Temporal.PlainDate.from(end)).days + 1;

/** The day so many months before a day; the last of the month if it has no such day. */
export const monthsBefore = (day: string, months: number): string =>
  Temporal.PlainDate.from(day).subtract({ months }).toString();

/** The window of the same length before this one. */
export function windowBefore(window: Period): Period {
  return { start: addDays(window.start, -daysOf(window)), end: addDays(window.start, -1) };
}

const beyond = (msg: string, input: string) =>
  invalid([{ loc: ['query', 'from'], msg, type: 'out_of_range', input }]);
const AFTER_END = 'Must not be after "to".';

/**
 * Refuses a text that is not a day, an end before the beginning, and days of which nothing is kept any more.
 *
 * @param first the first day that is kept; default: all are
 * @throws ApiError 422 `format_invalid`, `out_of_range`, `date_too_old`
 */
export function requireDays(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  first = '',
): void {
  const wrong = Object.entries({ from, to }).flatMap(([name, value]): FieldProblem[] =>
    value === undefined || isDay(value)
      ? []
      : [{ loc: ['query', name], msg: 'Must be a day, YYYY-MM-DD.', type: 'format_invalid', input: value }],
  );
  if (wrong.length > 0) throw invalid(wrong);
  if (from !== undefined && to !== undefined && from > to) throw beyond(AFTER_END, from);
  for (const [name, input] of Object.entries({ from, to }))
    if (input !== undefined && input < first) {
      const msg = `Figures are kept for 25 months; ask for ${first} or later.`;
      throw invalid([{ loc: ['query', name], msg, type: 'date_too_old', input }]);
    }
}

/**
 * Reads `from` and `to`: by default the thirty days that end today.
 *
 * @throws ApiError 422 for a text that is not a day, and for a window that ends before it begins, is longer than a
 *   year, or is in the future. For future days the figures are unknown, and zeros would be wrong.
 */
export function readWindow(from: string | undefined, to: string | undefined, today: string): Period {
  requireDays({ from, to });
  const end = to ?? today;
  const start = from ?? addDays(end, 1 - DAYS_DEFAULT);
  if (start > end) throw beyond(AFTER_END, start);
  if (daysOf({ start, end }) > DAYS_MAX) throw beyond(`A window has at most ${DAYS_MAX} days.`, start);
  if (start > today) {
    const [name, input] = from === undefined ? ['to', end] : ['from', start];
    const msg = 'The window has not begun yet.';
    throw invalid([{ loc: ['query', name], msg, type: 'less_than_equal', input }]);
  }
  return { start, end };
}

/** The parameter of figures about the last days. */
export const lastDaysQuery = {
  window: Type.Optional(
    Type.Unsafe<7 | 30 | 90>({
      ...{ type: 'integer', enum: [7, 30, 90], default: DAYS_DEFAULT },
      description: 'So many Sydney days up to yesterday',
    }),
  ),
};
/** The days of figures, as answers show them. */
export const LastDays = Type.Object(
  {
    from: Type.String({ format: 'date', description: 'First day' }),
    to: Type.String({ format: 'date', description: 'Last day' }),
  },
  { description: 'The Sydney days that are counted' },
);

/** The last days up to yesterday. @param today Sydney day */
export const lastDays = (today: string, days: number = DAYS_DEFAULT): { from: string; to: string } => ({
  from: addDays(today, -days),
  to: addDays(today, -1),
});
