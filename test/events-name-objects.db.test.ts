/**
 * Events of the marketplace that name objects. If the object does not exist or belongs to another seller, the service
 * refuses the event with a code of that object and changes nothing. A new field that ends in `_id` must be listed here.
 */
import { beforeAll, expect, test } from 'vitest';
import type { AnyMarketplaceEvent } from '../src/kernel/events.ts';
import { MODULES } from '../src/modules.ts';
import type { Schema } from './support/any-event.ts';
import { startTestApp, type TestSeller } from './support/app.ts';
import { callInternal } from './support/internal.ts';
import { apply, orderEvent, placeOrder, post, shipAll, stocked } from './support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-16T01:00:00Z' });
const EVENTS: readonly AnyMarketplaceEvent[] = MODULES.flatMap(
  ({ marketplaceEvents = [] }) => marketplaceEvents,
);
const nameOf = ({ type }: AnyMarketplaceEvent): string => type.replace('marketplace.', '');

type Objects = Readonly<
  Record<
    'order' | 'shipment' | 'product' | 'refund' | 'asked' | 'dispute' | 'request' | 'reserve' | 'settlement',
    string
  >
>;

/** Subjects that name an object of a seller, and the code for an unknown one. */
const SUBJECTS: Readonly<Record<string, readonly [object: keyof Objects, code: string]>> = {
  'order id': ['order', 'order_not_found'],
  'shipment id': ['shipment', 'shipment_not_found'],
  'product id': ['product', 'product_not_found'],
  'payout id or settlement id': ['settlement', 'settlement_not_found'],
};
/** Fields that name an object of a seller. */
const NAMES: Readonly<Record<string, readonly [object: keyof Objects, code: string]>> = {
  'order.cancelled request_id': ['request', 'request_not_found'],
  'refund.created seller_refund_id': ['asked', 'refund_not_found'],
  'refund.confirmed refund_id': ['refund', 'refund_not_found'],
  'refund.failed refund_id': ['refund', 'refund_not_found'],
  'dispute.lost dispute_id': ['dispute', 'dispute_not_found'],
  'dispute.won dispute_id': ['dispute', 'dispute_not_found'],
  'adjustment.recorded order_id': ['order', 'order_not_found'],
  'adjustment.recorded corrects_settlement_id': ['settlement', 'settlement_not_found'],
  'reserve.released reserve_id': ['reserve', 'reserve_not_found'],
  'settlement.hold_changed settlement_id': ['settlement', 'settlement_not_found'],
  'loyalty.earned order_id': ['order', 'order_not_found'],
  'loyalty.reversed order_id': ['order', 'order_not_found'],
  'loyalty.adjusted order_id': ['order', 'order_not_found'],
};
/** Fields with the id of something new, of something outside of the service, or of several sellers. */
const OTHERS: readonly string[] = [
  // An item of the seller's own case; src/modules/kyc/test/kyc.db.test.ts names another one.
  'kyc.decided items.item_id',
  'seller.provisioned tax_id',
  'buyer.erasure_requested request_id',
  // The seller's own enrolment; src/modules/loyalty/test/enrolment.db.test.ts names that of another seller.
  'loyalty.enrolment_decided enrolment_id',
  ...['earned', 'reversed', 'redeemed', 'expired', 'restored', 'adjusted'].map(
    (kind) => `loyalty.${kind} transaction_id`,
  ),
  // What members spend belongs to no order.
  ...['loyalty.redeemed order_id', 'loyalty.expired order_id', 'loyalty.reversed refund_id'],
  'loyalty.restored redemption_transaction_id',
  'seller.tax_id_released tax_id',
  // A promotion that is not the seller’s is a warning; src/modules/marketing/test/orders.db.test.ts.
  'order.placed promotions.promotion_id',
  // Items of suppliers belong to no seller.
  'supplier.items_published items.supplier_item_id',
  ...['supplier.quoted supplier_id', 'supplier.quote_withdrawn supplier_id'],
  // The supplier's own names of its answers and parcels.
  ...['order', 'dropship'].flatMap((kind) => [
    `supplier.${kind}_answered answer_id`,
    `supplier.${kind}_cancelled cancel_id`,
    `supplier.${kind}_shipped supplier_shipment_id`,
  ]),
  'order.payment_captured charge_id',
  'order.payment_captured provider_transaction_id',
  'order.payment_captured share_of.order_id',
  'order.cancel_requested request_id',
  'return.requested return_id',
  'message.received message_id',
  'refund.created refund_id',
  'refund.confirmed provider_transaction_id',
  'dispute.opened dispute_id',
  'adjustment.recorded adjustment_id',
  'reserve.held reserve_id',
  'reserve.released release_id',
  'payout.updated provider_payout_id',
  'provider.transactions_reported transactions.provider_transaction_id',
  'provider.transactions_reported transactions.source_id',
  'provider.transactions_reported transactions.seller_id',
  // Objects of the seller; src/modules/customer_service/test/tickets.db.test.ts names others.
  'ticket.opened order_id',
  'ticket.opened links.order_id',
  'ticket.opened links.return_id',
  'ticket.opened links.refund_id',
  'ticket.opened links.dispute_id',
  'ticket.opened links.shipment_id',
  'ticket.opened links.product_id',
  'ticket.opened links.rating_id',
  'ticket.opened links.thread_id',
  'ticket.opened links.settlement_id',
  'ticket.opened links.payout_id',
  'ticket.opened links.invoice_id',
  'ticket.opened links.feed_run_id',
  'ticket.opened links.request_id',
  ...['posted', 'revised', 'removed'].map((kind) => `review.${kind} review_id`),
  ...['feedback.posted feedback_id', 'feedback.withdrawn feedback_id'],
  'ticket.replied reply_id',
  // src/modules/search-insights/test/search.db.test.ts names another seller's product.
  'search.observed rows.product_id',
  'ticket.updated external_ticket_id',
];

function idsOf(schema: Schema, path = ''): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [...(name.endsWith('_id') ? [at] : []), ...idsOf(part, at)];
  });
  const inside = [schema.items ?? [], schema.anyOf ?? []].flat();
  return [...own, ...inside.flatMap((part) => idsOf(part, path))];
}

async function shopOf(seller: TestSeller, mark: string): Promise<Objects> {
  const tell = (type: string, subject: string, data: object) =>
    apply(app, orderEvent(app, seller, type, subject, data));
  const { sku, product_id } = await stocked(seller, 100);
  const order = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  await tell('order.payment_captured', order, { charge_id: mark, captured_minor: 6_000 });
  const { body } = await post(seller, `${order}/accept`);
  const order_line_id = body.lines[0]?.order_line_id;
  const { shipment_id } = await shipAll(seller, order, { lines: [{ order_line_id, quantity: 2 }] });
  await tell('shipment.delivered', shipment_id, {});
  const lines = [{ order_line_no: 1, quantity: 1, amount_minor: 100 }];
  await tell('refund.created', order, { refund_id: `rf_${mark}`, lines });
  await tell('dispute.opened', order, { dispute_id: `dp_${mark}`, amount_minor: 100 });
  await tell('order.cancel_requested', order, {
    request_id: `crq_${mark}`,
    lines: [{ order_line_no: 1, quantity: 1 }],
  });
  const asked = await post<{ refunds: { refund_id: string; status: string }[] } & { refund_id?: string }>(
    seller,
    `${order}/refunds`,
    { lines: [{ order_line_id, quantity: 1, amount_minor: 100 }], reason: 'other' },
  );
  const adjustment = {
    adjustment_id: mark,
    kind: 'manual_adjustment',
    amount_minor: 9_000,
    reason_code: 'x',
  };
  await tell('adjustment.recorded', seller.seller_id, { ...adjustment, description: 'x', actor: 'ops:1' });
  await tell('reserve.held', seller.seller_id, {
    reserve_id: `rsv_${mark}`,
    amount_minor: 50,
    reason_code: 'x',
  });
  return {
    ...{ order, shipment: shipment_id, product: product_id, refund: `rf_${mark}`, dispute: `dp_${mark}` },
    ...{ request: `crq_${mark}`, reserve: `rsv_${mark}`, settlement: '' },
    asked:
      asked.body.refund_id ??
      asked.body.refunds.find(({ status }) => status === 'requested')?.refund_id ??
      '',
  };
}

let seller: TestSeller;
let other: TestSeller;
let own: Objects;
let foreign: Objects;

/** What both sellers have in the ledger and the outbox. */
const moved = () =>
  app.app.services.withSystem('jobs', 'read', (db) =>
    db.one({
      text:
        'select (select count(*)::int from ledger_entry where seller_id = any($1)) as entries, ' +
        '(select count(*)::int from outbox where seller_id = any($1)) as events',
      values: [[seller.seller_id, other.seller_id]],
    }),
  );

beforeAll(async () => {
  [seller, other] = [await app.seller(), await app.seller()];
  const shops = [await shopOf(seller, 'a'), await shopOf(other, 'b')];
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-08-02T00:00:00Z' } });
  const [mine, theirs] = await Promise.all(
    [seller, other].map(async (one, index) => {
      const path = '/financials/settlements?status=ready';
      const { body } = await (await one.renew()).call<{ data: { settlement_id: string }[] }>('GET', path);
      return { ...(shops[index] as Objects), settlement: String(body.data[0]?.settlement_id) };
    }),
  );
  if (mine === undefined || theirs === undefined) throw new Error('a shop is missing');
  [own, foreign] = [mine, theirs];
});

/** Sends the example of a type with the seller's own objects, changed; returns its code, or its status. */
async function tell(def: AnyMarketplaceEvent, subject: string, change: object = {}): Promise<string> {
  const example = def.example as object;
  const names = Object.entries(NAMES).flatMap(([field, [object]]) => {
    const [type, name = ''] = field.split(' ');
    return type === nameOf(def) && name in example ? [[name, own[object]] as const] : [];
  });
  const data = { ...example, ...Object.fromEntries(names), ...change };
  const [result] = await app.events(orderEvent(app, seller, nameOf(def), subject, data));
  return result?.code ?? String(result?.status);
}

test('every field with an id is listed as the name of an object, or as another id', () => {
  const all = EVENTS.flatMap((def) => idsOf(def.schema as Schema).map((path) => `${nameOf(def)} ${path}`));
  expect(all.toSorted()).toEqual([...Object.keys(NAMES), ...OTHERS].toSorted());
});

test('a subject that the seller does not have is refused', async () => {
  const before = await moved();
  for (const def of EVENTS) {
    const [object, code] = SUBJECTS[def.subject] ?? [];
    if (object === undefined) continue;
    const unknown = object === 'settlement' ? 'stl_none' : `${object}_none`;
    for (const subject of [foreign[object], unknown]) expect(await tell(def, subject), def.type).toBe(code);
  }
  for (const def of EVENTS.filter(
    (one) => one.subject === 'seller id' && one.type !== 'marketplace.seller.tax_id_released',
  ))
    expect(await tell(def, other.seller_id), def.type).toBe('data_invalid');
  expect(await moved()).toEqual(before);
});

test('an object that the seller does not have is refused with its own code', async () => {
  const before = await moved();
  for (const [field, [object, code]] of Object.entries(NAMES)) {
    const [type, name = ''] = field.split(' ');
    const def = EVENTS.find((one) => nameOf(one) === type);
    if (def === undefined) throw new Error(field);
    const subject = def.subject === 'seller id' ? seller.seller_id : own.order;
    for (const id of [foreign[object], 'none'])
      expect(await tell(def, subject, { [name]: id }), field).toBe(code);
  }
  expect(await moved()).toEqual(before);
  // The seller's own objects are found by the same events.
  for (const [field, [object, code]] of Object.entries(NAMES)) {
    const [type, name = ''] = field.split(' ');
    const def = EVENTS.find((one) => nameOf(one) === type);
    if (def === undefined) throw new Error(field);
    const subject = def.subject === 'seller id' ? seller.seller_id : own.order;
    expect(await tell(def, subject, { [name]: own[object] }), field).not.toBe(code);
  }
});
