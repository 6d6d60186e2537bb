/** A clock of a service target, as the API shows it. Source: docs/design/conversations.md#service-policy. */
import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../schema.ts';
import { add, type BusinessCalendar, between, describeCalendar } from './business-time.ts';

const MINUTE_MS = 60_000;

/** `add` in open minutes. Instants are milliseconds. */
export const addMinutes = (calendar: BusinessCalendar, start: number, minutes: number): number =>
  add(calendar, start, minutes * MINUTE_MS);

/** Whole open minutes of a time. */
export const minutesBetween = (calendar: BusinessCalendar, start: number, end: number): number =>
  Math.floor(between(calendar, start, end) / MINUTE_MS);

/** When the warning before a deadline is due: five sixths of the target after the start. */
export const warningAt = (calendar: BusinessCalendar, start: number, minutes: number): number =>
  addMinutes(calendar, start, minutes - Math.floor(minutes / 6));

const CLOCK_STATUSES = ['running', 'paused', 'met', 'breached', 'cancelled'] as const;

/** Fields of a clock. */
export const clockFields = {
  due_at: Nullable(Instant({ description: 'The deadline; null while the clock is paused' })),
  status: StringEnum(CLOCK_STATUSES, {
    title: 'ClockStatus',
    description: '`met`: in time; `breached`: the deadline has passed; `cancelled`: nothing is owed any more',
  }),
  policy_version: Type.String({ description: 'Version of the service policy under which it began' }),
  target_minutes: Type.Integer({ description: 'Open minutes from its start to its deadline' }),
  used_minutes: Type.Integer({ description: 'Open minutes so far' }),
  calendar: Type.String({ description: 'The hours that count, for people' }),
};
const Clock = Type.Object(clockFields);
export type Clock = Static<typeof Clock>;

export const CLOCK_EXAMPLE: Clock = {
  due_at: '2026-04-07T05:00:00.000Z',
  status: 'running',
  policy_version: 'default-1',
  target_minutes: 1_440,
  used_minutes: 540,
  calendar: 'Australia/Sydney, mon-fri 00:00-24:00, closed on national public holidays',
};

/** A clock with its calendar in words. */
export const showClock = (clock: Omit<Clock, 'calendar'>, calendar: BusinessCalendar): Clock => ({
  ...clock,
  calendar: describeCalendar(calendar),
});
