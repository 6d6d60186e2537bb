/** The facts of an order about money, as the ledger takes them. */
import { type Minor, minor } from '../../../kernel/money.ts';
import type { OrderMoney } from '../../ledger/domain/order-money.ts';
import type { Order, Refund } from './order.ts';
import { providerFeeOf } from './provider-fee.ts';

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

/** The facts of an order that the ledger needs. */
export function moneyOf(order: Order): OrderMoney {
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
