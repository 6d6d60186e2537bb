/** The figures of a seller's performance: counted each night, and read for an answer. */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import type { Acting } from '../../../kernel/context.ts';
import { saveSnapshot } from '../../facts/index.ts';
import { countOrder, judge, METRICS, type Metric } from '../domain/performance.ts';
import { qualityEvents } from '../events.ts';
import { toWireMetric } from '../schemas/performance.ts';
import {
  addToDays,
  changedOrders,
  countContested,
  countedEvents,
  countedOrders,
  type Delta,
  type EventRow,
  holdNight,
  knownOf,
  ratedOrders,
  readTargets,
  type ServedRow,
  saveNight,
  sumsBetween,
} from '../store/performance.ts';

export const METRICS_CONTRACT = 'quality.seller-metrics.v1';
/** Orders of one step of the night. */
const ORDERS_AT_ONCE = 500;
/** Longer than a transaction that changes an order. */
const OVERLAP_MS = 600_000;
const BEFORE_ALL = '2000-01-01T00:00:00.000Z';
/** The window whose changes of status are told. */
const TOLD_WINDOW = 30;

type Reading = Pick<Acting, 'db' | 'seller_id'>;

export const windowOf = (through: string, days: number) => ({
  from: addDays(through, 1 - days),
  to: through,
});

/** The metrics of a window that ends on a day. */
export async function metricsOf(ctx: Reading, through: string, days: number) {
  const { from, to } = windowOf(through, days);
  const before = windowOf(addDays(from, -1), days);
  const [rows, contested, targets] = await Promise.all([
    sumsBetween(ctx, { from: before.from, since: from, to }),
    countContested(ctx, from, to),
    readTargets(ctx.db),
  ]);
  return METRICS.map((metric) => {
    const own = rows.filter((row) => row.metric === metric);
    const ofMetric = targets.filter((target) => target.metric === metric);
    const now = judge(
      own.filter(({ day }) => day >= from),
      ofMetric,
      to,
    );
    const previous = judge(
      own.filter(({ day }) => day < from),
      ofMetric,
      before.to,
    );
    const marked = contested.find((row) => row.metric === metric)?.events ?? 0;
    return toWireMetric(metric, days, now, previous, marked);
  });
}

const countsAgainst = (event: EventRow | undefined): boolean => event?.counted === true && !event.gone;

/** Counts orders in their present state, in place of what was counted of them. */
async function countOrders(ctx: Acting, orders: readonly ServedRow[]): Promise<void> {
  if (orders.length === 0) return;
  const known = await knownOf(
    ctx,
    orders.map(({ order_id }) => order_id),
  );
  const daysOf = new Map(known.orders.map(({ order_id, days }) => [order_id, days]));
  const eventOf = new Map(known.events.map((event) => [`${event.order_id} ${event.metric}`, event]));
  const deltas: Delta[] = [];
  const events: EventRow[] = [];
  const add = (sign: 1 | -1, metric: Metric, day: string | undefined, event: EventRow | undefined): void => {
    if (day === undefined) return;
    deltas.push({ metric, day, numerator: countsAgainst(event) ? sign : 0, denominator: sign });
  };
  const rows = orders.map((order) => {
    const { order_id } = order;
    const counted = countOrder(order, ctx.now());
    for (const metric of METRICS) {
      const before = eventOf.get(`${order_id} ${metric}`);
      add(-1, metric, daysOf.get(order_id)?.[metric], before);
      const { day, fact = null } = counted.find((one) => one.metric === metric) ?? {};
      if (day === undefined || fact === null) {
        if (before !== undefined) events.push({ ...before, gone: true });
        add(1, metric, day, undefined);
        continue;
      }
      const { event_id = ctx.ids.next('qev_'), since_at = ctx.at(), counted: counts = true } = before ?? {};
      const event = { event_id, metric, order_id, day, since_at, fact, counted: counts, gone: false };
      events.push(event);
      add(1, metric, day, event);
    }
    const days = Object.fromEntries(counted.map(({ metric, day }) => [metric, day]));
    return {
      order_id,
      days,
      day:
        counted
          .map(({ day }) => day)
          .toSorted()
          .at(-1) ?? '',
    };
  });
  await Promise.all([
    countedEvents.upsertMany(ctx, events),
    countedOrders.upsertMany(ctx, rows),
    addToDays(ctx, deltas),
  ]);
}

/** Counts the orders that have changed since the night before, and tells which metrics meet or miss their targets now. */
export async function countNight(ctx: Acting, through_on: string): Promise<void> {
  const { watermark_at, told: before } = await holdNight(ctx);
  const begun = ctx.at();
  const since =
    watermark_at === null ? BEFORE_ALL : new Date(Date.parse(watermark_at) - OVERLAP_MS).toISOString();
  for (let after: Pick<ServedRow, 'changed_at' | 'order_id'> = { changed_at: since, order_id: '' }; ; ) {
    const orders = await changedOrders(ctx, after, ORDERS_AT_ONCE);
    await countOrders(ctx, orders);
    const last = orders.at(-1);
    if (last === undefined || orders.length < ORDERS_AT_ONCE) break;
    after = last;
  }
  if (watermark_at !== null) await countOrders(ctx, await ratedOrders(ctx, since));
  const told = { ...before };
  for (const metric of await metricsOf(ctx, through_on, TOLD_WINDOW)) {
    const { status } = metric;
    if (status === 'insufficient' || status === (told[metric.metric] ?? 'met')) continue;
    told[metric.metric] = status;
    await ctx.emit(qualityEvents.metric.of(metric));
  }
  await saveNight(ctx, { watermark_at: begun, through_on, told });
  saveSnapshot(ctx, METRICS_CONTRACT, { facts_through_on: through_on, body: null });
}
