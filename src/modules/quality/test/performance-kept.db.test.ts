/** How long performance is kept, over HTTP. Source: docs/design/quality.md#performance. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { placeOrder, post } from '../../../../test/support/orders.ts';
import { moveTo } from '../../../../test/support/tickets.ts';
import { changedOrders } from '../store/performance.ts';

const START = Date.parse('2026-07-01T00:00:00Z');
const inDays = (days: number) => new Date(START + days * 86_400_000).toISOString();
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: inDays(0) });

test('orders that have changed at one instant are read once each, whatever digits the instant has', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  for (let order = 0; order < 3; order += 1) await placeOrder(app, seller, [{ title: 'Mug' }]);
  const ids = await asOwner<{ order_id: string }>(
    app,
    "update sales_order set updated_at = '2026-07-01T00:00:00.123456Z' where seller_id = $1 returning order_id",
    [seller_id],
  );
  const found: string[] = [];
  let after = { changed_at: inDays(0), order_id: '' };
  for (let page = 0; page < 3; page += 1) {
    const rows = await app.app.services.withSeller(seller_id, 'read', (db) =>
      changedOrders({ db, seller_id }, after, 2),
    );
    found.push(...rows.map(({ order_id }) => order_id));
    after = rows.at(-1) ?? after;
  }
  expect(found).toEqual(ids.map(({ order_id }) => order_id).sort());
});

test('figures of a day are kept for 25 months', async () => {
  let seller: TestSeller = await app.seller();
  const ids = [
    await placeOrder(app, seller, [{ title: 'Mug' }]),
    await placeOrder(app, seller, [{ title: 'Mug' }]),
  ];
  for (const id of ids) await post(seller, `${id}/reject`, { reason: 'other' });
  [seller = seller] = await moveTo(app, inDays(2), seller);
  const dayOf = async (order_id: string | undefined, months: number): Promise<string> => {
    const [row] = await asOwner<{ day: string }>(
      app,
      `with moved as (
            update quality_event set day = ($3::date - make_interval(months => $4))::date
             where seller_id = $1 and order_id = $2
            returning seller_id, metric, day),
            counted as (
            update quality_order set day = (select day from moved)
             where seller_id = $1 and order_id = $2)
       insert into quality_day (seller_id, metric, day, numerator, denominator)
       select seller_id, metric, day, 1, 1 from moved
       returning day::text`,
      [seller.seller_id, order_id, inDays(4), months],
    );
    return row?.day ?? '';
  };
  const [kept, old] = [await dayOf(ids[0], 25), await dayOf(ids[1], 26)];
  const counts = async (on: string) => {
    const path = `/quality/seller-metrics/seller_cancel/history?from=${on}&to=${on}`;
    const { body } = await seller.call<{ data?: unknown[]; detail?: { type: string }[] }>('GET', path);
    return body.data ?? body.detail?.[0]?.type;
  };
  const days = async () =>
    (
      await asOwner<{ day: string }>(
        app,
        'select day::text from quality_day where seller_id = $1 and day = any($2::date[]) order by day',
        [seller.seller_id, [kept, old]],
      )
    ).map(({ day }) => day);
  const one = [{ day: kept, numerator: 1, denominator: 1 }];
  expect([await counts(kept), await days()]).toEqual([one, [old, kept]]);
  [seller = seller] = await moveTo(app, inDays(4), seller);
  expect([await counts(kept), await days()]).toEqual([one, [kept]]);
  // A day that was deleted is no day without orders.
  expect(await counts(old)).toBe('date_too_old');
  for (const table of ['quality_event', 'quality_order'])
    expect(
      await asOwner(app, `select order_id from ${table} where seller_id = $1`, [seller.seller_id]),
      table,
    ).toEqual([{ order_id: ids[0] }]);
});
