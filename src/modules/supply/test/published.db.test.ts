import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { permutations } from '../../../../test/support/permutations.ts';
import { suppliersPublished } from '../intake/published.ts';

const app = await startTestApp();
const [PROFILE, ITEM] = suppliersPublished.map(({ example }) => example as Record<string, unknown>);
const [item] = (ITEM as { items: Record<string, unknown>[] }).items;
const now = () => app.app.services.now();
const iso = (ahead: number) => new Date(now() + ahead).toISOString();

/** Sends an event about a supplier. @returns the status or the code of a rejection */
async function tell(type: string, subject: string, data: unknown, more: object = {}): Promise<string> {
  const [result] = await app.events({
    ...{ specversion: '1.0', id: randomUUID(), source: '/marketplace/core', time: iso(0) },
    ...{ type: `marketplace.supplier.${type}`, subject, data },
    ...more,
  });
  return result?.code ?? result?.status ?? 'none';
}
const profile = (subject: string, more: object = {}, envelope: object = {}) =>
  tell('profile_published', subject, { ...PROFILE, ...more }, envelope);
const publish = (subject: string, items: readonly object[], envelope: object = {}) =>
  tell('items_published', subject, { items: items.map((one) => ({ ...item, ...one })) }, envelope);
const count = (subject: string, as_of: string, ...items: readonly object[]) =>
  tell('availability_changed', subject, { as_of, items });
const newId = (kind: string) => `${kind}_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
const one = () => ({ supplier_item_id: newId('sit'), supplier_sku: `SKU-${randomUUID()}` });
const suppliersOf = (name: string) =>
  asOwner<Record<string, unknown>>(app, 'select * from supplier where supplier_id = $1 or external_id = $1', [
    name,
  ]);
const itemsOf = (name: string) =>
  asOwner<Record<string, unknown>>(
    app,
    'select i.* from supplier_item i join supplier s using (supplier_id) where s.supplier_id = $1 or s.external_id = $1 order by supplier_sku',
    [name],
  );

test('the newest profile holds; an id of the marketplace in another form is kept beside ours', async () => {
  const [own, other] = [newId('sup'), `vendor-${randomUUID()}`];
  expect(await profile(own)).toBe('applied');
  expect(await profile(other, { flat_freight_minor: null }, { objectversion: 2 })).toBe('applied');
  expect(await profile(other, { name: 'Older' }, { objectversion: 1 })).toBe('stale');
  expect(await profile(own, { name: 'Older' }, { time: iso(-60_000) })).toBe('stale');
  expect(await profile(own, { name: 'Newer', status: 'paused' })).toBe('applied');
  expect(await suppliersOf(own)).toMatchObject([
    { supplier_id: own, external_id: null, name: 'Newer', status: 'paused' },
  ]);
  expect(await suppliersOf(other)).toMatchObject([
    { supplier_id: expect.stringMatching(/^sup_/), external_id: other, flat_freight_minor: null },
  ]);
  // Both of its names find it.
  const [known] = await suppliersOf(other);
  expect(await profile(String(known?.['supplier_id']), { name: 'Ours' })).toBe('applied');
  expect(await suppliersOf(other)).toMatchObject([{ name: 'Ours', external_id: other }]);
  expect(await profile(own, { currency: 'XXX' })).toBe('currency_unknown');
  // Its prices would turn into amounts of another currency.
  expect(await profile(own, { currency: 'NZD' })).toBe('currency_mismatch');
  expect(await suppliersOf(own)).toMatchObject([{ currency: 'AUD' }]);
  expect(await profile(own, { lead_time_days: { min: 3, max: 2 } })).toBe('data_invalid');
  expect(await profile(own, {}, { time: iso(11 * 60_000) })).toBe('data_invalid');
});

test('items need their supplier; newer ones replace, older are stale, and one bad item rejects all', async () => {
  const [supplier, other] = [newId('sup'), newId('sup')];
  const [first, second] = [one(), one()];
  expect(await publish(supplier, [first])).toBe('supplier_not_found');
  await profile(supplier);
  await profile(other);
  expect(await publish(supplier, [first, { ...second, gtin14: '9312345678907' }], { objectversion: 5 })).toBe(
    'applied',
  );
  expect(await itemsOf(supplier)).toHaveLength(2);
  expect(await publish(supplier, [{ ...first, title: 'Old' }], { objectversion: 4 })).toBe('stale');
  expect(await publish(other, [first])).toBe('item_not_found');
  const good = { ...one(), title: 'Good' };
  const bad: readonly (readonly [object, string])[] = [
    [{ price_breaks: [{ min_quantity: 36, pack_price_minor: 1 }] }, 'price_breaks_invalid'],
    [{ maximum_quantity: 12 }, 'data_invalid'],
    [{ gtin14: '123' }, 'data_invalid'],
    [{ image_urls: ['http://example.com/a.png'] }, 'data_invalid'],
    [{ supplier_sku: good.supplier_sku }, 'data_invalid'],
    [{ supplier_sku: second.supplier_sku }, 'data_invalid'],
  ];
  for (const [more, code] of bad) expect(await publish(supplier, [good, { ...one(), ...more }])).toBe(code);
  expect(await itemsOf(supplier)).toHaveLength(2);
  // Two items may get each other's SKU in one event.
  const swapped = [
    { ...first, supplier_sku: second.supplier_sku },
    { ...second, supplier_sku: first.supplier_sku },
  ];
  expect(await publish(supplier, swapped, { objectversion: 6 })).toBe('applied');
  const skus = (await itemsOf(supplier)).map((row) => [row['supplier_item_id'], row['supplier_sku']]);
  expect(new Map(skus as [string, string][]).get(first.supplier_item_id)).toBe(second.supplier_sku);
});

test('the newest count of each item holds, in every order of reports', async () => {
  const HOUR_MS = 3_600_000;
  const reports = [
    [-3 * HOUR_MS, 20],
    [-2 * HOUR_MS, 16],
    [-1 * HOUR_MS, null],
    [-1 * HOUR_MS, 9],
  ] as const;
  for (const order of permutations(reports)) {
    const supplier = newId('sup');
    const sold = one();
    const began = iso(0);
    await profile(supplier);
    await publish(supplier, [sold]);
    for (const [ago, available] of order) {
      const as_of = new Date(Date.parse(began) + ago).toISOString();
      await count(supplier, as_of, { supplier_sku: sold.supplier_sku, available });
    }
    expect(await itemsOf(supplier)).toMatchObject([{ available: 9 }]);
  }
});

test('a count that is older is stale, one of an unknown SKU or from ahead is rejected', async () => {
  const supplier = newId('sup');
  const sold = one();
  const counted = { supplier_sku: sold.supplier_sku, available: 4 };
  expect(await count(supplier, iso(0), counted)).toBe('supplier_not_found');
  await profile(supplier);
  expect(await count(supplier, iso(0), counted)).toBe('item_not_found');
  await publish(supplier, [sold]);
  const as_of = iso(-1_000);
  expect(await count(supplier, as_of, counted)).toBe('applied');
  expect(await count(supplier, as_of, counted)).toBe('stale');
  expect(await count(supplier, iso(-60_000), { ...counted, available: 90 })).toBe('stale');
  expect(await count(supplier, iso(11 * 60_000), counted)).toBe('data_invalid');
  expect(await count(supplier, iso(0), counted, counted)).toBe('data_invalid');
  expect(await count(supplier, iso(0), counted, { ...counted, supplier_sku: 'NONE' })).toBe('item_not_found');
  // Publishing the item again leaves its count.
  expect(await publish(supplier, [{ ...sold, title: 'Again' }])).toBe('applied');
  expect(await itemsOf(supplier)).toMatchObject([{ title: 'Again', available: 4 }]);
});
