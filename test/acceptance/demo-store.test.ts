/** A visitor of the demo connects a store. */
import { expect, test } from 'vitest';
import { prepareDemo } from '../support/demo-service.ts';
import { eventually } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';

const [place, own] = [prepareDemo((await testDatabase()).url), prepareDemo((await testDatabase()).url)];

test.concurrent('a store of the demo is connected by its start address, without a setting', async () => {
  const service = place.start({ DEMO_TRADE: 'off', DEMO_PAST_DAYS: '0' });
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

test.concurrent('the shop with a past has a store, which is still connected after a restart', {
  timeout: 300_000,
}, async () => {
  const session = async () => {
    const service = own.start({ DEMO_PAST_DAYS: '3' });
    const { api, demo } = await service.ready();
    const post = async (url: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
        access_token: string;
      };
    };
    const { access_token: marketplace_token } = await post(`${demo}/session`, {
      ...{ email: 'june@example.com', aal: 'aal2' },
    });
    const { access_token } = await post(`${api}/api/v1/auth/exchange`, { marketplace_token });
    const get = async <Item>(path: string): Promise<Item[]> => {
      const headers = { authorization: `Bearer ${access_token}` };
      return ((await (await fetch(`${api}/api/v1${path}`, { headers })).json()) as { data: Item[] }).data;
    };
    return { service, get };
  };
  type Issue = { kind: string };
  type Delivery = { status: string; topic: string };
  const { service, get } = await session();
  const issues = await eventually(
    () => get<Issue>('/channels/issues'),
    ({ length }) => length >= 2,
    120_000,
  );
  expect(issues.map(({ kind }) => kind).sort()).toEqual(['field_conflict', 'unknown_inventory_item']);
  await eventually(
    () => get('/channels/orders'),
    ({ length }) => length >= 3,
  );
  const [tumbler] = await eventually(
    () => get<{ quantity_on_hand: number | null }>('/products?sku=TUMBLER-3'),
    ([one]) => one?.quantity_on_hand === 20_000,
  );
  expect(tumbler).toMatchObject({ status: 'active' });
  await service.end('SIGINT');

  const again = await session();
  const known = (await again.get<Delivery>('/channels/deliveries?limit=200')).length;
  const deliveries = await eventually(
    () => again.get<Delivery>('/channels/deliveries?limit=200'),
    ({ length }) => length > known,
    120_000,
  );
  expect(deliveries.filter(({ status }) => ['failed', 'malformed', 'foreign'].includes(status))).toEqual([]);
  expect(await again.get<object>('/channels')).toMatchObject([{}, { status: 'connected' }]);
  await again.service.end('SIGINT');
});
