import type { Known } from '../../../kernel/contact-data/inspect-text.ts';
import type { Acting } from '../../../kernel/context.ts';
import type { ServicePolicy } from '../../../platform/service-policy/policy.ts';
import { hasPublishedForm, trackingHosts } from '../../shipping/index.ts';
import { knownStrings } from '../domain/known-strings.ts';
import { type OrderSubject, orderNamed, type ProductSubject, productNamed } from '../store/threads.ts';

/**
 * A tracking number that the seller typed is known only if it has the form that its carrier has published: any number
 * of a telephone or a card fits the others.
 */
const trackingOf = ({ parcels }: OrderSubject): string[] =>
  parcels
    .filter(
      ({ carrier, tracking_number, labelled }) =>
        labelled || (carrier !== null && hasPublishedForm(carrier, tracking_number)),
    )
    .map(({ tracking_number }) => tracking_number);

const ofOrder = (order: OrderSubject): string[] =>
  knownStrings({
    ...order,
    names: [
      ...[order.order_number, order.order_id, order.external_order_id, order.postcode],
      ...trackingOf(order),
    ],
  });

const ofProduct = ({ product_id, seller_sku, gtin, ...product }: ProductSubject): string[] =>
  knownStrings({ ...product, names: [product_id], lines: [{ seller_sku, gtin }] });

interface Named {
  readonly order_id?: string | null | undefined;
  readonly product_id?: string | null | undefined;
}

/** What may stand in a text about an order or a product. */
export async function readKnown(
  ctx: Acting,
  { order_id, product_id }: Named,
  policy: Pick<ServicePolicy, 'allowed_hosts'>,
): Promise<Known> {
  const [order, product] = await Promise.all([
    order_id == null ? undefined : orderNamed(ctx, order_id),
    product_id == null ? undefined : productNamed(ctx, product_id),
  ]);
  return {
    strings: [
      ...(order === undefined ? [] : ofOrder(order)),
      ...(product === undefined ? [] : ofProduct(product)),
    ],
    hosts: [...policy.allowed_hosts, ...trackingHosts()],
  };
}
