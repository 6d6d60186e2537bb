/** Contests of events: one that is upheld makes the event stop counting at once. */
import type { Acting } from '../../../kernel/context.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { type ContestArea, eraseContests, newestContests, toWireContest } from '../../contests/index.ts';
import { toWireEvent } from '../schemas/performance.ts';
import { addToDays, countedEvents, type EventRow, eventsOfOrders, holdNight } from '../store/performance.ts';

export const performanceContests: ContestArea = {
  kind: 'performance',
  count: async (ctx, { id }, counts) => {
    await holdNight(ctx);
    const event = await countedEvents.find(ctx, { event_id: id });
    if (event === undefined || event.counted === counts) return;
    await countedEvents.replace(ctx, { ...event, counted: counts });
    const { metric, day, gone } = event;
    if (gone) return;
    await addToDays(ctx, [{ metric, day, numerator: counts ? 1 : -1, denominator: 0 }]);
  },
};

/** Events with their newest contests. */
export async function showEvents(ctx: Pick<Acting, 'db' | 'seller_id'>, rows: readonly EventRow[]) {
  const ids = rows.map(({ event_id }) => event_id);
  const contests = await newestContests(ctx, 'performance', ids);
  return rows.map((row) => {
    const contest = contests.get(row.event_id);
    return toWireEvent(row, contest === undefined ? null : toWireContest(contest));
  });
}

/** What the seller and the marketplace wrote about an order that counts. The columns are named by the eraser of reviews. */
export const contestEraser: Eraser = {
  columns: [],
  // No delivery needs it, so contests about open orders are erased at once.
  erase: async (ctx, { order_ids, open_order_ids, earlier_ids }) => {
    const events = await eventsOfOrders(ctx, [...order_ids, ...open_order_ids, ...earlier_ids]);
    return eraseContests(ctx, 'performance', events);
  },
};
