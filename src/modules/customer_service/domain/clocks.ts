/**
 * The clocks of a ticket: who owes an answer or a resolution, and by when. Pure functions on the business time of a
 * calendar. Source: docs/design/customer-service.md#clocks.
 */

import { add, type BusinessCalendar, between } from '../../../kernel/australia/business-time.ts';
import { isoOf } from '../../../kernel/instant.ts';
import type { Author, TicketKind, TicketStatus } from './ticket.ts';
import { waitsFor } from './ticket.ts';

export const METRICS = ['response', 'resolution'] as const;
type Metric = (typeof METRICS)[number];
const OUTCOMES = ['running', 'paused', 'met', 'breached', 'cancelled'] as const;

/** Times are milliseconds, instants RFC 3339. */
export interface Clock {
  readonly metric: Metric;
  readonly round: number;
  readonly obligated: 'seller' | 'marketplace';
  readonly policy_version: string;
  readonly target_ms: number;
  /** The marketplace has set the deadline, so a change of priority does not move it. */
  readonly fixed: boolean;
  readonly started_at: string;
  /** Business time until the last pause. */
  readonly used_ms: number;
  readonly running_since: string | null;
  readonly warn_at: string | null;
  readonly due_at: string | null;
  readonly stopped_at: string | null;
  /** `breached` stays, whatever happens later. */
  readonly outcome: (typeof OUTCOMES)[number];
}

/** The targets of a priority, and the hours that count. */
export interface ClockTerms {
  readonly policy_version: string;
  readonly calendar: BusinessCalendar;
  readonly response_ms: number;
  readonly resolution_ms: number;
  readonly claim_response_ms: number;
}

const MINUTE_MS = 60_000;
/** The least time that a change of priority leaves. */
const LEFT_MIN_MS = 60 * MINUTE_MS;

const OBLIGED: Readonly<Record<TicketKind, Readonly<Record<Metric, Clock['obligated']>>>> = {
  seller_request: { response: 'marketplace', resolution: 'marketplace' },
  marketplace_request: { response: 'seller', resolution: 'seller' },
  enquiry: { response: 'seller', resolution: 'seller' },
  claim: { response: 'seller', resolution: 'marketplace' },
};

const since = (clock: Clock): number => Date.parse(clock.running_since ?? '');
const isRunning = (clock: Clock): boolean => clock.running_since !== null;
const isStopped = (clock: Clock): boolean => clock.stopped_at !== null;

/** Business time that the clock has used at an instant. */
export const usedAt = (clock: Clock, calendar: BusinessCalendar, now: number): number =>
  clock.used_ms + (isRunning(clock) ? between(calendar, since(clock), now) : 0);

/** Deadline and warning of what is left. The warning comes a sixth of the target before the deadline. */
function deadlines(calendar: BusinessCalendar, now: number, target: number, used: number) {
  const sixth = Math.floor(target / MINUTE_MS / 6) * MINUTE_MS;
  return {
    due_at: isoOf(add(calendar, now, target - used)),
    warn_at: isoOf(add(calendar, now, Math.max(0, target - sixth - used))),
  };
}

function run(clock: Clock, calendar: BusinessCalendar, now: number): Clock {
  const running = { ...clock, running_since: isoOf(now), stopped_at: null };
  if (clock.outcome === 'breached') return running;
  return { ...running, ...deadlines(calendar, now, clock.target_ms, clock.used_ms), outcome: 'running' };
}

function rest(clock: Clock, calendar: BusinessCalendar, now: number): Clock {
  const resting = { ...clock, used_ms: usedAt(clock, calendar, now), running_since: null };
  return clock.outcome === 'breached'
    ? resting
    : { ...resting, due_at: null, warn_at: null, outcome: 'paused' };
}

function stop(clock: Clock, calendar: BusinessCalendar, now: number, outcome: 'met' | 'cancelled'): Clock {
  return {
    ...clock,
    used_ms: usedAt(clock, calendar, now),
    running_since: null,
    warn_at: null,
    stopped_at: isoOf(now),
    outcome: clock.outcome === 'breached' ? 'breached' : outcome,
  };
}

/** The instant after which a clock that runs is breached. */
const dueOf = (clock: Clock): number =>
  clock.outcome === 'running' && clock.due_at !== null ? Date.parse(clock.due_at) : Number.POSITIVE_INFINITY;

export const isOverdue = (clock: Clock, now: number): boolean => now > dueOf(clock);
export const isWarned = (clock: Clock, now: number): boolean =>
  clock.outcome === 'running' && clock.warn_at !== null && now >= Date.parse(clock.warn_at);

/** The next instant at which time changes a clock. */
export function nextInstant(clocks: readonly Clock[]): number | undefined {
  const instants = clocks
    .filter(({ outcome }) => outcome === 'running')
    // A clock is met at its deadline, and breached after it.
    .flatMap((clock) => [clock.warn_at === null ? dueOf(clock) + 1 : Date.parse(clock.warn_at)]);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** The clocks at an instant: the warnings that are due are given, and overdue clocks are breached. */
export const passTime = (clocks: readonly Clock[], now: number): Clock[] =>
  clocks.map((clock) => {
    if (isOverdue(clock, now)) return { ...clock, warn_at: null, outcome: 'breached' };
    return isWarned(clock, now) ? { ...clock, warn_at: null } : clock;
  });

interface Opening {
  readonly kind: TicketKind;
  readonly status: TicketStatus;
  /** The deadline that the marketplace has set for the first answer, in milliseconds. */
  readonly respondBy?: number | undefined;
}

function begin(
  metric: Metric,
  round: number,
  kind: TicketKind,
  terms: ClockTerms,
  now: number,
  respondBy?: number,
): Clock {
  const { calendar, policy_version } = terms;
  const ofClaim = kind === 'claim' && metric === 'response';
  const given = metric === 'response' && respondBy !== undefined;
  const standard = metric === 'resolution' ? terms.resolution_ms : terms.response_ms;
  const target_ms = given ? between(calendar, now, respondBy) : ofClaim ? terms.claim_response_ms : standard;
  const clock: Clock = {
    ...{ metric, round, obligated: OBLIGED[kind][metric], policy_version, target_ms },
    ...{ fixed: given || ofClaim, started_at: isoOf(now), used_ms: 0, running_since: isoOf(now) },
    ...deadlines(calendar, now, target_ms, 0),
    ...{ stopped_at: null, outcome: 'running' },
  };
  return given ? { ...clock, due_at: isoOf(respondBy) } : clock;
}

/** The clocks of a new ticket. The clock of the side that has nothing to do stands still. */
export function openClocks({ kind, status, respondBy }: Opening, terms: ClockTerms, now: number): Clock[] {
  return METRICS.map((metric) => {
    const clock = begin(metric, 1, kind, terms, now, respondBy);
    return waitsFor(status) === clock.obligated ? clock : rest(clock, terms.calendar, now);
  });
}

/** A move of a ticket, as its clocks see it. */
interface Moved {
  readonly kind: TicketKind;
  readonly author: Author;
  readonly status: TicketStatus;
  /** Whether the author has written to the other side. */
  readonly writes: boolean;
}

const calendarOf = (
  calendars: ReadonlyMap<string, BusinessCalendar>,
  { policy_version }: Clock,
  terms: ClockTerms,
): BusinessCalendar => calendars.get(policy_version) ?? terms.calendar;

/**
 * The clocks after a move. Time must have passed first.
 *
 * @param calendars the hours of the policies under which the clocks began
 * @param terms the present ones, for a new round
 */
export function moveClocks(
  clocks: readonly Clock[],
  { kind, author, status, writes }: Moved,
  terms: ClockTerms,
  calendars: ReadonlyMap<string, BusinessCalendar>,
  now: number,
): Clock[] {
  const isResolved = waitsFor(status) === undefined;
  const after = clocks.map((clock): Clock => {
    const calendar = calendarOf(calendars, clock, terms);
    if (clock.metric === 'response') {
      if (isStopped(clock)) return clock;
      if (isResolved) return stop(clock, calendar, now, 'cancelled');
      return author === clock.obligated && writes ? stop(clock, calendar, now, 'met') : clock;
    }
    if (isResolved) return isStopped(clock) ? clock : stop(clock, calendar, now, 'met');
    // A resolution that came too late is not measured again.
    if (isStopped(clock) && clock.outcome === 'breached') return clock;
    const runs = waitsFor(status) === clock.obligated;
    if (runs === isRunning(clock) && !isStopped(clock)) return clock;
    return runs ? run(clock, calendar, now) : rest({ ...clock, stopped_at: null }, calendar, now);
  });
  const obligated = OBLIGED[kind].response;
  const rounds = after.filter(({ metric }) => metric === 'response');
  const owes = writes && author !== obligated && waitsFor(status) === obligated;
  if (!owes || kind === 'claim' || !rounds.every(isStopped)) return after;
  return [...after, begin('response', rounds.length + 1, kind, terms, now)];
}

/**
 * The clocks after a change of priority: the time that was used counts, and at least an hour is left.
 *
 * @param termsOf those of the policy under which a clock began, with the new priority
 */
export function changeTargets(
  clocks: readonly Clock[],
  termsOf: (clock: Clock) => ClockTerms,
  now: number,
): Clock[] {
  return clocks.map((clock) => {
    if (isStopped(clock) || clock.fixed || clock.outcome === 'breached') return clock;
    const terms = termsOf(clock);
    const { calendar } = terms;
    const used = usedAt(clock, calendar, now);
    const wanted = clock.metric === 'response' ? terms.response_ms : terms.resolution_ms;
    const target_ms = Math.max(wanted, used + LEFT_MIN_MS);
    const times = isRunning(clock) ? deadlines(calendar, now, target_ms, used) : {};
    return { ...clock, target_ms, ...times };
  });
}
