/** What a change of an order means for the ledger: asked only when something about money has changed. */

import { isDeepStrictEqual } from 'node:util';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { ratesOfOrder, scheduleAt } from '../../fees/index.ts';
import { bookOrder, freezeTerms, type OrderMoney, type OrderTerms } from '../../ledger/index.ts';
import type { Order, Refund } from '../domain/order.ts';
import { providerFeeOf } from '../domain/provider-fee.ts';
import type { Work } from '../domain/work.ts';
import type { ChangeContext } from './change-context.ts';

const ZERO: Minor = minor(0);

const linesOf = ({ lines }: Order): OrderMoney['lines'][number][] =>
  lines.map((line) => ({
    order_line_id: line.order_line_id,
    kind: line.kind,
    sku: line.seller_sku ?? line.title,
    net_minor: line.net_minor,
    ordered: line.ordered,
    delivered: line.delivered,
    ended: line.rejected + line.cancelled + line.lost,
  }));

const isMade = (
  refund: Refund,
): refund is Refund & { readonly status: OrderMoney['refunds'][number]['status'] } =>
  refund.status !== 'requested';

const refundsOf = ({ refunds, refund_lines }: Order): OrderMoney['refunds'][number][] =>
  refunds.filter(isMade).map((refund) => ({
    refund_id: refund.external_refund_id ?? refund.refund_id,
    status: refund.status,
    made_at: refund.made_at ?? refund.created_at,
    settled_at: refund.settled_at,
    lines: refund_lines.filter(({ refund_id }) => refund_id === refund.refund_id),
  }));

const disputesOf = ({ disputes }: Order): OrderMoney['disputes'][number][] =>
  disputes.map((dispute) => ({
    dispute_id: dispute.external_dispute_id,
    status: dispute.status,
    amount_minor: dispute.amount_minor,
    provider_fee_minor: dispute.provider_fee_minor,
    returned_fee_minor: dispute.returned_fee_minor,
    opened_at: dispute.opened_at,
    decided_at: dispute.decided_at,
  }));

/** What of an order is of interest to the ledger. */
function moneyOf(order: Order): OrderMoney {
  const { head, shipments, shipment_lines } = order;
  const { captured_minor, captured_at } = head;
  return {
    order_id: head.order_id,
    currency: head.currency,
    loyalty: head.loyalty,
    captured:
      captured_minor === null || captured_at === null
        ? null
        : { at: captured_at, amount_minor: captured_minor, provider_fee_minor: providerFeeOf(head) ?? ZERO },
    lines: linesOf(order),
    deliveries: shipments.flatMap(({ shipment_id, status, delivered_at }) =>
      status === 'delivered' && delivered_at !== null
        ? [{ at: delivered_at, lines: shipment_lines.filter((line) => line.shipment_id === shipment_id) }]
        : [],
    ),
    refunds: refundsOf(order),
    disputes: disputesOf(order),
  };
}

/** Accepted here, or delivered without that: from then on its rates stand. */
const isRated = ({ head, lines }: Order): boolean =>
  head.accepted_at !== null || lines.some(({ delivered }) => delivered > 0);

/** The rates of the day on which the order was accepted, or arrived without having been. */
async function termsOf({ db }: ChangeContext, order: Order, at: string): Promise<OrderTerms> {
  const { accepted_at } = order.head;
  const [arrived] = order.shipments.flatMap(({ delivered_at }) => delivered_at ?? []).sort();
  const schedule = await scheduleAt(db, sydneyDate(Date.parse(accepted_at ?? arrived ?? at)));
  return ratesOfOrder(schedule, order.lines);
}

const ledgerContext = ({ db, sellerId, ids, now, config }: ChangeContext) => ({
  ...{ db, ids, now, config },
  seller_id: sellerId,
  at: () => new Date(now()).toISOString(),
});

/** Freezes the rates of an order that is accepted, and posts what its change moves. */
export async function bookMoney(ctx: ChangeContext, before: Order | undefined, work: Work): Promise<void> {
  const { order, at } = work;
  const ledger = ledgerContext(ctx);
  const terms = () => termsOf(ctx, order, at);
  if (isRated(order) && (before === undefined || !isRated(before)))
    await freezeTerms(ledger, order.head.order_id, await terms());
  const facts = moneyOf(order);
  // Until the payment is there nothing is posted, so that nothing has to be compared.
  if (facts.captured === null) return;
  if (before !== undefined && isDeepStrictEqual(moneyOf(before), facts)) return;
  const { kind, id } = ctx.author.actor;
  const occurrence = {
    occurred_at: work.notes[0]?.occurred_at ?? at,
    actor: id === null ? kind : `${kind}:${id}`,
    source_event_id: ctx.sourceEventId ?? null,
  };
  await bookOrder(ledger, facts, occurrence, terms);
}
