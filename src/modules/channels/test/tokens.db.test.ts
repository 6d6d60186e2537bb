/** The tokens of a connected store: one worker refreshes them, and no lost or short answer ends a connection. */
import { expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { decided } from '../../../../test/support/store-deliveries.ts';
import {
  Browser,
  begin,
  connectStore,
  newShop,
  readChannel,
  startStores,
} from '../../../../test/support/store-platform.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { waitingProblems } from '../../../kernel/waiting.ts';
import { createSecrets } from '../../../platform/crypto/secrets.ts';
import { askStore } from '../actions/ask-store.ts';
import { prepareChannel } from '../actions/prepare-channel.ts';
import { accessToken } from '../actions/tokens.ts';
import { SHOP_FACTS } from '../adapters/questions.ts';
import { topicsOf } from '../domain/topics.ts';
import { channels } from '../store/channels.ts';

const SECRETS_KEY = Buffer.alloc(32, 1);
const stores = await startStores({
  SECRETS_KEY: SECRETS_KEY.toString('base64'),
  CLOCK: 'manual',
  CLOCK_START: '2026-07-01T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = stores.app;
const later = (minutes: number) =>
  callInternal(stores, 'POST', '/internal/v1/clock', {
    body: { now: new Date(services.now() + minutes * 60_000).toISOString() },
  });

async function connected(one?: TestSeller) {
  const seller = one ?? (await stores.seller());
  const { shop, channel_id, domain } = await connectStore(stores, seller);
  const key = { seller_id: seller.seller_id, channel_id };
  const ask = async () => {
    const { seller_id } = seller;
    const row = await services.withSeller(seller_id, 'read', (db) =>
      channels.find({ db, seller_id }, { channel_id }),
    );
    if (row === undefined) throw new Error('no channel');
    return askStore<{ shop: { name: string } }>(services, key, row, SHOP_FACTS);
  };
  const read = async () => readChannel(await seller.renew(), channel_id);
  return { seller, shop, channel_id, domain, key, ask, read };
}

test('a token that ends soon is refreshed once, even if many workers need it', async () => {
  const { key, shop } = await connected();
  const first = await accessToken(services, key);
  await later(50);
  expect(await accessToken(services, key)).toEqual(first);
  const before = shop.tokens.refreshes.made;
  // No job of the clock refreshes before the workers of this test.
  await later(6);
  const made = shop.tokens.refreshes.made;
  const tokens = await Promise.all(Array.from({ length: 8 }, () => accessToken(services, key)));
  expect(new Set(tokens.map(({ access }) => access)).size).toBe(1);
  expect(tokens[0]?.access).not.toBe(first.access);
  expect(shop.tokens.refreshes.made - made).toBeLessThanOrEqual(1);
  expect(shop.tokens.refreshes.made - before).toBe(1);
});

test('an answer that was lost is asked for again with the same refresh token', async () => {
  const { key, shop, ask, read } = await connected();
  await later(58);
  shop.faults.lostRefreshes = 2;
  await expect(accessToken(services, key)).rejects.toThrow();
  await expect(accessToken(services, key)).rejects.toThrow();
  expect(await ask()).toMatchObject({ shop: { name: shop.name } });
  expect(shop.tokens.refreshes.repeated).toBeGreaterThan(0);
  expect(await read()).toMatchObject({ status: 'connected' });
});

test('a field that a refresh leaves out is not erased', async () => {
  const { shop, ask, read } = await connected();
  shop.faults.leaveOut = ['refresh_token_expires_in', 'scope', 'expires_in'];
  await later(58);
  await ask();
  const channel = await read();
  expect(channel.scopes).toHaveLength(3);
  expect(channel.health.token_expires_at).not.toBeNull();
  shop.faults.leaveOut = [];
  await later(58);
  expect(await ask()).toMatchObject({ shop: { name: shop.name } });
});

test('tokens that do not expire are never refreshed', async () => {
  const domain = newShop();
  stores.platform.shop(domain).faults.withoutRefresh = true;
  const seller = await stores.seller();
  const { shop, channel_id, channel } = await connectStore(stores, seller, { shop: domain });
  expect(channel.health.token_expires_at).toBeNull();
  await later(3 * 60);
  await accessToken(services, { seller_id: seller.seller_id, channel_id });
  expect(shop.tokens.refreshes).toEqual({ made: 0, repeated: 0 });
});

test('a refused access token is refreshed once before anything else', async () => {
  const { shop, ask, read } = await connected();
  shop.tokens.spoil();
  await ask();
  expect(await read()).toMatchObject({ status: 'connected' });
  expect(shop.tokens.refreshes.made).toBeGreaterThan(0);
});

test('a store that refuses both tokens degrades the channel, with an issue; authorising again mends it', async () => {
  const { seller, shop, ask, read, channel_id } = await connected();
  shop.tokens.spoil(true);
  await expect(ask()).rejects.toThrow();
  expect(waitingProblems(await read())).toEqual([]);
  expect(await read()).toMatchObject({
    ...{ status: 'degraded', status_reason: 'token_rejected', waiting_on: 'seller' },
    action: { kind: 'call', href: `/api/v1/channels/${channel_id}/reauthorise` },
    health: { status: 'broken' },
  });
  const one = await seller.renew();
  const list = await one.call<{ data: object[] }>('GET', '/channels');
  expect(list.body.data[1]).toMatchObject({
    ...{ channel_id, status: 'degraded', waiting_on: 'seller', next_check_at: null },
    action: { kind: 'call', href: `/api/v1/channels/${channel_id}/reauthorise` },
  });
  const open = await one.call<{ data: { issue_id: string; kind: string }[] }>('GET', '/channels/issues');
  expect(waitingProblems(open.body)).toEqual([]);
  expect(open.body.data).toMatchObject([{ kind: 'reauthorise_required', channel_id, waiting_on: 'seller' }]);

  const { status, body } = await one.call<{ start_url: string; status: string }>(
    'POST',
    `/channels/${channel_id}/reauthorise`,
    { json: {} },
  );
  expect([status, body.status]).toEqual([201, 'degraded']);
  expect((await new Browser(stores).install(body.start_url)).status).toBe(200);
  expect(await read()).toMatchObject({ status: 'connected', waiting_on: 'nobody' });
  const { body: none } = await one.call<{ data: unknown[] }>('GET', '/channels/issues');
  expect(none.data).toEqual([]);
  const issue = await one.call('GET', `/channels/issues/${open.body.data[0]?.issue_id}`);
  expect(issue.body).toMatchObject({ state: 'resolved', resolution: 'reauthorised', action: null });
  const { body: told } = await eventually(
    () =>
      one.call<{ data: { type: string }[] }>(
        'GET',
        '/webhooks/events?types=channel.degraded,channel.recovered,integration_issue.*',
      ),
    (answer) => answer.body.data.length >= 4,
  );
  expect(told.data.map(({ type }) => type)).toEqual([
    'channel.degraded',
    'integration_issue.opened',
    'channel.recovered',
    'integration_issue.resolved',
  ]);
});

test('a store that does not answer for a day degrades the channel; its next answer repairs it', async () => {
  const { shop, read } = await connected();
  shop.faults.unreachable = true;
  await later(60 * 24);
  await later(60 * 25);
  expect(waitingProblems(await read())).toEqual([]);
  expect(await read()).toMatchObject({
    ...{ status: 'degraded', status_reason: 'unreachable', waiting_on: 'provider' },
    action: { kind: 'wait' },
  });
  // The last answer came two days ago. The hour that is shown stays until it has passed.
  const checks = async (): Promise<number> => {
    const { next_check_at } = { next_check_at: null, ...(await read()) };
    return Date.parse(String(next_check_at)) - services.now();
  };
  const minutes = (await checks()) / 60_000;
  expect(minutes).toSatisfy((left: number) => left > 1 && left <= 60);
  await later(1);
  expect((await checks()) / 60_000).toBe(minutes - 1);
  shop.faults.unreachable = false;
  await later(60 * 25);
  expect(await read()).toMatchObject({ status: 'connected' });
});

test('a missing subscription is made again by the next check', async () => {
  const { shop, read } = await connected();
  shop.deliveries.subscriptions.clear();
  await later(60 * 25);
  expect(shop.deliveries.subscriptions.size).toBe(topicsOf({ order_visibility: false }).length);
  expect(await read()).toMatchObject({ health: { status: 'ok' } });
});

test('tokens that an older key has sealed are sealed again', async () => {
  const { key, seller, shop, ask } = await connected();
  const newer = createSecrets([Buffer.alloc(32, 2), SECRETS_KEY]);
  await prepareChannel({ ...services, secrets: newer }, key, new AbortController().signal);
  const row = await services.withSeller(seller.seller_id, 'read', (db) => channels.find({ db, ...key }, key));
  const sealed = [row?.access_sealed, row?.refresh_sealed].map((one) => one ?? '');
  expect(sealed.map((one) => newer.isStale(one))).toEqual([false, false]);
  const opened = sealed.map((one) => newer.open(one, `channel:${key.channel_id}`));
  expect(shop.tokens.issued).toEqual(expect.arrayContaining(opened));
  // The service of this test does not know the newer key.
  await expect(ask()).rejects.toThrow('the key of the sealed text is not configured');
});

/** Tables whose rows are deleted after their time, with the instant that counts. */
const AGEING = {
  store_order: 'recorded_at',
  channel_delivery: 'received_at',
  channel_digest: 'first_seen_at',
  channel_authorisation: 'expires_at',
};

test('orders of stores, their decisions and digests are deleted after their time', async () => {
  const seller = await stores.seller();
  const { shop } = await connectStore(stores, seller, { order_visibility: true });
  shop.placeOrder();
  await shop.deliveries.idle();
  await decided(seller, 1);
  const left = () =>
    runOn(stores.database.adminUrl, async (client) => {
      const counts = Object.keys(AGEING).map((name) =>
        client.query<{ n: number }>(`select count(*)::int as n from ${name}`),
      );
      return (await Promise.all(counts)).map(({ rows }) => rows[0]?.n);
    });
  /** Days pass for these rows, and the last of them for the service, whose clock stops at each job. */
  const pass = async (days: number) => {
    await runOn(stores.database.adminUrl, async (client) => {
      for (const [table, column] of Object.entries(AGEING))
        await client.query(`update ${table} set ${column} = ${column} - interval '${days - 1} days'`);
    });
    await later(24 * 60);
    return left();
  };
  expect((await left()).slice(0, 3)).toEqual([1, 1, 1]);
  expect(await pass(29)).toEqual([1, 1, 1, 0]);
  expect(await pass(3)).toEqual([1, 1, 0, 0]);
  expect(await pass(60)).toEqual([0, 1, 0, 0]);
  expect(await pass(310)).toEqual([0, 0, 0, 0]);
});

test('a connection that is not completed in ten minutes is given up', async () => {
  const seller = await stores.seller();
  const { body } = await begin(seller, newShop());
  await later(11);
  expect(await readChannel(await seller.renew(), body.channel_id)).toMatchObject({
    ...{ status: 'ended', status_reason: 'abandoned' },
  });
  const { status } = await new Browser(stores).go(body.start_url);
  expect(status).toBe(404);
});

test('a delivery that cannot be decided for a day has failed, with an issue until the store was read again', async () => {
  const { seller, shop, read } = await connected();
  shop.faults.status = 423;
  shop.addLocation('Sydney');
  await shop.deliveries.idle();
  await later(60);
  expect((await read()).health).toMatchObject({
    ...{ status: 'attention', oldest_unprocessed_seconds: 3_600 },
    deliveries_24h: { received: 1 },
  });
  await later(26 * 60);
  expect(await decided(await seller.renew(), 1)).toMatchObject([{ status: 'failed', reason: 'gave_up' }]);
  const issues = async (state: string) =>
    (
      await (
        await seller.renew()
      ).call<{ data: object[] }>('GET', `/channels/issues?kind=not_applied&state=${state}`)
    ).body;
  const { data } = await issues('open');
  expect(data).toMatchObject([{ severity: 'warning', facts: { code: 'gave_up' }, waiting_on: 'seller' }]);
  expect(waitingProblems(data)).toEqual([]);
  shop.faults.status = undefined;
  await later(26 * 60);
  expect((await issues('resolved')).data).toMatchObject([{ resolution: 'read_again' }]);
});
