/** What is kept of an order that counts against the seller. Source: docs/design/quality.md#performance. */
import { expect, test } from 'vitest';
import { countOrder } from './performance.ts';

test.each([
  ['changed_mind', 'changed_mind'],
  ['Mia Chen has moved to George Street', null],
])('of the reason %j of a late cancellation %j is kept', (reason, kept) => {
  const order = {
    ...{ accept_by: '2026-07-01T00:00:00Z', dispatch_by: '2026-07-02T00:00:00Z', expired_at: null },
    ...{ delivered_at: null, dispatched_at: null, units: { open: 0, sent: 0, rejected: 0 } },
    given_up: [
      { action: 'cancelled' as const, by_seller: false, reason, at: '2026-07-03T00:00:00Z', units: 1 },
    ],
    ...{ lost_disputes: [], returned: [], ratings: [] },
  };
  const late = countOrder(order, Date.parse('2026-07-10T00:00:00Z')).find(
    ({ metric }) => metric === 'late_dispatch',
  );
  expect(late?.fact).toMatchObject({ cause: 'cancelled_late', reason: kept });
});
