/** A program that asks for changes misses none of a run, whose rows have the time at which it began. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import { moveClock } from '../../../../../test/support/dropship.ts';
import { applied, catalogueOf, csv, feed, goods, type Run } from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-01T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const WAITING =
  'select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()';

interface Changes {
  readonly data: readonly { readonly product_id: string }[];
  readonly resume_since: string | null;
}

/** The products of a list or a file, and from when the next one must read. */
async function changesOf(seller: TestSeller, list: string, since: string): Promise<Changes> {
  const join = list.includes('?') ? '&' : '?';
  const { body, headers } = await seller.call<Changes | Changes['data']>(
    'GET',
    `${list}${join}updated_since=${since}`,
  );
  return 'resume_since' in body ? body : { data: body, resume_since: headers.get('resume-since') };
}

test.each(['/products', '/products/inventory', '/products/export?format=json'])(
  '%s: resume_since lies before the rows of a run that ends after the list was read',
  async (list) => {
    const seller = await app.seller({ plan: 'Big' });
    await applied(seller, csv([goods('LATE'), goods('NOW')]));
    const products = await catalogueOf(seller);
    const idOf = (sku: string) => products.get(sku)?.product_id ?? '';
    const changes = (since: string) => changesOf(seller, list, since);
    await moveClock(app, 3);
    const since = new Date(app.app.services.now()).toISOString();
    const seen = await runOn(app.database.adminUrl, async (holder) => {
      await holder.query('begin');
      await holder.query('select from product where product_id = $1 for update', [idOf('LATE')]);
      const file = csv([goods('LATE', { title: 'By file', quantity: 8 })]);
      const sent = feed<Run>(seller, file);
      await expect.poll(async () => (await holder.query(WAITING)).rowCount).toBe(1);
      await moveClock(app, 3);
      const { status } = await seller.call('PATCH', `/products/${idOf('NOW')}`, {
        json: { title: 'By hand', quantity_on_hand: 9 },
      });
      expect(status).toBe(200);
      const before = await changes(since);
      await holder.query('commit');
      expect((await sent).body.counts).toMatchObject({ updated: 1 });
      return before;
    });
    expect(seen.data.map(({ product_id }) => product_id)).toEqual([idOf('NOW')]);
    const later = (await changes(seen.resume_since ?? '')).data.map(({ product_id }) => product_id);
    expect(new Set(later)).toEqual(new Set([idOf('NOW'), idOf('LATE')]));
    await moveClock(app, 3);
    const next = await changes(since);
    expect(Date.parse(next.resume_since ?? '')).toBe(app.app.services.now() - 60_000);
    const { body, headers } = await seller.call<Changes>('GET', list);
    expect([body.resume_since ?? null, headers.get('resume-since')]).toEqual([null, null]);
  },
);
