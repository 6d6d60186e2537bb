import Type, { type Static } from 'typebox';
import { isClosedAt } from '../../../kernel/australia/closing.ts';
import { dayOf, firstInstant } from '../../../kernel/australia/sydney.ts';
import { invalid } from '../../../kernel/errors.ts';
import { defineEvent } from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { section } from '../../../platform/rest/section.ts';
import { merge } from '../domain/merge.ts';
import { clearable, shown } from '../schemas/fields.ts';
import type { SellerRow } from '../store/seller-row.ts';
import { toldRow } from './own-row.ts';

/** Buyers of a longer closing would wait without a deadline that means anything. */
const EXTENSION_DAYS_MAX = 92;
const DAY_MS = 86_400_000;

const closedOn = (description: string) => Nullable(Type.String({ format: 'date', description }));
const Mode = StringEnum(['hide', 'extend'], {
  title: 'HolidayMode',
  description:
    '`hide`: products are not visible on the closed days. `extend`: buyers go on ordering, and acceptance and dispatch deadlines of orders placed after the change leave the closed days out',
});

const Holiday = Type.Object(
  {
    closed_from: closedOn('First day of closing, Australia/Sydney; null: open'),
    closed_to: closedOn('Last day of closing, inclusive; null: until further notice'),
    mode: Mode,
    message: shown('Text that buyers see meanwhile'),
    closed_now: Type.Boolean({ description: 'Whether today is such a day' }),
  },
  { title: 'Holiday', description: 'The days on which the seller is closed.' },
);

const HolidayPatch = Type.Object(
  {
    closed_from: Type.Optional(closedOn('First day of closing; null opens again')),
    closed_to: Type.Optional(closedOn('Last day of closing, inclusive')),
    mode: Type.Optional(Mode),
    message: clearable(500, 'Text that buyers see meanwhile'),
  },
  { title: 'HolidayPatch', description: 'The days to change.' },
);
type Stored = Static<typeof HolidayPatch>;

const EXAMPLE: Static<typeof Holiday> = {
  closed_from: '2026-12-24',
  closed_to: '2027-01-04',
  mode: 'hide',
  message: 'Back on 5 January',
  closed_now: false,
};

export const holidayChanged = defineEvent({
  type: 'seller.holiday_changed',
  summary: 'The seller changed the days on which it is closed, or what happens on them',
  schema: Holiday,
  example: EXAMPLE,
  marketplace: true,
});

const refuse = (field: keyof Stored, type: string, msg: string, input?: unknown) =>
  invalid([{ loc: ['body', field], msg, type, ...(input === undefined ? {} : { input }) }]);

/** @throws ApiError 422 when the days are in the wrong order, or do not fit the mode */
function checkDays({ closed_from, closed_to, mode }: Stored): void {
  if (closed_from == null) {
    if (closed_to != null) throw refuse('closed_from', 'missing', 'A last day needs a first day.');
    return;
  }
  if (closed_to != null && closed_to < closed_from) {
    const msg = `The last day must not be before the first, ${closed_from}.`;
    throw refuse('closed_to', 'date_order', msg, closed_to);
  }
  if (mode !== 'extend') return;
  if (closed_to == null)
    throw refuse('closed_to', 'missing', 'Deadlines can be extended up to a last day only: set closed_to.');
  const days = Math.round((dayOf(closed_to).next - firstInstant(closed_from)) / DAY_MS);
  if (days > EXTENSION_DAYS_MAX) {
    const msg = `Deadlines can be extended by ${EXTENSION_DAYS_MAX} days at most, these are ${days}; use mode hide.`;
    throw refuse('closed_to', 'closing_too_long', msg, closed_to);
  }
}

const show = (row: SellerRow, { now }: { now(): number }): Static<typeof Holiday> => {
  const { closed_from = null, closed_to = null, mode = 'hide', message = null }: Stored = row.holiday ?? {};
  return { closed_from, closed_to, mode, message, closed_now: isClosedAt(closed_from, closed_to, now()) };
};

export const holidayRoutes = section({
  ...toldRow(holidayChanged, show),
  id: 'sellers.holiday',
  path: '/me/holiday',
  one: 'holiday closing',
  description: 'Both days are inclusive dates in Australia/Sydney.',
  view: Holiday,
  // The day begins and ends a closing without a change.
  derived: ['closed_now'],
  patch: HolidayPatch,
  patchExample: { closed_from: '2026-12-24', closed_to: '2027-01-04', message: 'Back on 5 January' },
  viewExample: EXAMPLE,
  change: (row, patch) => {
    const opened = patch.closed_from === null && patch.closed_to === undefined ? { closed_to: null } : {};
    const holiday = merge(row.holiday ?? {}, { ...patch, ...opened });
    checkDays(holiday);
    return { holiday: Object.keys(holiday).length === 0 ? null : holiday };
  },
});
