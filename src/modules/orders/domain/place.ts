/** Makes an order from a placement. */
import type { IdKind } from '../../../kernel/ids.ts';
import {
  lessMinor,
  MINOR_MAX,
  type Minor,
  minor,
  splitMinor,
  sumMinor,
  timesUnits,
} from '../../../kernel/money.ts';
import type { Order, OrderHead, OrderLine } from './order.ts';

/** A line of a placement, with the product of its SKU. */
export interface PlacedLine {
  readonly kind: 'item' | 'shipping';
  readonly quantity: number;
  readonly unit_price_minor: Minor;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly category: string | null;
  readonly gtin: string | null;
  readonly weight_g: number | null;
  readonly image_url: string | null;
  readonly product_id: string | null;
  readonly platform_fee_bps: number | null;
}

export type Placed = Pick<
  OrderHead,
  | 'order_id'
  | 'external_order_id'
  | 'order_number'
  | 'currency'
  | 'loyalty'
  | 'seller_discount_minor'
  | 'buyer_id'
  | 'buyer_alias'
  | 'customer_ref'
  | 'ship_to'
  | 'placed_at'
  | 'placed_facts'
  | 'search_text'
  | 'accept_by'
  | 'dispatch_by'
  | 'dispatch_rule'
> & { readonly lines: readonly PlacedLine[] };

/** The amounts of a placement contradict each other; `message` says how. */
export class ImpossibleAmounts extends Error {
  override readonly name = 'ImpossibleAmounts';
}

/** Splits the order's discount over the item lines, by largest remainder. */
function discountsOf(lines: readonly PlacedLine[], gross: readonly Minor[], discount: Minor): Minor[] {
  const weights = gross.map((amount, index) => (lines[index]?.kind === 'item' ? amount : minor(0)));
  if (discount > sumMinor(weights))
    throw new ImpossibleAmounts('The discount is higher than the price of the items.');
  return splitMinor(discount, weights);
}

const ZERO = {
  awaiting: 0,
  accepted_open: 0,
  rejected: 0,
  cancelled: 0,
  in_transit: 0,
  delivered: 0,
  lost: 0,
  returned: 0,
  reserved: 0,
  supplied: 0,
  supplied_accepted: 0,
  was_supplied: false,
};

/** Fields that are null in a new order. */
const NULL_FIELDS = {
  acceptance_warned_at: null,
  accepted_at: null,
  expired_at: null,
  late_at: null,
  respond_by: null,
  delivered_at: null,
  closes_at: null,
  closed_at: null,
  next_due_at: null,
  captured_minor: null,
  captured_at: null,
  charge_id: null,
  provider_fee_minor: null,
  provider_transaction_id: null,
  charge_total_minor: null,
  charge_provider_fee_minor: null,
  share_of: null,
  erased_at: null,
} as const;

const noParts = (): Omit<Order, 'head' | 'lines'> => ({
  shipments: [],
  shipment_lines: [],
  labels: [],
  scans: [],
  cancel_requests: [],
  returns: [],
  return_lines: [],
  refunds: [],
  refund_lines: [],
  disputes: [],
});

function headOf(facts: Omit<Placed, 'lines'>, lines: readonly OrderLine[], now: number): OrderHead {
  const at = new Date(now).toISOString();
  const sum = (kind: PlacedLine['kind']): Minor =>
    sumMinor(lines.filter((line) => line.kind === kind).map(({ gross_minor }) => gross_minor));
  const [items_minor, shipping_minor] = [sum('item'), sum('shipping')];
  return {
    ...NULL_FIELDS,
    ...facts,
    status: 'awaiting_acceptance',
    payment_status: 'pending',
    refund_status: 'none',
    attention: [],
    items_minor,
    shipping_minor,
    total_minor: lessMinor(sumMinor([items_minor, shipping_minor]), facts.seller_discount_minor),
    awaiting: 0,
    accepted_open: 0,
    recorded_at: at,
    version: 0,
    updated_at: at,
  };
}

/**
 * The order as placed: every unit waits, and none is reserved yet.
 *
 * @throws ImpossibleAmounts
 */
export function place(placed: Placed, now: number, newId: (kind: IdKind) => string): Order {
  const { lines: given, ...facts } = placed;
  const gross = given.map(({ unit_price_minor, quantity }) => timesUnits(unit_price_minor, quantity));
  if (sumMinor(gross) > MINOR_MAX) throw new ImpossibleAmounts('The total of the order is too large.');
  const discounts = discountsOf(given, gross, facts.seller_discount_minor);
  const lines = given.map((line, index): OrderLine => {
    const gross_minor = gross[index] ?? minor(0);
    const discount_minor = discounts[index] ?? minor(0);
    const { quantity, ...rest } = line;
    const ordered = line.kind === 'item' ? quantity : 0;
    return {
      ...rest,
      ...ZERO,
      order_line_id: newId('oli_'),
      order_id: facts.order_id,
      line_no: index + 1,
      status: 'awaiting_acceptance',
      gross_minor,
      discount_minor,
      net_minor: lessMinor(gross_minor, discount_minor),
      ordered,
      awaiting: ordered,
    };
  });
  return { ...noParts(), head: headOf(facts, lines, now), lines };
}

/**
 * Spreads reserved units of a product over its lines, in line order.
 *
 * @param supplied products whose units a supplier counts and sends
 */
export function holdUnits(
  lines: readonly OrderLine[],
  reserved: ReadonlyMap<string, number>,
  supplied: ReadonlySet<string>,
): void {
  const left = new Map(reserved);
  for (const line of lines) {
    if (line.product_id === null) continue;
    const units = Math.min(
      left.get(line.product_id) ?? 0,
      line.awaiting + line.accepted_open - line.reserved,
    );
    line.reserved += units;
    if (supplied.has(line.product_id)) {
      line.supplied += units;
      line.was_supplied ||= units > 0;
    }
    left.set(line.product_id, (left.get(line.product_id) ?? 0) - units);
  }
}

/** Units to reserve, by product. */
export function wantedUnits(
  wanted: readonly { readonly line: OrderLine; readonly quantity: number }[],
): { product_id: string; quantity: number }[] {
  const units = new Map<string, number>();
  for (const { line, quantity } of wanted)
    if (line.product_id !== null && quantity > 0)
      units.set(line.product_id, (units.get(line.product_id) ?? 0) + quantity);
  return [...units].map(([product_id, quantity]) => ({ product_id, quantity }));
}
