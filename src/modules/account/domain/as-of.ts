/** The instant of figures. */

import { addDays, periodOf } from '../../../kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../../kernel/australia/sydney.ts';
import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { isDay, parseInstant } from '../../../kernel/instant.ts';

export interface AsOf {
  /** RFC 3339. */
  readonly at: string;
  /** The Sydney day of the instant, `YYYY-MM-DD`: lines that are available later are in hold. */
  readonly day: string;
  /** Days before this one count in full; of this day, only what had happened at the instant. */
  readonly wholeBefore: string;
}

/** The figures of an instant, in milliseconds. The last millisecond of a day is the whole day. */
export function asOfInstant(at: number): AsOf {
  return { at: new Date(at).toISOString(), day: sydneyDate(at), wholeBefore: sydneyDate(at + 1) };
}

/** Now: nothing recorded is later, so the present month counts in full. */
const asOfNow = (now: number): AsOf => {
  const day = sydneyDate(now);
  const wholeBefore = addDays(periodOf(day, 'monthly').end, 1);
  return { at: new Date(now).toISOString(), day, wholeBefore };
};

const problem = (input: string, msg: string, type: string): FieldProblem => ({
  loc: ['query', 'as_of'],
  msg,
  type,
  input,
});

/**
 * Reads `as_of`: an RFC 3339 instant, or a Sydney day, which means its end; default: now.
 *
 * @throws ApiError 422 at `query.as_of`, also for an instant in the future
 */
export function readAsOf(text: string | undefined, now: number): AsOf {
  if (text === undefined) return asOfNow(now);
  const at = isDay(text) ? dayOf(text).next - 1 : parseInstant(text);
  if (at === undefined)
    throw invalid([problem(text, 'Must be an RFC 3339 instant or a day, YYYY-MM-DD.', 'format_invalid')]);
  if (isDay(text) && text === sydneyDate(now)) return asOfNow(now);
  if (at > now) throw invalid([problem(text, 'Must not be in the future.', 'less_than_equal')]);
  return at === now ? asOfNow(now) : asOfInstant(at);
}
