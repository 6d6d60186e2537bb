/**
 * The limit of a read: bare `node:http` and `pg`, the same queries as named statements on a pool of the same
 * size, `JSON.stringify`; without sign-in and without checks. Runs as a process of its own.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { messages, threads, turns } from '../../src/modules/messages/store/tables.ts';
import { CHILD_ROWS } from '../../src/modules/orders/store/load-orders.ts';
import { FROM_PRODUCT, SELECT_LIST } from '../../src/modules/products/store/product-columns.ts';

const [url = '', poolSize = '16'] = process.argv.slice(2);

const ONE = `select ${SELECT_LIST} from ${FROM_PRODUCT} where p.seller_id = $1 and p.product_id = $2`;
const PAGE =
  `select ${SELECT_LIST} from (select * from product where seller_id = $1 and status <> 'archived' and product_id < $2 ` +
  'order by product_id desc limit 51) p left join inventory i on i.seller_id = p.seller_id and ' +
  'i.product_id = p.product_id order by p.product_id desc';

/** The plain query for an order: its row, and the rows of every table of its parts. */
const WHOLE_ORDER = [
  'to_json(o) as head',
  ...Object.entries(CHILD_ROWS).map(
    ([name, [from, order]]) => `(select json_agg(to_json(c) order by ${order}) from ${from}) as ${name}`,
  ),
].join(', ');
const ORDER = `select ${WHOLE_ORDER} from sales_order o where o.seller_id = $1 and o.order_id = $2`;
const ORDERS =
  `select ${WHOLE_ORDER} from (select * from sales_order where seller_id = $1 and recorded_at < $2 ` +
  'order by recorded_at desc, order_id desc limit 51) o order by o.recorded_at desc, o.order_id desc';

const FORECASTS =
  'select shown from forecast_product where seller_id = $1 and product_id > $2 order by stockout_on, product_id limit 51';
const scored = (ready: string): string =>
  `(select * from quality_product where seller_id = $1 and ${ready} and product_id > $2 order by score, product_id limit 51)`;
const READINESS =
  'select l.*, (select p.seller_sku from product p where p.seller_id = $1 and p.product_id = l.product_id) as seller_sku ' +
  `from (${scored('ready')} union all ${scored('not ready')}) l order by l.score, l.product_id limit 51`;
const PRICES =
  'select p.product_id, p.seller_sku, p.category, p.price_minor, p.currency, p.version, i.version as stock_version, ' +
  'g.floor_minor, g.ceiling_minor, g.min_margin_bps, to_json(o) as offer, c.amount_micros, ' +
  'e.rule_id, e.status, e.code, e.target_minor, e.effective_floor_minor, e.product_version, e.evaluated_at ' +
  'from (select * from price_evaluation where seller_id = $1 and product_id > $2 order by product_id limit 51) e ' +
  'join product p on p.seller_id = $1 and p.product_id = e.product_id ' +
  'left join inventory i on i.seller_id = $1 and i.product_id = e.product_id ' +
  'left join price_guardrail g on g.seller_id = $1 and g.product_id = e.product_id ' +
  'left join competitor_price o on o.seller_id = $1 and o.product_id = e.product_id ' +
  'left join lateral (select u.amount_micros from unit_cost u where u.seller_id = $1 and u.product_id = e.product_id ' +
  "and u.component = 'supplier_cost' order by u.effective_from desc, u.entered_at desc limit 1) c on true " +
  'order by e.product_id';
/** What a night has kept, sent as it is. */
const KEPT = 'select body::text as body from insight_snapshot where seller_id = $1 and contract = $2';
const listOf = ({ columns }: { readonly columns: object }, alias: string): string =>
  Object.keys(columns)
    .map((name) => `${alias}.${name}`)
    .join(', ');
/** The turn and the buyer of a thread are columns of its row. */
const THREADS =
  `select ${listOf(threads, 'h')}, ${listOf(turns, 't')}, b.alias ` +
  'from (select * from message_thread where seller_id = $1 and last_message_at < $2 ' +
  'order by last_message_at desc, thread_id desc limit 51) h ' +
  'left join thread_turn t on t.seller_id = $1 and t.thread_id = h.thread_id and t.turn_no = h.turn_no ' +
  'left join buyer b on b.seller_id = $1 and b.buyer_id = h.buyer_id ' +
  'order by h.last_message_at desc, h.thread_id desc';
const THREAD =
  `select ${listOf(messages, 'm')} from thread_message m where m.seller_id = $1 and m.thread_id = $2 ` +
  'order by m.message_id desc limit 51';

/** The second value is there because every query has two. */
const ITEMS =
  'select i.*, s.name as supplier_name, s.currency from supplier_item i join supplier s on s.supplier_id = i.supplier_id ' +
  "where i.status = 'active' and s.status <> 'closed' and i.search @@ to_tsquery('simple', $1) and $2::text <> '' " +
  'order by i.published_at desc, i.supplier_item_id desc limit 51';
/** By the index of words, because the index of the newest items does not have this order. */
const RARE_ITEMS = ITEMS.replace('i.published_at desc', "i.published_at + interval '0 s' desc");

const INT8 = 20;
const TIMESTAMPTZ = 1184;
/** As cheap as possible: instants stay texts, because `pg` would make objects of them only to print them again. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (oid === INT8) return Number;
    if (oid === TIMESTAMPTZ) return (value) => value;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

const pool = new pg.Pool({ connectionString: url, max: Number(poolSize), types: types as never });

interface Query {
  readonly text: string;
  readonly many: boolean;
  /** The one column `body` is JSON. */
  readonly ready?: boolean;
}
/** By the first part of the path. The parts after it are the seller, and the object or the start of the page. */
const QUERIES: Readonly<Record<string, Query>> = {
  kept: { text: KEPT, many: false, ready: true },
  one: { text: ONE, many: false },
  page: { text: PAGE, many: true },
  order: { text: ORDER, many: false },
  orders: { text: ORDERS, many: true },
  forecasts: { text: FORECASTS, many: true },
  readiness: { text: READINESS, many: true },
  prices: { text: PRICES, many: true },
  threads: { text: THREADS, many: true },
  thread: { text: THREAD, many: true },
  items: { text: ITEMS, many: true },
  rareitems: { text: RARE_ITEMS, many: true },
};

async function answer(path: string): Promise<string> {
  const [, kind = '', seller, at] = path.split('/');
  const { text, many, ready } = QUERIES[kind] ?? { text: '', many: false };
  const { rows } = await pool.query<{ body?: string }>({ name: kind, text, values: [seller, at] });
  if (ready === true) return rows[0]?.body ?? '';
  return JSON.stringify(many ? { data: rows.slice(0, 50) } : rows[0]);
}

const server = createServer((request, response) => {
  answer(request.url ?? '').then(
    (text) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    },
    (error: Error) => response.writeHead(500, { 'content-length': 0 }).end(error.message),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
