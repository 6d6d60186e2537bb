/** The payment provider's fee on an order's payment. */
import { type Minor, minor, splitMinor, sumMinor } from '../../../kernel/money.ts';
import type { OrderHead } from './order.ts';

interface ChargeShare {
  readonly order_id: string;
  readonly gross_minor: number;
}

type Charge = Pick<
  OrderHead,
  'order_id' | 'external_order_id' | 'provider_fee_minor' | 'charge_provider_fee_minor' | 'share_of'
>;

/**
 * The order's own fee; for a charge that several orders share, the order's share of the fee, by largest
 * remainder over the orders' amounts. Source: docs/design/money.md#shared-charges.
 *
 * @returns undefined when the shares do not give the order's share
 */
export function providerFeeOf(charge: Charge): Minor | undefined {
  if (charge.provider_fee_minor !== null) return charge.provider_fee_minor;
  const { charge_provider_fee_minor: fee, order_id, external_order_id } = charge;
  if (fee === null || fee === 0n) return minor(0);
  const shares = (charge.share_of ?? []) as readonly ChargeShare[];
  const own = shares.findIndex((share) => [order_id, external_order_id].includes(share.order_id));
  const weights = shares.map(({ gross_minor }) => minor(gross_minor));
  if (own === -1 || sumMinor(weights) === 0n) return undefined;
  return splitMinor(fee, weights)[own];
}
