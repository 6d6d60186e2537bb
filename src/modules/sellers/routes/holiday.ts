import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { invalid } from '../../../kernel/errors.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { section } from '../../../platform/rest/section.ts';
import { merge } from '../domain/merge.ts';
import { clearable, shown } from '../schemas/fields.ts';
import { OWN_ROW } from './own-row.ts';

const closedOn = (description: string) => Nullable(Type.String({ format: 'date', description }));

const Holiday = Type.Object(
  {
    closed_from: closedOn('First day of closing, Australia/Sydney; null: open'),
    closed_to: closedOn('Last day of closing, inclusive; null: until further notice'),
    message: shown('Text that buyers see meanwhile'),
    closed_now: Type.Boolean({ description: 'Whether today is such a day' }),
  },
  { title: 'Holiday', description: 'The days on which the seller is closed.' },
);

const HolidayPatch = Type.Object(
  {
    closed_from: Type.Optional(closedOn('First day of closing; null opens again')),
    closed_to: Type.Optional(closedOn('Last day of closing, inclusive')),
    message: clearable(500, 'Text that buyers see meanwhile'),
  },
  { title: 'HolidayPatch', description: 'The days to change.' },
);
type Stored = Static<typeof HolidayPatch>;

function closedNow({ closed_from, closed_to }: Stored, today: string): boolean {
  return closed_from != null && closed_from <= today && (closed_to == null || today <= closed_to);
}

/** @throws ApiError 422 when the days are in the wrong order, or an end has no beginning */
function checkOrder({ closed_from, closed_to }: Stored): void {
  if (closed_to == null) return;
  if (closed_from == null) {
    const msg = 'A last day needs a first day.';
    throw invalid([{ loc: ['body', 'closed_from'], msg, type: 'missing' }]);
  }
  if (closed_to < closed_from) {
    const msg = `The last day must not be before the first, ${closed_from}.`;
    throw invalid([{ loc: ['body', 'closed_to'], msg, type: 'date_order', input: closed_to }]);
  }
}

export const holidayRoutes = section({
  ...OWN_ROW,
  id: 'sellers.holiday',
  path: '/me/holiday',
  one: 'holiday closing',
  description: 'Both days are inclusive dates in Australia/Sydney.',
  view: Holiday,
  patch: HolidayPatch,
  patchExample: { closed_from: '2026-12-24', closed_to: '2027-01-04', message: 'Back on 5 January' },
  viewExample: {
    closed_from: '2026-12-24',
    closed_to: '2027-01-04',
    message: 'Back on 5 January',
    closed_now: false,
  },
  show: (row, { now }) => {
    const stored: Stored = row.holiday ?? {};
    return {
      closed_from: stored.closed_from ?? null,
      closed_to: stored.closed_to ?? null,
      message: stored.message ?? null,
      closed_now: closedNow(stored, sydneyDate(now())),
    };
  },
  change: (row, patch) => {
    const opened = patch.closed_from === null && patch.closed_to === undefined ? { closed_to: null } : {};
    const holiday = merge(row.holiday ?? {}, { ...patch, ...opened });
    checkOrder(holiday);
    return { holiday: Object.keys(holiday).length === 0 ? null : holiday };
  },
});
