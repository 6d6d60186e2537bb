/** The consent of a store begins on the page that names the business. */
import { expect, test } from 'vitest';
import { begin, newShop, startStores } from '../../../../test/support/store-platform.ts';

const stores = await startStores();

test('a form of another site leads to the page with the name of the business, not to the store', async () => {
  const { body } = await begin(await stores.seller(), newShop());
  const path = body.start_url.slice('http://spp.test'.length);
  const send = (site: string) => stores.call('POST', path, { headers: { 'sec-fetch-site': site } });
  for (const site of ['cross-site', 'same-site', 'none']) {
    const { status, headers } = await send(site);
    const to = headers.get('location');
    expect([status, to, headers.get('set-cookie')], site).toEqual([303, body.start_url, null]);
  }
  const own = await send('same-origin');
  expect(own.headers.get('location')).toContain('/admin/oauth/authorize?');
  expect(own.headers.get('set-cookie')).toContain('spp-oauth=');
});
