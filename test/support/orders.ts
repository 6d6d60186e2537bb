/** The marketplace of the tests of orders: places orders and sends their events. */
import { randomUUID } from 'node:crypto';
import { type Answer, giveAddress, type TestApp, type TestSeller } from './app.ts';
import { eventually } from './feeds.ts';
import { create } from './products.ts';

export interface OrderLine {
  readonly order_line_id: string;
  readonly line_no: number;
  readonly status: string;
  readonly net_minor: number;
  readonly discount_minor: number;
  readonly refundable_minor: number;
  readonly quantities: Readonly<Record<string, number>>;
  readonly quantity_reserved: number;
  readonly quantity_packed: number;
}
export interface Order {
  readonly order_id: string;
  readonly status: string;
  readonly version: number;
  readonly attention: readonly string[];
  readonly refund_status: string;
  readonly payment_status: string;
  readonly lines: readonly OrderLine[];
  readonly shipments: readonly Shipment[];
  readonly cancel_requests: readonly { readonly request_id: string; readonly status: string }[];
  readonly returns: readonly { readonly return_id: string; readonly status: string }[];
  readonly refunds: readonly { readonly refund_id: string; readonly status: string }[];
  readonly disputes: readonly { readonly dispute_id: string; readonly status: string }[];
  readonly deadlines: Readonly<Record<string, string | null>> & {
    readonly dispatch_rule: Readonly<Record<string, unknown>> | null;
  };
  readonly allowed_actions: readonly {
    readonly action: string;
    readonly allowed: boolean;
    readonly reason: string | null;
  }[];
  readonly [key: string]: unknown;
}
export interface Shipment {
  readonly shipment_id: string;
  readonly status: string;
  readonly version: number;
  readonly tracking_number: string | null;
  readonly order_status: string;
  readonly [key: string]: unknown;
}

/** A valid tracking number of the catalogue's first carrier. */
export const TRACKING = { carrier: 'australia_post', tracking_number: '2JD020603601000931508' };

let serial = 0;

/** A source of the service's time. */
export interface Timed {
  readonly app: { readonly services: { readonly now: () => number } };
}
/** A client of the API with a seller's token. */
export type Caller = Pick<TestSeller, 'call'>;

export interface Line {
  readonly sku?: string;
  readonly quantity?: number;
  readonly price?: number;
  readonly title?: string;
  readonly kind?: 'item' | 'shipping';
}

/** An event of the marketplace about a subject, happening now unless said otherwise. */
export function orderEvent(
  app: Timed,
  seller: Pick<TestSeller, 'seller_id'>,
  type: string,
  subject: string,
  data: object,
  more: object = {},
): Record<string, unknown> & { readonly id: string } {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: '/marketplace/core',
    type: `marketplace.${type}`,
    subject,
    sellerid: seller.seller_id,
    time: new Date(app.app.services.now()).toISOString(),
    data,
    ...more,
  };
}

/** `order.placed` of lines. */
export function placement(
  app: Timed,
  seller: Pick<TestSeller, 'seller_id'>,
  lines: readonly Line[],
  more: object = {},
): Record<string, unknown> & { readonly id: string; readonly subject: string } {
  serial += 1;
  const subject = `ord_${randomUUID().replaceAll('-', '')}`;
  const data = {
    order_number: `N-${serial}`,
    currency: 'AUD',
    placed_at: new Date(app.app.services.now()).toISOString(),
    buyer: { alias: `buyer_${serial}`, customer_ref: 'cus_77' },
    ship_to: {
      name: 'Mia Chen',
      line1: '1 George Street',
      city: 'Sydney',
      state: 'NSW',
      postcode: '2000',
      country: 'AU',
    },
    lines: lines.map(({ sku, quantity = 1, price = 2_000, title, kind = 'item' }) => ({
      kind,
      unit_price_minor: price,
      ...(kind === 'item' ? { seller_sku: sku, quantity } : {}),
      ...(title === undefined ? {} : { title }),
    })),
    ...more,
  };
  return { ...orderEvent(app, seller, 'order.placed', subject, data), subject };
}

/** Sends events and throws unless every one was applied. */
export async function apply(app: TestApp, ...events: readonly Record<string, unknown>[]): Promise<void> {
  const results = await app.events(...events);
  const wrong = results.filter(({ status }) => status !== 'applied');
  if (wrong.length > 0) throw new Error(`not applied: ${JSON.stringify(wrong)}`);
}

/** Publishes a fee schedule for orders in a currency; only one is needed. */
export async function publishRates(app: TestApp, seller: TestSeller, currency: string): Promise<void> {
  const version = `rates-${currency}`;
  const rates = { platform_fee_default_bps: 1_000, shipping_fee_bps: 1_000, loyalty_program_fund_bps: 200 };
  const amounts = { seller_order_fee_minor: 30, dispute_fee_minor: 2_500 };
  const data = { version, currency, effective_from: '2000-01-01', ...rates, ...amounts };
  const [result] = await app.events(orderEvent(app, seller, 'fee_schedule.published', version, data));
  if (result?.status === 'rejected') throw new Error(`rates: ${JSON.stringify(result)}`);
}

/** Places an order and returns its id. */
export async function placeOrder(
  app: TestApp,
  seller: TestSeller,
  lines: readonly Line[],
  more: object = {},
): Promise<string> {
  if ('currency' in more && more.currency !== 'AUD') await publishRates(app, seller, String(more.currency));
  const event = placement(app, seller, lines, more);
  await apply(app, event);
  return event.subject;
}

/** Creates a product with some units on hand; returns its SKU. */
export async function stocked(
  seller: TestSeller,
  quantity: number | null,
  more: Record<string, unknown> = {},
): Promise<{ readonly sku: string; readonly product_id: string }> {
  const product = await create(seller, { quantity_on_hand: quantity, ...more });
  return { sku: String(product['seller_sku']), product_id: product.product_id };
}

/** The marketplace approves a product, so that buyers find it. */
export const approve = (app: TestApp & Timed, seller: Pick<TestSeller, 'seller_id'>, productId: string) =>
  apply(app, orderEvent(app, seller, 'product.curation_decided', productId, { decision: 'approved' }));

export const readOrder = async (seller: Caller, id: string): Promise<Order> =>
  (await seller.call<Order>('GET', `/orders/${id}`)).body;

/** Posts to a path below an order, with a new key each time. */
export const post = <Body = Order>(
  seller: Caller,
  path: string,
  json: object = {},
  headers: Record<string, string> = {},
): Promise<Answer<Body>> =>
  seller.call<Body>('POST', `/orders/${path}`, {
    json,
    headers: { 'idempotency-key': randomUUID(), ...headers },
  });

/** Units on hand and reserved of a product. */
export async function stockOf(seller: TestSeller, productId: string): Promise<[number | null, number]> {
  const { body } = await seller.call<{ quantity_on_hand: number | null; quantity_reserved: number }>(
    'GET',
    `/products/${productId}/inventory`,
  );
  return [body.quantity_on_hand, body.quantity_reserved];
}

/** Packs and dispatches all accepted units. */
export async function shipAll(
  seller: TestSeller,
  orderId: string,
  lines?: object,
  tracking: object = TRACKING,
): Promise<Shipment> {
  const packed = await post<Shipment>(seller, `${orderId}/shipments`, lines ?? {});
  if (packed.status !== 201) throw new Error(`pack: ${packed.status} ${packed.text}`);
  const path = `${orderId}/shipments/${packed.body.shipment_id}/dispatch`;
  const sent = await post<Shipment>(seller, path, tracking);
  if (sent.status !== 200) throw new Error(`dispatch: ${sent.status} ${sent.text}`);
  return sent.body;
}

/** Waits until new units are reserved for the orders that wait for them. */
export async function allotted(app: TestApp, seller: TestSeller): Promise<void> {
  const text = "select from job where kind = 'products.stock_came_in' and seller_id = $1";
  await eventually(
    () => app.app.services.withSystem('jobs', 'read', (db) => db.all({ text, values: [seller.seller_id] })),
    (jobs) => jobs.length === 0,
  );
}

/** Types of a seller's events about one object, in their order. */
export async function eventTypesOf(app: TestApp, seller: TestSeller, id: string): Promise<string[]> {
  const rows = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ type: string }>({
      text: 'select type from outbox where seller_id = $1 and object_id = $2 order by outbox_id',
      values: [seller.seller_id, id],
    }),
  );
  return rows.map(({ type }) => type);
}

/** A seller's events about some objects: type, and the action of the change. */
export async function changeEvents(app: TestApp, seller: TestSeller, ids: readonly string[]) {
  const rows = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ type: string; action: string | null }>({
      text:
        "select type, data #>> '{change,action}' as action from outbox " +
        'where seller_id = $1 and object_id = any($2) order by outbox_id',
      values: [seller.seller_id, ids],
    }),
  );
  return rows.map(({ type, action }) => [type, action]);
}

/** Ids of an order and of what belongs to it, for tests of every route. */
export async function orderObjects(app: TestApp, seller: TestSeller): Promise<Record<string, string>> {
  const { sku } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku, quantity: 4 }]);
  const accepted = await post(seller, `${id}/accept`);
  const order_line_id = accepted.body.lines[0]?.order_line_id;
  const lines = { lines: [{ order_line_id, quantity: 1 }] };
  const sent = await shipAll(seller, id, lines);
  await apply(app, orderEvent(app, seller, 'shipment.delivered', sent.shipment_id, {}));
  const packed = await post<Shipment>(seller, `${id}/shipments`, lines);
  const packages = [{ weight_g: 500, length_mm: 100, width_mm: 100, height_mm: 50 }];
  const third = await post<Shipment>(seller, `${id}/shipments`, { ...lines, packages });
  const own = { carrier: 'own', service: 'standard' };
  await giveAddress(seller);
  const labelPath = `${id}/shipments/${third.body.shipment_id}/label`;
  const labelled = await post<{ label: { label_id: string } }>(seller, labelPath, own);
  const request = { request_id: 'crq_1', lines: [{ order_line_no: 1, quantity: 1 }] };
  const back = { return_id: 'rtn_ext_1', lines: [{ order_line_no: 1, quantity: 1, reason: 'damaged' }] };
  await apply(
    app,
    orderEvent(app, seller, 'order.cancel_requested', id, request),
    orderEvent(app, seller, 'return.requested', id, back),
  );
  return {
    order_id: id,
    shipment_id: packed.body.shipment_id,
    label_id: labelled.body.label.label_id,
    request_id: 'crq_1',
    return_id: 'rtn_ext_1',
  };
}
