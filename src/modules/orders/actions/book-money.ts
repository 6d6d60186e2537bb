/** Posts the money that a change of an order moves. */
import { isDeepStrictEqual } from 'node:util';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { ratesOfOrder, scheduleOfOrder } from '../../fees/index.ts';
import { bookOrder, freezeTerms, type OrderTerms } from '../../ledger/index.ts';
import type { Order } from '../domain/order.ts';
import { moneyOf } from '../domain/order-money.ts';
import type { Work } from '../domain/work.ts';

/** Whether the fee rates are fixed: the order is accepted, or it was delivered without being accepted here. */
const isRated = ({ head, lines }: Order): boolean =>
  head.accepted_at !== null || lines.some(({ delivered }) => delivered > 0);

/** The rates of the day of acceptance, or of the day of delivery if the order was not accepted here. */
async function termsOf({ db }: Acting, order: Order, at: string): Promise<OrderTerms> {
  const { accepted_at, currency } = order.head;
  const [arrived] = order.shipments.flatMap(({ delivered_at }) => delivered_at ?? []).sort();
  const day = sydneyDate(Date.parse(accepted_at ?? arrived ?? at));
  const schedule = await scheduleOfOrder(db, currency, day);
  return ratesOfOrder(schedule, order.lines);
}

/** Freezes the rates of an order that is now accepted, and posts what the change moves. */
export async function bookMoney(ctx: Acting, before: Order | undefined, work: Work): Promise<void> {
  const { order, at } = work;
  const terms = () => termsOf(ctx, order, at);
  if (isRated(order) && (before === undefined || !isRated(before)))
    await freezeTerms(ctx, order.head.order_id, await terms());
  const facts = moneyOf(order);
  // Before the capture nothing is posted, so there is nothing to compare.
  if (facts.captured === null) return;
  if (before !== undefined && isDeepStrictEqual(moneyOf(before), facts)) return;
  const { kind, id } = ctx.by;
  const occurrence = {
    occurred_at: work.notes[0]?.occurred_at ?? at,
    actor: id === null ? kind : `${kind}:${id}`,
    source_event_id: ctx.cause,
  };
  await bookOrder(ctx, facts, occurrence, terms);
}
