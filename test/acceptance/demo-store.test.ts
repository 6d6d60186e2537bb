/** A visitor of the demo connects a store. */
import { expect, test } from 'vitest';
import { prepareDemo } from '../support/demo-service.ts';
import { eventually } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';

const place = prepareDemo((await testDatabase()).url);

test('a store of the demo is connected by its start address, without a setting', {
  timeout: 120_000,
}, async () => {
  const service = place.start({ DEMO_TRADE: 'off' });
  const { api, demo } = await service.ready();
  const ask = async <Body>(url: string, init: RequestInit = {}): Promise<Body> =>
    (await (await fetch(url, init)).json()) as Body;
  const json = { 'content-type': 'application/json' };
  const email = JSON.stringify({ email: 'shop@example.com', aal: 'aal2' });
  const session = await ask<{ access_token: string }>(`${demo}/session`, {
    method: 'POST',
    headers: json,
    body: email,
  });
  await ask(`${api}/api/v1/auth/register`, {
    ...{ method: 'POST', body: JSON.stringify({ business_name: 'Shop', tax_id: '51824753556' }) },
    headers: { ...json, authorization: `Bearer ${session.access_token}` },
  });
  const { access_token } = await ask<{ access_token: string }>(`${api}/api/v1/auth/exchange`, {
    ...{ method: 'POST', headers: json, body: JSON.stringify({ marketplace_token: session.access_token }) },
  });
  const headers = { ...json, authorization: `Bearer ${access_token}` };
  const body = JSON.stringify({ platform: 'shopify', shop: 'any-name.myshopify.com' });
  const { start_url, channel_id } = await ask<{ start_url: string; channel_id: string }>(
    `${api}/api/v1/channels`,
    { method: 'POST', headers, body },
  );

  /** The service listens on any free port here, which its own addresses do not name. */
  const here = (url: string): string => url.replace(/^http:\/\/127\.0\.0\.1:0\b/, api);
  const begin = await fetch(here(start_url), { method: 'POST', redirect: 'manual' });
  const consent = new URL(begin.headers.get('location') ?? '');
  expect(await (await fetch(consent)).text()).toContain('read_products');
  const form = new URLSearchParams([...consent.searchParams, ['decision', 'install']]);
  const back = await fetch(consent.origin + consent.pathname, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  const cookie = begin.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const end = await fetch(here(back.headers.get('location') ?? ''), { headers: { cookie } });
  expect([end.status, await end.text()]).toEqual([200, expect.stringContaining('The store is connected')]);
  const channel = await eventually(
    () =>
      ask<{ status: string; locations: { name: string }[] }>(`${api}/api/v1/channels/${channel_id}`, {
        headers,
      }),
    ({ locations }) => locations.length > 0,
  );
  expect(channel.status).toBe('connected');
  expect(channel.locations.map(({ name }) => name)).toEqual(['Shop in Sydney', 'Warehouse in Melbourne']);
  await service.end('SIGINT');
});
