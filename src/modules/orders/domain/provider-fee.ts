/** What the payment provider kept of an order's payment. */
import { type Minor, minor, splitMinor, sumMinor } from '../../../kernel/money.ts';
import type { OrderHead } from './order.ts';

export interface ChargeShare {
  readonly order_id: string;
  readonly gross_minor: number;
}

type Charge = Pick<
  OrderHead,
  'order_id' | 'external_order_id' | 'provider_fee_minor' | 'charge_provider_fee_minor' | 'share_of'
>;

/**
 * The order's own fee, or its part of that of a charge which several orders share, by largest remainder over what
 * each of them cost. Source: docs/design/money.md#shared-charges.
 *
 * @returns undefined when the shares do not say what the order's is
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
