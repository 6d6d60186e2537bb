import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { create } from '../../../../test/support/products.ts';
import { readConfig } from '../../../config.ts';
import { MODULE_SETTINGS } from '../../../modules.ts';

const app = await startTestApp({ CURATION_REVIEWED_FIELDS: 'title, identity' });

test('only changes of the fields in CURATION_REVIEWED_FIELDS are reviewed', async () => {
  const seller = await app.seller();
  const { product_id: id } = await create(seller, { title: 'One', description: 'Old' });
  await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.product.curation_decided',
    subject: id,
    sellerid: seller.seller_id,
    time: new Date(app.app.services.now()).toISOString(),
    data: { decision: 'approved', reviewed_version: 1 },
  });
  const change = async (json: object) => (await seller.call('PATCH', `/products/${id}`, { json })).body;
  expect(await change({ description: 'New' })).toMatchObject({
    curation: { state: 'approved' },
    live: { version: 1, title: 'One', description: 'New' },
  });
  expect(await change({ title: 'Two', description: 'Newer' })).toMatchObject({
    curation: { state: 'pending' },
    live: { version: 1, title: 'One', description: 'Newer' },
  });
});

test.each(['price_minor', 'title,status', 'title,,identity'])('the start refuses the fields %s', (fields) => {
  expect(() => readConfig({ CURATION_REVIEWED_FIELDS: fields }, MODULE_SETTINGS)).toThrow(
    /CURATION_REVIEWED_FIELDS.*one or more of title, identity, brand/,
  );
});
