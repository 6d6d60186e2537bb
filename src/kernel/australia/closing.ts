/** Days on which a seller is closed: dates in Sydney, both inclusive. */
import { dayOf, firstInstant, sydneyDate } from './sydney.ts';

export interface Closing {
  readonly from: string;
  /** Null: until further notice. */
  readonly to: string | null;
}

/** Whether a date, `YYYY-MM-DD`, is one of the closed days. */
export const isClosedOn = ({ from, to }: Closing, date: string): boolean =>
  from <= date && (to === null || date <= to);

/** Whether the day of an instant (milliseconds) is one of them; without a first day there are none. */
export const isClosedAt = (from: string | null, to: string | null, at: number): boolean =>
  from !== null && isClosedOn({ from, to }, sydneyDate(at));

/** The instant `ms` milliseconds after another one, when the closed days do not count. */
export function afterOpenTime(at: number, ms: number, closing: Closing | null): number {
  const end = at + ms;
  if (closing === null || closing.to === null) return end;
  const first = firstInstant(closing.from);
  const { next } = dayOf(closing.to);
  return end <= first || at >= next ? end : next + end - Math.max(at, first);
}
