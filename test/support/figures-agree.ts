/**
 * The figures of one seller as all areas show them: units, money, refunds, buyers and counts that two areas have are
 * the same. Source: docs/design/facts.md, docs/design/money.md.
 */
import { sydneyDate } from '../../src/kernel/australia/sydney.ts';
import type { Caller } from './orders.ts';

type Row = Readonly<Record<string, unknown>>;
interface Line extends Row {
  readonly order_line_id: string;
  readonly kind: string;
  readonly product_id: string | null;
  readonly net_minor: number;
  readonly quantities: Readonly<Record<string, number>>;
}
interface Order extends Row {
  readonly order_id: string;
  readonly currency: string;
  readonly placed_at: string;
  readonly delivered_at: string | null;
  readonly refunded_minor: number;
  readonly attention: readonly string[];
  readonly buyer: { readonly customer_ref?: string | null };
  readonly lines: readonly Line[];
}
interface Refund extends Row {
  readonly order_id: string;
  readonly status: string;
  readonly amount_minor: number;
  readonly lines: readonly { readonly order_line_id: string; readonly amount_minor: number }[];
}

const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((total, one) => total + of(one), 0);
const amount = (row: unknown, name: string): number => Number((row as Row)[name]);
const total = (rows: readonly unknown[], name: string): number => sum(rows, (row) => amount(row, name));
/** Rounded half up; nothing is negative here. */
const share = (net: number, units: number, all: number): number =>
  Math.floor((2 * net * units + all) / (2 * all));

function readerOf({ call }: Caller) {
  async function one<T>(path: string): Promise<T> {
    const { status, body, text } = await call<T>('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return body;
  }
  async function all<T>(path: string): Promise<T[]> {
    const rows: T[] = [];
    for (let cursor = ''; ; ) {
      const url = `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor}`;
      const { data, page } = await one<{ data: T[]; page: { next_cursor: string | null } }>(url);
      rows.push(...data);
      if (page.next_cursor === null) return rows;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }
  return { one, all };
}
type Reader = ReturnType<typeof readerOf>;

/** Names of figures with what two areas say. */
type Pairs = Record<string, readonly [unknown, unknown]>;

async function money({ one, all }: Reader, from: string, to: string): Promise<Pairs> {
  const days = `from=${from}`;
  const orders = await all<Row>(`/profitability/components?${days}`);
  const skus = await all<Row>(`/profitability/skus?${days}`);
  const fees = await all<Row>(`/fees/transactions?${days}`);
  const coverage = await one<Row>(`/profitability/coverage?${days}`);
  const metrics = await one<Row>(`/financials/metrics?${days}&to=${to}`);
  const overview = await one<Row>('/financials/dashboard');
  const { finance } = await one<{ finance: Row }>('/dashboard/summary');
  const settlements = await all<Row>('/financials/settlements?include_empty=true');
  const same = ['delivered_sales_minor', 'recorded_fees_minor', 'adjustments_minor', 'net_activity_minor'];
  return {
    'sales of orders, SKUs': [total(orders, 'gross_minor'), total(skus, 'gross_minor')],
    'sales of orders, coverage': [total(orders, 'gross_minor'), coverage['gross_minor']],
    'sales of orders, metrics': [total(orders, 'gross_minor'), metrics['delivered_sales_minor']],
    'sales of orders, fee list': [total(orders, 'gross_minor'), total(fees, 'gross_order_amount_minor')],
    'fees of orders, SKUs': [total(orders, 'fees_minor'), total(skus, 'fees_minor')],
    'fees of orders, fee list': [total(orders, 'fees_minor'), total(fees, 'marketplace_fees_minor')],
    'adjustments of orders, SKUs': [total(orders, 'adjustments_minor'), total(skus, 'adjustments_minor')],
    'net of orders, SKUs': [total(orders, 'net_payout_minor'), total(skus, 'net_payout_minor')],
    'net of orders, fee list': [total(orders, 'net_payout_minor'), total(fees, 'net_payout_minor')],
    'sales, settlements': [overview['delivered_sales_minor'], total(settlements, 'gross_amount_minor')],
    'net, settlements': [overview['net_activity_minor'], total(settlements, 'net_amount_minor')],
    'net, metrics': [overview['net_activity_minor'], metrics['net_activity_minor']],
    'finance of the dashboard': [same.map((name) => finance[name]), same.map((name) => overview[name])],
  };
}

const unitsOf = (orders: readonly Order[], name: string): number =>
  sum(orders, ({ lines }) => sum(lines, ({ quantities }) => quantities[name] ?? 0));
const having = (orders: readonly Order[], name: string): number =>
  orders.filter((order) => unitsOf([order], name) > 0).length;

async function work({ one, all }: Reader, orders: readonly Order[]): Promise<Pairs> {
  const summary = await one<{ orders: Row; attention: { kind: string; count: number }[] }>(
    '/dashboard/summary',
  );
  const queues = await one<Row>('/orders/queues');
  const shown = ['to_accept', 'to_dispatch', 'disputes'];
  const { data } = await one<{ data?: Row[] } & Row>('/quality/products?limit=200');
  const quality = await one<Row>('/quality/summary');
  const attention = summary.attention.filter(({ kind }) => kind.startsWith('order_'));
  const refunds = (await all<Refund>('/orders/refunds')).filter(isMade);
  return {
    'orders to accept': [summary.orders['to_accept'], having(orders, 'awaiting')],
    'orders to dispatch': [summary.orders['to_dispatch'], having(orders, 'accepted_open')],
    'queues of orders': [shown.map((name) => summary.orders[name]), shown.map((name) => queues[name])],
    'orders that need attention': [
      attention.map(({ kind, count }) => [kind, count]),
      attention.map(({ kind }) => [
        kind,
        orders.filter((order) => order.attention.includes(kind.slice('order_'.length))).length,
      ]),
    ],
    'products and their readiness': [quality['products'], data?.length],
    refunds: [sum(orders, (order) => order.refunded_minor), total(refunds, 'amount_minor')],
  };
}

const isMade = ({ status }: Refund): boolean => status === 'processing' || status === 'succeeded';

/** What an order brought: of each line the units that are left, less its refunds. */
function broughtBy({ lines }: Order, given: ReadonlyMap<string, number>) {
  const items = lines.filter(({ kind }) => kind === 'item');
  const left = ({ quantities: q }: Line) =>
    (q['ordered'] ?? 0) - (q['rejected'] ?? 0) - (q['cancelled'] ?? 0);
  const kept = (line: Line) => left(line) - (line.quantities['lost'] ?? 0);
  const net = (line: Line) =>
    line.kind === 'item'
      ? share(line.net_minor, kept(line), line.quantities['ordered'] ?? 1)
      : line.net_minor;
  return {
    units: sum(items, left),
    net_minor:
      sum(items, kept) > 0
        ? sum(lines, (line) => Math.max(0, net(line) - (given.get(line.order_line_id) ?? 0)))
        : 0,
  };
}

async function buyers({ one, all }: Reader, orders: readonly Order[]): Promise<Pairs> {
  const refunds = (await all<Refund>('/orders/refunds')).filter(isMade);
  const given = new Map<string, number>();
  for (const { lines } of refunds)
    for (const { order_line_id, amount_minor } of lines)
      given.set(order_line_id, (given.get(order_line_id) ?? 0) + amount_minor);
  const bought = orders
    .map((order) => ({ ref: order.buyer.customer_ref ?? null, ...broughtBy(order, given) }))
    .filter(({ units, ref }) => units > 0 && ref !== null);
  const { segments } = await one<{ segments: Row[] }>('/customer-analytics/segments');
  const { by_segment } = await one<{ by_segment: Row[] }>('/customer-analytics/lifetime-value');
  const summary = await one<Row>('/customer-analytics/summary');
  const refs = new Set(bought.map(({ ref }) => ref));
  // The means of segments of five buyers or more, of one of all.
  const whole = by_segment.find(({ buyers: count }) => Number(count) === refs.size);
  const mean =
    refs.size < 5 ? null : Math.floor((2 * total(bought, 'net_minor') + refs.size) / (2 * refs.size));
  return {
    buyers: [summary['buyers'], refs.size],
    'buyers of segments': [total(segments, 'buyers'), refs.size],
    'orders of segments': [total(segments, 'orders'), bought.length],
    ...(whole !== undefined && { 'what all buyers brought': [whole['mean_value_minor'], mean] }),
  };
}

async function performance({ one, all }: Reader, orders: readonly Order[]): Promise<Pairs> {
  const { metrics, facts_through_on: through } = await one<{ metrics: Row[]; facts_through_on: string }>(
    '/quality/seller-metrics?window=90',
  );
  const found: Pairs = {};
  for (const { metric, numerator, events } of metrics) {
    const path = String(events).slice('/api/v1'.length);
    found[`events of ${metric}`] = [numerator, (await all(`${path}&counted=true`)).length];
  }
  const delivered = orders.filter(
    ({ delivered_at }) => delivered_at !== null && sydneyDate(Date.parse(delivered_at)) <= through,
  );
  const defect = metrics.find(({ metric }) => metric === 'defect');
  return { ...found, 'delivered orders': [defect?.['denominator'], delivered.length] };
}

/** Units by product that the buyers and the marketplace left in their orders. */
async function demand({ one, all }: Reader, orders: readonly Order[], from: string): Promise<Pairs> {
  const found: Pairs = {};
  const products = new Set(
    orders.flatMap(({ lines }) => lines.flatMap(({ product_id }) => product_id ?? [])),
  );
  for (const id of products) {
    const days = await all<Row>(`/forecasting/products/${id}/history?from=${from}`);
    const wanted = sum(orders, ({ lines }) =>
      sum(
        lines.filter(({ product_id }) => product_id === id),
        ({ quantities: q }) => (q['ordered'] ?? 0) - (q['cancelled'] ?? 0),
      ),
    );
    found[`demand of ${id}`] = [total(days, 'demand_units'), wanted];
  }
  const { products: counts } = await one<{ products: Row }>('/forecasting/summary');
  const listed = await all('/forecasting/products');
  return {
    ...found,
    forecasts: [amount(counts, 'forecast') + amount(counts, 'insufficient_history'), listed.length],
  };
}

/**
 * The figures in which two areas differ; an empty list if all is right. All orders are in the seller's currency, placed
 * before today and after `from`; the seller has cancelled none of them, and its nights are over.
 */
export async function disagreements(seller: Caller, from: string, to: string): Promise<string[]> {
  const reader = readerOf(seller);
  const orders = await reader.all<Order>('/orders');
  const pairs = {
    ...(await money(reader, from, to)),
    ...(await work(reader, orders)),
    ...(await buyers(reader, orders)),
    ...(await performance(reader, orders)),
    ...(await demand(reader, orders, from)),
  };
  return Object.entries(pairs).flatMap(([name, [one, other]]) =>
    JSON.stringify(one) === JSON.stringify(other)
      ? []
      : [`${name}: ${JSON.stringify(one)}, ${JSON.stringify(other)}`],
  );
}
