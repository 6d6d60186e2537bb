/** The instant for which figures are computed. */

import { addDays, periodOf } from '../../../kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../../kernel/australia/sydney.ts';
import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { isDay, parseInstant } from '../../../kernel/instant.ts';

export interface AsOf {
  /** RFC 3339. */
  readonly at: string;
  /** The Sydney day of the instant, `YYYY-MM-DD`. Lines that are available after it are in hold. */
  readonly day: string;
  /** Days before this one count completely. Of this day, only lines before the instant count. */
  readonly wholeBefore: string;
}

/** Figures at an instant, in milliseconds. The last millisecond of a day stands for the whole day. */
export function asOfInstant(at: number): AsOf {
  return { at: new Date(at).toISOString(), day: sydneyDate(at), wholeBefore: sydneyDate(at + 1) };
}

/** Figures now. Nothing is recorded after now, so the present month counts completely. */
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
 * Reads `as_of`: an RFC 3339 instant, or a Sydney day, which means its end. The default is now.
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
