/** The work of a request stops when its client disconnects. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { csv } from '../../../test/support/feeds.ts';
import { png } from '../../../test/support/images.ts';
import { create } from '../../../test/support/products.ts';
import { runOn } from '../../../test/support/test-server.ts';

const app = await startTestApp();

interface Target {
  readonly product_id: string;
}

interface Write {
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: (target: Target) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The statement of another transaction for which the write waits. */
  readonly hold: (target: Target) => { readonly text: string; readonly values: string[] };
  /** Where the seller sees the write. */
  readonly shown: (target: Target) => string;
  readonly status: number;
}

const holdProduct: Write['hold'] = ({ product_id }) => ({
  text: 'select from product where product_id = $1 for update',
  values: [product_id],
});
const product: Write['shown'] = ({ product_id }) => `/products/${product_id}`;

const WRITES: Readonly<Record<string, Write>> = {
  change: {
    method: 'PATCH',
    path: product,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Said by one who left' }),
    hold: holdProduct,
    shown: product,
    status: 200,
  },
  'image upload': {
    method: 'POST',
    path: ({ product_id }) => `/products/${product_id}/images`,
    headers: { 'content-type': 'image/png' },
    body: png(),
    hold: holdProduct,
    shown: product,
    status: 201,
  },
  'asynchronous feed run': {
    method: 'POST',
    path: () => '/products/feed-runs',
    headers: { 'content-type': 'text/csv', prefer: 'respond-async' },
    body: csv([{ seller_sku: 'LEFT', title: 'Sent by one who left' }]),
    hold: () => ({ text: 'lock table feed_run in share mode', values: [] }),
    shown: () => '/products/feed-runs',
    status: 202,
  },
};

test.each(Object.keys(WRITES))(
  '%s: rolled back with its key when the client disconnects while it waits',
  async (name) => {
    const write = WRITES[name] as Write;
    const seller = await app.seller({ plan: 'Big' });
    const { product_id } = await create(seller);
    const target = { product_id };
    const before = (await seller.call('GET', write.shown(target))).body;
    const path = write.path(target);
    const { method, body } = write;
    const headers = { ...write.headers, 'idempotency-key': 'gone-1' };
    const leaving = new AbortController();
    await runOn(app.database.adminUrl, async (holder) => {
      await holder.query('begin');
      const { text, values } = write.hold(target);
      await holder.query(text, values);
      const left = fetch(`${app.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${seller.token}`, ...headers },
        body,
        signal: leaving.signal,
      }).catch((error: Error) => error.name);
      const waiting =
        'select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()';
      await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(1);
      leaving.abort();
      expect(await left).toBe('AbortError');
      // Another request is answered on the same event loop, so the server has seen the first client disconnect.
      await seller.call('GET', write.shown(target));
      await holder.query('commit');
    });
    const inWork =
      "select from pg_stat_activity where datname = current_database() and xact_start is not null and query not ilike '%pg_stat_activity%' and application_name in ('spp-short', 'spp-long')";
    await runOn(app.database.adminUrl, (client) =>
      expect.poll(async () => (await client.query(inWork)).rowCount).toBe(0),
    );
    expect((await seller.call('GET', write.shown(target))).body).toEqual(before);
    const again = await seller.call(method, path, { body, headers });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([write.status, null]);
  },
);
