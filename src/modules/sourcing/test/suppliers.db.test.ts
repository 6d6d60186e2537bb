import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { newSupplier, sellItems, tellProfile } from '../../../../test/support/sourcing.ts';

const app = await startTestApp();
interface Page {
  readonly data: readonly { readonly supplier_id: string; readonly items: number }[];
  readonly page: { readonly next_cursor: string | null };
}

test('suppliers are found by words, category, origin and dropship, and listed by name', async () => {
  const seller = await app.seller();
  const word = `w${randomUUID().slice(0, 8)}`;
  const dropship = { unit_cost_minor: 1_840, fee_minor: 250 };
  const clay = await newSupplier(app, { name: `Clay ${word}`, about: 'Stoneware from Bondi, glazed.' });
  const wax = await newSupplier(
    app,
    { name: `Beeswax ${word}`, categories: ['Home > Living'], ships_from: { state: 'VIC', country: 'AU' } },
    { dropship },
  );
  const far = await newSupplier(app, { name: `Café ${word}`, ships_from: { state: null, country: 'NZ' } });
  const found = async (query: string) => {
    const { status, body } = await seller.call<Page>('GET', `/sourcing/suppliers?q=${word}${query}`);
    expect(status).toBe(200);
    return body.data.map(({ supplier_id }) => supplier_id);
  };
  const id = ({ supplier_id }: typeof clay) => supplier_id;
  expect(await found('')).toEqual([wax, far, clay].map(id));
  expect(await found('%20BONDI')).toEqual([clay].map(id));
  expect(await found('%20cafe')).toEqual([far].map(id));
  expect(await found('%20%25')).toEqual([]);
  expect(await found('&category=Home')).toEqual([wax, far, clay].map(id));
  expect(await found('&category=Home%20%3E%20Living')).toEqual([wax].map(id));
  expect(await found('&category=Hom')).toEqual([]);
  expect(await found('&ships_from=VIC')).toEqual([wax].map(id));
  expect(await found('&ships_from=NZ')).toEqual([far].map(id));
  expect(await found('&dropship=true')).toEqual([wax].map(id));
  expect(await found('&dropship=false&ships_from=AU')).toEqual([clay].map(id));
  const first = await seller.call<Page>('GET', `/sourcing/suppliers?q=${word}&limit=2`);
  const cursor = first.body.page.next_cursor ?? '';
  expect(await found(`&limit=2&cursor=${cursor}`)).toEqual([clay].map(id));
});

test('a supplier is shown as it publishes itself, with the number of its active items', async () => {
  const seller = await app.seller();
  const terms = {
    minimum_order_minor: 15_000,
    flat_freight_minor: 1_450,
    lead_time_days: { min: 2, max: 5 },
  };
  const supplier = await newSupplier(app, terms);
  const path = `/sourcing/suppliers/${supplier.supplier_id}`;
  const read = await seller.call('GET', path);
  expect(read.body).toEqual({
    ...{ supplier_id: supplier.supplier_id, name: supplier.name, about: 'Stoneware.' },
    ...{ categories: ['Home > Kitchen'], ships_from: { state: 'NSW', country: 'AU' }, currency: 'AUD' },
    ...{ ...terms, free_freight_from_minor: null, payment_terms: 'net_14', status: 'active' },
    ...{ object_version: null, items: 1, own_orders: 0, updated_at: expect.any(String) },
  });
  const headers = { 'if-none-match': read.headers.get('etag') ?? '' };
  expect((await seller.call('GET', path, { headers })).status).toBe(304);
  const sold = (items: number) => expect.objectContaining({ items });
  await sellItems(app, supplier, [{}, { supplier_item_id: 'another', supplier_sku: 'OTHER' }]);
  expect((await seller.call('GET', path)).body).toEqual(sold(2));
  await sellItems(app, supplier, [{ status: 'discontinued' }]);
  expect((await seller.call('GET', path)).body).toEqual(sold(1));
  await sellItems(app, supplier, [{ status: 'discontinued' }]);
  expect((await seller.call('GET', path)).body).toEqual(sold(1));
  await tellProfile(app, supplier, { status: 'closed' });
  expect((await seller.call('GET', path)).body).toMatchObject({ status: 'closed', items: 1 });
  expect((await seller.call('GET', '/sourcing/suppliers/sup_none')).status).toBe(404);
});
