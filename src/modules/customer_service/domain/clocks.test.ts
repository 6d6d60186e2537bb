/** The clocks of tickets under any moves. Source: docs/design/customer-service.md#clocks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { between } from '../../../kernel/australia/business-time.ts';
import { type Clock, type ClockTerms, changeTargets, moveClocks, openClocks, passTime } from './clocks.ts';
import { AUTHORS, TICKET_KINDS, TICKET_STATUSES } from './ticket.ts';

const MINUTE_MS = 60_000;
const day = [['09:00', '17:00']] as const;
const calendar: ClockTerms['calendar'] = {
  weekly: { mon: day, tue: day, wed: day, thu: day, fri: day },
  closed_dates: [],
};
const terms: ClockTerms = {
  ...{ policy_version: 'p', calendar, response_ms: 480 * MINUTE_MS, resolution_ms: 2_400 * MINUTE_MS },
  claim_response_ms: 1_440 * MINUTE_MS,
};
const high = { ...terms, response_ms: 240 * MINUTE_MS, resolution_ms: 1_440 * MINUTE_MS };
const calendars = new Map([['p', calendar]]);
const OPENED = Date.parse('2026-04-02T04:00:00Z');

const moves = fc.array(
  fc.record({
    afterMinutes: fc.integer({ min: 0, max: 8_000 }),
    author: fc.constantFrom(...AUTHORS),
    status: fc.constantFrom(...TICKET_STATUSES),
    writes: fc.boolean(),
    raises: fc.boolean(),
  }),
  { maxLength: 12 },
);

test('a stopped clock never grows, a breach stays, one response is owed, and nothing counts twice', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TICKET_KINDS), moves, (kind, list) => {
      const status = kind === 'seller_request' ? 'pending_marketplace' : 'pending_seller';
      let clocks: Clock[] = openClocks({ kind, status }, terms, OPENED);
      let now = OPENED;
      for (const { afterMinutes, raises, ...move } of list) {
        now += afterMinutes * MINUTE_MS;
        const passed = passTime(clocks, now);
        const raised = raises ? changeTargets(passed, () => high, now) : passed;
        expect(passTime(raised, now).filter(({ outcome }) => outcome === 'breached')).toHaveLength(
          passed.filter(({ outcome }) => outcome === 'breached').length,
        );
        const after = moveClocks(raised, { kind, ...move }, terms, calendars, now);
        for (const [index, before] of clocks.entries()) {
          const clock = after[index];
          if (before.metric === 'response' && before.stopped_at !== null) expect(clock).toEqual(before);
          if (before.outcome === 'breached') expect(clock?.outcome).toBe('breached');
          expect(clock?.used_ms).toBeGreaterThanOrEqual(before.used_ms);
        }
        const owed = after.filter(({ metric, stopped_at }) => metric === 'response' && stopped_at === null);
        expect(owed.length).toBeLessThanOrEqual(1);
        const open = between(calendar, OPENED, now);
        for (const clock of after) expect(clock.used_ms).toBeLessThanOrEqual(open);
        clocks = after;
      }
    }),
  );
});

test('another priority takes the targets of the policy under which the clock began', () => {
  const later = { ...high, policy_version: 'q', response_ms: 60 * MINUTE_MS };
  const byVersion = new Map([high, later].map((one) => [one.policy_version, one]));
  const clocks = openClocks({ kind: 'enquiry', status: 'pending_seller' }, terms, OPENED);
  const raised = changeTargets(clocks, (clock) => byVersion.get(clock.policy_version) ?? later, OPENED);
  expect(raised[0]).toMatchObject({ policy_version: 'p', target_ms: high.response_ms });
});
