/** Removes what an order and its events say of the buyer. Source: docs/design/buyers.md#erasure. */
import { reasonCode } from '../../../kernel/reason-code.ts';
import type { Label, Order } from './order.ts';
import { searchText } from './search-text.ts';
import type { Work } from './work.ts';

/** What stays of an address. */
const PLACES: readonly string[] = ['state', 'country'];
const NO_BUYER = { buyer_id: null, alias: null, customer_ref: null };
const NO_ADDRESS = {
  ...{ name: null, company: null, line1: '', line2: null, city: '', state: null, postcode: null },
  ...{ country: '', phone: null },
};
/** Fields with free text. */
const TEXTS: ReadonlySet<string> = new Set(['detail', 'note', 'location']);
/** Fields that stay where they are a code. */
const CODES: ReadonlySet<string> = new Set(['reason', 'by']);

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const mapFields = (fields: Fields, change: (key: string, value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(key, value)]));

const placeOf = (address: Fields): Fields =>
  Object.fromEntries(Object.entries(address).filter(([name]) => PLACES.includes(name)));

/**
 * The same without the buyer, at any depth.
 *
 * @param keepsDelivery whether the address and the texts stay, because the order is still to be delivered
 */
export function withoutBuyer(value: unknown, keepsDelivery: boolean): unknown {
  if (Array.isArray(value)) return value.map((part) => withoutBuyer(part, keepsDelivery));
  if (!isFields(value)) return value;
  return mapFields(value, (key, part) => {
    if (key === 'buyer') return NO_BUYER;
    if (!keepsDelivery && key === 'ship_to' && isFields(part)) return placeOf(part);
    if (!keepsDelivery && typeof part === 'string') {
      if (TEXTS.has(key)) return null;
      if (CODES.has(key)) return reasonCode(part);
    }
    return withoutBuyer(part, keepsDelivery);
  });
}

/** Removes the buyer's names from an order that is still to be delivered. */
export function eraseNames({ head, lines }: Order): void {
  const { order_id, external_order_id, order_number, ship_to } = head;
  const { buyer: _, ...facts } = head.placed_facts;
  Object.assign(head, NO_NAMES, { placed_facts: facts });
  head.search_text = searchText({ names: [external_order_id ?? order_id, order_number], ship_to, lines });
}
const NO_NAMES = { buyer_id: null, buyer_alias: null, customer_ref: null };

function eraseLabel(label: Label): void {
  label.content = { ...label.content, to: NO_ADDRESS, erased: true };
}

/** Removes everything that the order says of the buyer. State and country stay. */
export function eraseOrder(order: Order, at: string): void {
  const { head } = order;
  head.ship_to = placeOf(head.ship_to);
  head.placed_facts = { ...head.placed_facts, ship_to: head.ship_to };
  head.erased_at ??= at;
  eraseNames(order);
  order.labels.forEach(eraseLabel);
  for (const scan of order.scans) Object.assign(scan, { location: null, detail: null });
  for (const request of order.cancel_requests) request.reason = reasonCode(request.reason);
  for (const found of order.returns) Object.assign(found, { reason: reasonCode(found.reason), detail: null });
  for (const line of order.return_lines) Object.assign(line, { reason: reasonCode(line.reason), note: null });
  for (const refund of order.refunds) refund.reason = reasonCode(refund.reason);
}

/** Removes the buyer from a change of an order that was erased before. */
export function eraseWork({ order, notes, at }: Work): void {
  eraseOrder(order, at);
  // Events refer to the same notes.
  for (const note of notes)
    Object.assign(note, {
      reason: reasonCode(note.reason ?? null),
      detail: null,
      facts: withoutBuyer(note.facts, false),
    });
}
