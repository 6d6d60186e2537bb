/** Writes a fact of a purchase order, and what it makes of the order and its lines. */
import { isDeepStrictEqual } from 'node:util';
import { dayOf } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { CHANGED_JOB, requestPass, WHOLE_JOB } from '../../pricing/index.ts';
import { goodsOfLines, unitCosts } from '../domain/priced.ts';
import { derivePurchase, type PurchaseState, statusOf, type TimedFact } from '../domain/purchase.ts';
import { facts, type LineRow, lines, type Purchase, type PurchaseRow, purchases } from '../store/orders.ts';

/** The job that ends the time for an answer, and tells of late deliveries. */
export const DUE_JOB = 'wholesale.due';

/** There is one job for each instant, so no job has to be moved. A job that runs too early does nothing. */
export const planDue = (ctx: Acting, purchase_order_id: string, dueAt: number): Promise<void> =>
  ctx.jobs.add({
    kind: DUE_JOB,
    payload: { purchase_order_id },
    uniqueKey: `${purchase_order_id} ${new Date(dueAt).toISOString()}`,
    dueAt,
  });

/** The state of an order by its facts. */
export const stateOf = ({ order, lines: own, facts: known }: Purchase): PurchaseState =>
  derivePurchase({ ...order, lines: own }, known);

function nextLines(ctx: Acting, { order, lines: before }: Purchase, state: PurchaseState): LineRow[] {
  const priced = before.map((line): LineRow => {
    const { received_from, ...found } = state.lines.get(line.line_no) ?? { received_from: null };
    return { ...line, ...found, cost_from: received_from };
  });
  const costs = unitCosts(priced, state.freight_minor, order.currency);
  return priced.map((line, index): LineRow => {
    const cost = costs[index];
    if (line.cost_from === null || cost === undefined)
      return { ...line, cost_micros: null, cost_missing: [], cost_recorded_at: null };
    const known = before[index];
    const isKnown =
      known?.cost_from === line.cost_from &&
      known.cost_micros === cost.cost_micros &&
      isDeepStrictEqual(known.cost_missing, cost.cost_missing);
    return { ...line, ...cost, cost_recorded_at: isKnown ? known.cost_recorded_at : ctx.at() };
  });
}

/**
 * Recommended prices follow the costs of units (docs/design/pricing.md#passes). A cost that is no more is found by a pass
 * over all products only.
 */
async function followCosts(ctx: Acting, before: readonly LineRow[], after: readonly LineRow[]) {
  const recorded = after.flatMap(({ product_id, cost_recorded_at: at }, index) =>
    product_id === null || at === before[index]?.cost_recorded_at ? [] : [at],
  );
  if (recorded.length > 0) await requestPass(ctx, recorded.includes(null) ? WHOLE_JOB : CHANGED_JOB);
}

/**
 * Adds a fact to a locked order that is submitted, or is by this fact.
 *
 * @param change further columns of the order
 * @returns the order as it is now, one version later
 */
export async function addFact(
  ctx: Acting,
  before: Purchase,
  fact: TimedFact,
  change: Partial<PurchaseRow> = {},
): Promise<Purchase> {
  const { purchase_order_id } = before.order;
  const row = { ...fact, purchase_order_id, actor: ctx.by, recorded_at: ctx.at() };
  const known = [...before.facts, row];
  const order = { ...before.order, ...change };
  const state = stateOf({ ...before, order, facts: known });
  const after = nextLines(ctx, { ...before, order }, state);
  const changed = after.filter((line, index) => !isDeepStrictEqual(line, before.lines[index]));
  await facts.appendMany(ctx, [row]);
  await lines.upsertMany(ctx, changed);
  await followCosts(ctx, before.lines, after);
  const promised = new Set(changed.flatMap(({ promised_on }) => promised_on ?? []));
  for (const day of promised) await planDue(ctx, purchase_order_id, dayOf(day).next);
  return {
    order: await writeVersion(purchases, ctx, before.order, {
      ...change,
      ...{ status: statusOf(after), goods_minor: goodsOfLines(after), freight_minor: state.freight_minor },
    }),
    lines: after,
    facts: known,
  };
}
