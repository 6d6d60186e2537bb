/**
 * The limit of a read: bare `node:http` and `pg`, the same queries as named statements on a pool of the same
 * size, `JSON.stringify`; without sign-in and without checks. Runs as a process of its own.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
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

/** By the first part of the path. The parts after it are the seller, and the object or the start of the page. */
const QUERIES: Readonly<Record<string, { readonly text: string; readonly many: boolean }>> = {
  one: { text: ONE, many: false },
  page: { text: PAGE, many: true },
  order: { text: ORDER, many: false },
  orders: { text: ORDERS, many: true },
};

async function answer(path: string): Promise<unknown> {
  const [, kind = '', seller, at] = path.split('/');
  const { text, many } = QUERIES[kind] ?? { text: '', many: false };
  const { rows } = await pool.query({ name: kind, text, values: [seller, at] });
  return many ? { data: rows.slice(0, 50) } : rows[0];
}

const server = createServer((request, response) => {
  answer(request.url ?? '').then(
    (body) => {
      const text = JSON.stringify(body);
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
