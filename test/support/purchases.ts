import { randomUUID } from 'node:crypto';
import type { Answer, TestApp, TestSeller } from './app.ts';
import { orderEvent, type Timed } from './orders.ts';
import { newSupplier, type Supplier } from './sourcing.ts';

type App = Timed & Pick<TestApp, 'events'>;
export interface PurchaseLine {
  readonly purchase_line_id: string;
  readonly line_no: number;
  readonly product_id: string | null;
  readonly pack_price_minor: number;
  readonly goods_minor: number;
  readonly promised_on: string | null;
  readonly quantities: Readonly<Record<string, number>>;
}
export interface Purchase {
  readonly purchase_order_id: string;
  readonly number: string;
  readonly status: string;
  readonly version: number;
  readonly goods_minor: number;
  readonly freight_minor: number | null;
  readonly total_minor: number | null;
  readonly lines: readonly PurchaseLine[];
  readonly attention: readonly string[];
  readonly allowed_actions: readonly string[];
  readonly code?: string;
  readonly [field: string]: unknown;
}

export const ADDRESS = {
  ...{ line1: '12 Harbour Street', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
};
/** The supplier of golden example 6.1: mugs in packs of 12 with a tier at 144, freight 38.50. */
export const mugSupplier = (app: App, more: object = {}, item: object = {}): Promise<Supplier> =>
  newSupplier(
    app,
    { flat_freight_minor: 3_850, ...more },
    {
      minimum_quantity: 24,
      price_breaks: [
        { min_quantity: 24, pack_price_minor: 6_180 },
        { min_quantity: 144, pack_price_minor: 5_945 },
      ],
      ...item,
    },
  );

export const purchaseBody = (supplier: Supplier, more: object = {}, line: object = {}): object => ({
  supplier_id: supplier.supplier_id,
  lines: [{ supplier_item_id: supplier.supplier_item_id, quantity: 144, ...line }],
  ship_to: ADDRESS,
  ...more,
});
export const postPurchase = (seller: TestSeller, json: object): Promise<Answer<Purchase>> =>
  seller.call<Purchase>('POST', '/wholesale/purchase-orders', { json });

/** A draft of 144 units. */
export async function draftOrder(
  seller: TestSeller,
  supplier: Supplier,
  more: object = {},
  line: object = {},
): Promise<Purchase> {
  const { status, body, text } = await postPurchase(seller, purchaseBody(supplier, more, line));
  if (status !== 201) throw new Error(`purchase order: ${status} ${text}`);
  return body;
}

type Named = Pick<Purchase, 'purchase_order_id'>;
export const pathOf = ({ purchase_order_id }: Named, rest = ''): string =>
  `/wholesale/purchase-orders/${purchase_order_id}${rest}`;
export const readPurchase = async (seller: TestSeller, order: Named): Promise<Purchase> =>
  (await seller.call<Purchase>('GET', pathOf(order))).body;

type Caller = Pick<TestSeller, 'call'>;
/** Posts to a path below an order. */
export const movePurchase = <Body = Purchase>(
  seller: Caller,
  order: Named,
  verb: string,
  json: object = {},
): Promise<Answer<Body>> => seller.call<Body>('POST', pathOf(order, `/${verb}`), { json });

/** An order of 144 units that the supplier has got. */
export async function submitted(
  seller: TestSeller,
  supplier: Supplier,
  more: object = {},
  line: object = {},
): Promise<Purchase> {
  const { status, body, text } = await movePurchase(
    seller,
    await draftOrder(seller, supplier, more, line),
    'submit',
  );
  if (status !== 200) throw new Error(`submit: ${status} ${text}`);
  return body;
}

export const supplierEvent = (
  app: Timed,
  seller: Pick<TestSeller, 'seller_id'>,
  { purchase_order_id }: Named,
  type: 'order_answered' | 'order_shipped' | 'order_cancelled',
  data: object,
  envelope: object = {},
) => orderEvent(app, seller, `supplier.${type}`, purchase_order_id, data, envelope);
/** Sends what a supplier does. @returns the status or the code of a rejection */
export async function supplierDoes(...args: Parameters<typeof supplierEvent>): Promise<string> {
  const [result] = await (args[0] as App).events(supplierEvent(...args));
  return result?.code ?? result?.status ?? 'none';
}
export const answered = (
  accepted: number,
  declined: number,
  more: object = {},
  answer_id: string = randomUUID(),
) => ({
  ...{ answer_id, lines: [{ line_no: 1, accepted, declined, ...more }] },
});

export const receiptBody = (app: Timed, order: Purchase, good: number, more: object = {}): object => ({
  reference: `DKT-${randomUUID()}`,
  received_at: new Date(app.app.services.now()).toISOString(),
  lines: [{ purchase_line_id: order.lines[0]?.purchase_line_id, good }],
  ...more,
});

/** Ids of objects by the names of the parameters. */
export async function purchaseObjects(app: App, seller: TestSeller): Promise<Record<string, string>> {
  const supplier = await mugSupplier(app);
  const order = await submitted(seller, supplier);
  const json = receiptBody(app, order, 12);
  const { body } = await movePurchase<{ receipt_id: string }>(seller, order, 'receipts', json);
  const { purchase_order_id } = order;
  return { purchase_order_id, receipt_id: body.receipt_id };
}

/** Requests of write routes by their ids. */
export function purchaseSendings(app: App, sellerOf: () => TestSeller) {
  const draft = async () => {
    const { purchase_order_id } = await draftOrder(sellerOf(), await mugSupplier(app));
    return { ids: { purchase_order_id } };
  };
  const sent = async () => submitted(sellerOf(), await mugSupplier(app));
  const confirmed = async () => {
    const order = await sent();
    await supplierDoes(app, sellerOf(), order, 'order_answered', answered(144, 0));
    return { ids: { purchase_order_id: order.purchase_order_id } };
  };
  return {
    'wholesale.purchase_orders.create': async () => ({ json: purchaseBody(await mugSupplier(app)) }),
    ...{ 'wholesale.purchase_orders.update': draft, 'wholesale.purchase_orders.delete': draft },
    'wholesale.purchase_orders.submit': draft,
    ...{ 'wholesale.purchase_orders.cancel': confirmed, 'wholesale.purchase_orders.close': confirmed },
    'wholesale.receipts.create': async () => {
      const order = await sent();
      return { ids: { purchase_order_id: order.purchase_order_id }, json: receiptBody(app, order, 12) };
    },
    'wholesale.receipts.reverse': async () => ({ ids: await purchaseObjects(app, sellerOf()) }),
  };
}
