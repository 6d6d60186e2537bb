/**
 * A turn is one obligation of the seller to answer. Each function returns the turn after something has happened.
 * Source: docs/design/conversations.md#turns.
 */

import type { BusinessCalendar } from '../../../kernel/australia/business-time.ts';
import {
  addMinutes,
  type Clock,
  minutesBetween,
  showClock,
  warningAt,
} from '../../../kernel/australia/service-clock.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { isoOf } from '../../../kernel/instant.ts';

export const OUTCOMES = ['open', 'in_time', 'late', 'no_reply_needed', 'withdrawn'] as const;
export type Outcome = (typeof OUTCOMES)[number];

interface Turn {
  readonly thread_id: string;
  readonly turn_no: number;
  readonly opened_at: string;
  readonly opened_on: string;
  readonly policy_version: string;
  readonly target_minutes: number;
  /** When the warning is due; null after it. */
  readonly warn_at: string | null;
  readonly respond_by: string;
  /** The deadline that has passed. An answer at this very instant is still in time. */
  readonly overdue_at: string | null;
  readonly ended_at: string | null;
  readonly outcome: Outcome;
  readonly business_minutes: number | null;
}

/** The target of the policy in force when a turn opens. */
interface Target {
  readonly version: string;
  readonly minutes: number;
  readonly calendar: BusinessCalendar;
}

/** Open minutes for another reply after one was rejected. */
const AGAIN_MINUTES = 240;

/** @param now milliseconds */
export function openTurn(
  named: Pick<Turn, 'thread_id' | 'turn_no'>,
  { version, minutes, calendar }: Target,
  now: number,
): Turn {
  return {
    ...named,
    opened_at: isoOf(now),
    opened_on: sydneyDate(now),
    policy_version: version,
    target_minutes: minutes,
    warn_at: isoOf(warningAt(calendar, now, minutes)),
    respond_by: isoOf(addMinutes(calendar, now, minutes)),
    ...{ overdue_at: null, ended_at: null, outcome: 'open', business_minutes: null },
  };
}

/** When the turn must be looked at next; null if nothing is due any more. */
export const nextDue = ({ warn_at, respond_by, overdue_at }: Turn): string | null =>
  overdue_at === null ? (warn_at ?? respond_by) : null;

const ended = (turn: Turn, outcome: Outcome, calendar: BusinessCalendar, at: number): Turn => ({
  ...turn,
  outcome,
  ended_at: isoOf(at),
  business_minutes: minutesBetween(calendar, Date.parse(turn.opened_at), at),
});

/** A deadline that passed before the turn was opened again stays missed. */
export function answerTurn(turn: Turn, calendar: BusinessCalendar, at: number): Turn {
  const { respond_by, overdue_at } = turn;
  const isLate = at > Date.parse(respond_by) || (overdue_at !== null && overdue_at < respond_by);
  return isLate
    ? { ...ended(turn, 'late', calendar, at), overdue_at: overdue_at ?? respond_by }
    : { ...ended(turn, 'in_time', calendar, at), overdue_at: null };
}

/** Ends a turn without an answer. */
export const endTurn = (
  turn: Turn,
  outcome: 'no_reply_needed' | 'withdrawn',
  calendar: BusinessCalendar,
  at: number,
): Turn => ended(turn, outcome, calendar, at);

/** Opens a turn again whose answer the marketplace has rejected. */
export function reopenTurn(turn: Turn, calendar: BusinessCalendar, now: number): Turn {
  const open = { ...turn, ...{ ended_at: null, outcome: 'open' as const, business_minutes: null } };
  const again = addMinutes(calendar, now, AGAIN_MINUTES);
  if (again <= Date.parse(turn.respond_by)) return open;
  return { ...open, respond_by: isoOf(again), warn_at: isoOf(warningAt(calendar, now, AGAIN_MINUTES)) };
}

/** What time has brought. After an outage that lasted to the deadline there is no warning any more. */
export function passTime(
  turn: Turn,
  now: number,
): { readonly turn: Turn; readonly event: 'warn' | 'overdue' } | undefined {
  const due = nextDue(turn);
  if (due === null || Date.parse(due) > now) return undefined;
  const later = { ...turn, warn_at: null };
  return Date.parse(turn.respond_by) <= now
    ? { turn: { ...later, overdue_at: turn.respond_by }, event: 'overdue' }
    : { turn: later, event: 'warn' };
}

const STATUS: Readonly<Record<Exclude<Outcome, 'open'>, Clock['status']>> = {
  in_time: 'met',
  late: 'breached',
  no_reply_needed: 'cancelled',
  withdrawn: 'cancelled',
};

/** The turn as a clock of the API. */
export function clockOf(
  turn: Pick<
    Turn,
    'outcome' | 'respond_by' | 'policy_version' | 'target_minutes' | 'opened_at' | 'business_minutes'
  >,
  calendar: BusinessCalendar,
  now: number,
): Clock {
  const { outcome, respond_by, policy_version, target_minutes, opened_at, business_minutes } = turn;
  const passed = now > Date.parse(respond_by) ? 'breached' : 'running';
  const used_minutes = business_minutes ?? minutesBetween(calendar, Date.parse(opened_at), now);
  const status = outcome === 'open' ? passed : STATUS[outcome];
  return showClock({ due_at: respond_by, status, policy_version, target_minutes, used_minutes }, calendar);
}
