/** What happens to a connection while the store is being asked: an end, a new authorisation, another seller. */
import { describe, expect, test } from 'vitest';
import { signQuery } from '../../../../demo/store-platform/sign.ts';
import type { TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { decided, logOf, ordersOf } from '../../../../test/support/store-deliveries.ts';
import {
  Browser,
  begin,
  connectStore,
  newShop,
  readChannel,
  SECRET,
  type Started,
  startStores,
} from '../../../../test/support/store-platform.ts';
import { waitingProblems } from '../../../kernel/waiting.ts';
import { askStore, changeChannel } from '../actions/ask-store.ts';
import { end } from '../actions/change-status.ts';
import { accessToken, NoToken, readChannel as rowOf } from '../actions/tokens.ts';
import { SHOP_FACTS } from '../adapters/questions.ts';

const stores = await startStores({
  CLOCK: 'manual',
  CLOCK_START: '2026-07-01T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = stores.app;
const HOUR = 60;
const DAY = 24 * HOUR;
const later = (minutes: number) =>
  callInternal(stores, 'POST', '/internal/v1/clock', {
    body: { now: new Date(services.now() + minutes * 60_000).toISOString() },
  });
const TOKENS = '/admin/oauth/access_token';
const ADMIN = '/admin/api/2026-10/graphql.json';

async function connected(more: { readonly shop?: string; readonly order_visibility?: boolean } = {}) {
  const seller = await stores.seller();
  const { shop, channel_id, domain } = await connectStore(stores, seller, more);
  const key = { seller_id: seller.seller_id, channel_id };
  const row = async () => {
    const found = await rowOf(services, key);
    if (found === undefined) throw new Error('no channel');
    return found;
  };
  const ask = async () => askStore<{ shop: { name: string } }>(services, key, await row(), SHOP_FACTS);
  const read = async () => readChannel(await seller.renew(), channel_id);
  /** The owner authorises again, from the start to the answer of the callback. */
  const reauthorise = async () => {
    const path = `/channels/${channel_id}/reauthorise`;
    const { body } = await (await seller.renew()).call<Started>('POST', path, { json: {} });
    return new Browser(stores).install(body.start_url);
  };
  const end = async (uninstall = true) =>
    (await seller.renew()).call('POST', `/channels/${channel_id}/disconnect`, { json: { uninstall } });
  return { seller, shop, channel_id, domain, key, row, ask, read, reauthorise, disconnect: end };
}
type Connected = Awaited<ReturnType<typeof connected>>;

/** Does something once, while the store has answered a request that the service still waits for. */
function meanwhile({ shop }: Pick<Connected, 'shop'>, path: string, work: () => Promise<unknown>, nth = 1) {
  let count = 0;
  shop.faults.meanwhile = async (asked) => {
    if (asked !== path) return;
    count += 1;
    if (count !== nth) return;
    shop.faults.meanwhile = undefined;
    await work();
  };
}
const typesOf = async (seller: TestSeller, types: string) =>
  (
    await (await seller.renew()).call<{ data: { type: string }[] }>('GET', `/webhooks/events?types=${types}`)
  ).body.data.map(({ type }) => type);
const openToken = (sealed: string | null, channel_id: string): string =>
  services.secrets.open(sealed ?? '', `channel:${channel_id}`);

describe('while the tokens are refreshed', () => {
  test('the channel ends: no token is stored', async () => {
    const one = await connected();
    await later(58);
    meanwhile(one, TOKENS, () => changeChannel(services, one.key, (ctx, row) => end(ctx, row, 'revoked')));
    await expect(accessToken(services, one.key)).rejects.toThrow(NoToken);
    expect(await one.row()).toMatchObject({
      ...{ status: 'ended', access_sealed: null, refresh_sealed: null, refresh_previous_sealed: null },
    });
  });

  test('the owner authorises again: the tokens of the authorisation count', async () => {
    const one = await connected();
    await later(58);
    let callback: Promise<{ status: number }> | undefined;
    meanwhile(one, TOKENS, async () => {
      callback = one.reauthorise();
    });
    await accessToken(services, one.key);
    expect((await callback)?.status).toBe(200);
    const { access_sealed } = await one.row();
    expect(one.shop.tokens.issued.at(-2)).toBe(openToken(access_sealed, one.channel_id));
    await one.ask();
    expect(await one.read()).toMatchObject({ status: 'connected' });
  });
});

describe('a refusal of an older token', () => {
  test.each([401, 403])('with status %i does not degrade the new connection', async (status) => {
    const one = await connected();
    one.shop.faults.status = status;
    // 401: the first token is refreshed, and the second one is refused.
    meanwhile(
      one,
      ADMIN,
      async () => {
        one.shop.faults.status = undefined;
        expect((await one.reauthorise()).status).toBe(200);
      },
      status === 401 ? 2 : 1,
    );
    await expect(one.ask()).rejects.toThrow(`status ${status}`);
    expect(await one.read()).toMatchObject({ status: 'connected', status_reason: null });
    expect(await typesOf(one.seller, 'channel.degraded,integration_issue.*')).toEqual([]);
  });

  test('is no proof that the app was removed', async () => {
    const one = await connected();
    one.shop.faults.status = 401;
    meanwhile(
      one,
      ADMIN,
      async () => {
        one.shop.faults.status = undefined;
        expect((await one.reauthorise()).status).toBe(200);
      },
      2,
    );
    const { id, domain, deliveries } = one.shop;
    deliveries.publish('app/uninstalled', { id, myshopify_domain: domain });
    await deliveries.idle();
    await eventually(
      () => logOf(one.seller),
      ({ length }) => length === 1,
    );
    await later(1);
    expect(await decided(one.seller, 1)).toMatchObject([{ status: 'no_effect', reason: 'token_works' }]);
    expect(await one.read()).toMatchObject({ status: 'connected' });
  });
});

describe('a degraded channel works again by itself', () => {
  test('when the store takes the token again', async () => {
    const one = await connected();
    one.shop.faults.status = 401;
    await later(DAY + HOUR);
    expect(await one.read()).toMatchObject({ status: 'degraded', status_reason: 'token_rejected' });
    one.shop.faults.status = undefined;
    await later(DAY + HOUR);
    expect(await one.read()).toMatchObject({ status: 'connected', waiting_on: 'nobody' });
    const { body } = await (await one.seller.renew()).call<{ data: object[] }>(
      'GET',
      '/channels/issues?state=resolved',
    );
    expect(body.data).toMatchObject([{ kind: 'reauthorise_required', resolution: 'recovered' }]);
  });

  test.each(['read_products,read_inventory', 'read_products,read_locations'])(
    'when the store grants all scopes again, after it granted %s',
    async (scopes) => {
      const one = await connected();
      one.shop.tokens.regrant(scopes);
      await later(DAY + HOUR);
      expect(await one.read()).toMatchObject({ status: 'degraded', status_reason: 'scopes_missing' });
      one.shop.tokens.regrant('read_products,read_inventory,read_locations');
      await later(DAY + HOUR);
      expect(await one.read()).toMatchObject({ status: 'connected', health: { status: 'ok' } });
    },
  );
});

describe('while the app is removed from the store', () => {
  test('no seller connects the store; afterwards it is connected again, and stays so', async () => {
    const one = await connected();
    one.shop.faults.unreachable = true;
    const ended = await one.disconnect();
    const until = new Date(services.now() + DAY * 60_000).toISOString();
    expect(ended.body).toMatchObject({
      ...{ status: 'ended', waiting_on: 'provider', next_check_at: until },
      removal: { wanted: 'uninstall', status: 'pending', until, error: null },
      health: { token_expires_at: null },
    });
    expect(waitingProblems(ended.body)).toEqual([]);
    const seller = await one.seller.renew();
    for (const again of [
      await begin(seller, one.domain),
      await seller.call('POST', `/channels/${one.channel_id}/reauthorise`, { json: {} }),
    ]) {
      expect([again.status, again.headers.get('retry-after')]).toEqual([409, '5']);
      expect(again.body).toMatchObject({ code: 'channel_leaving', leaving_until: until });
    }
    const elsewhere = await begin(await stores.seller(), one.domain);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'shop_connected_elsewhere']);

    one.shop.faults.unreachable = false;
    await later(DAY);
    expect(one.shop.tokens.scope).toBeUndefined();
    expect(await one.read()).toMatchObject({ removal: { status: 'done', error: null }, action: null });
    expect(await one.row()).toMatchObject({ access_sealed: null, refresh_sealed: null });
    const back = await connectStore(stores, await one.seller.renew(), { shop: one.domain });
    expect(back.channel).toMatchObject({ channel_id: one.channel_id, removal: null });
    await later(DAY + HOUR);
    await one.ask();
    expect(await one.read()).toMatchObject({ status: 'connected' });
  });

  test('its tokens serve nothing else, and a new authorisation waits for its end', async () => {
    const one = await connected();
    let refused: Awaited<ReturnType<typeof begin>> | undefined;
    meanwhile(one, ADMIN, async () => {
      await expect(accessToken(services, one.key)).rejects.toThrow('ended');
      refused = await begin(await one.seller.renew(), one.domain);
    });
    await one.disconnect(false);
    await eventually(one.read, ({ removal }) => removal?.status === 'done');
    expect(refused?.body.code).toBe('channel_leaving');
    expect(one.shop.deliveries.subscriptions.size).toBe(0);
    expect(one.shop.tokens.scope).toBeDefined();
  });

  test('the store refuses it for 24 hours: the channel says so, and the store is free', async () => {
    const one = await connected();
    one.shop.faults.keepsApp = 'The app is required by a contract.';
    await one.disconnect();
    await later(HOUR);
    expect(await one.read()).toMatchObject({ removal: { status: 'pending' } });
    await later(2 * DAY);
    expect(await one.read()).toMatchObject({
      removal: { status: 'failed', error: 'The app is required by a contract.' },
      waiting_on: 'nobody',
    });
    expect(await one.row()).toMatchObject({ access_sealed: null });
    await connectStore(stores, await stores.seller(), { shop: one.domain });
  });

  test('the access token expires: it is refreshed', async () => {
    const one = await connected();
    one.shop.faults.unreachable = true;
    await one.disconnect();
    await later(HOUR);
    one.shop.faults.unreachable = false;
    await later(DAY);
    expect(await one.read()).toMatchObject({ removal: { status: 'done' } });
    expect(one.shop.tokens.refreshes.made).toBe(1);
    expect(one.shop.tokens.scope).toBeUndefined();
  });

  test('because the seller disconnected during the exchange, too', async () => {
    const seller = await stores.seller();
    const domain = newShop();
    const { body } = await begin(seller, domain);
    const shop = stores.platform.shop(domain);
    meanwhile({ shop }, TOKENS, () =>
      seller.call('POST', `/channels/${body.channel_id}/disconnect`, { json: {} }),
    );
    const answer = await new Browser(stores).install(body.start_url);
    expect(answer.text).toContain('state_unknown');
    const left = await eventually(
      () => readChannel(seller, body.channel_id),
      ({ removal }) => removal?.status === 'done',
    );
    expect(left).toMatchObject({ status: 'ended', status_reason: 'disconnected' });
    expect(shop.tokens.scope).toBeUndefined();
  });
});

describe('the callback', () => {
  /** The answer to a callback that is signed with an instant, after some minutes. */
  async function callback(seconds: number, minutes = 0) {
    const seller = await stores.seller();
    const { body } = await begin(seller, newShop());
    const browser = new Browser(stores);
    const { origin, pathname, searchParams } = new URL(
      await browser.decide(await browser.toConsent(body.start_url)),
    );
    await later(minutes);
    const { hmac: _, ...given } = Object.fromEntries(searchParams);
    const timestamp = String(services.now() / 1_000 + seconds);
    const { status, text } = await browser.go(
      `${origin}${pathname}?${signQuery(SECRET, { ...given, timestamp })}`,
    );
    const code = /<code>(\w+)<\/code>/.exec(text)?.[1];
    const channel = await readChannel(await seller.renew(), body.channel_id);
    return [status, code, channel.status];
  }

  test.each([
    [-91, [400, 'expired', 'authorising']],
    [-90, [200, undefined, 'connected']],
    [90, [200, undefined, 'connected']],
    [91, [400, 'expired', 'authorising']],
  ] as const)('with the instant %i seconds from the clock of the service', async (seconds, end) => {
    expect(await callback(seconds)).toEqual(end);
  });

  test('with a state that is 10 minutes old is refused, and the channel has ended', async () => {
    expect(await callback(0, 9)).toEqual([200, undefined, 'connected']);
    expect(await callback(0, 10)).toEqual([400, 'state_unknown', 'ended']);
  });
});

describe('two sellers with one store', () => {
  test('who come back from it at once: one connects it, with tokens that work', async () => {
    const domain = newShop();
    const both = [await stores.seller(), await stores.seller()];
    const callbacks = await Promise.all(
      both.map(async (seller) => {
        const { body } = await begin(seller, domain);
        const browser = new Browser(stores);
        const url = await browser.decide(await browser.toConsent(body.start_url));
        return { seller, channel_id: body.channel_id, go: () => browser.go(url) };
      }),
    );
    const answers = await Promise.all(callbacks.map(({ go }) => go()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.text).toContain('shop_connected_elsewhere');
    const late = callbacks.find((_, index) => answers[index]?.status === 400);
    if (late === undefined) throw new Error('both are connected');
    expect(await readChannel(late.seller, late.channel_id)).toMatchObject({
      ...{ status: 'ended', status_reason: 'abandoned' },
    });
    // The code of the other one was never exchanged, which would have ended these tokens.
    expect(stores.platform.shop(domain).tokens.issued).toHaveLength(2);
    const winner = callbacks.find((_, index) => answers[index]?.status === 200);
    const key = { seller_id: winner?.seller.seller_id ?? '', channel_id: winner?.channel_id ?? '' };
    const row = await rowOf(services, key);
    if (row === undefined) throw new Error('no channel');
    await askStore(services, key, row, SHOP_FACTS);
  });

  test('the first one cannot authorise its ended channel again', async () => {
    const one = await connected();
    await one.disconnect();
    await eventually(one.read, ({ removal }) => removal?.status === 'done');
    await connectStore(stores, await stores.seller(), { shop: one.domain });
    const seller = await one.seller.renew();
    const again = await seller.call<{ code: string }>('POST', `/channels/${one.channel_id}/reauthorise`, {
      json: {},
    });
    expect([again.status, again.body.code]).toEqual([409, 'shop_connected_elsewhere']);
  });

  test('topics of privacy law reach every channel that ever had it', async () => {
    const one = await connected({ order_visibility: true });
    const first = one.shop.placeOrder();
    await one.shop.deliveries.idle();
    await decided(one.seller, 1);
    await one.disconnect();
    await eventually(one.read, ({ removal }) => removal?.status === 'done');
    const two = await connected({ order_visibility: true, shop: one.domain });
    const second = two.shop.placeOrder();
    await two.shop.deliveries.idle();
    await decided(two.seller, 1);
    // A seller that only began to connect it never had anything of it.
    const stranger = await stores.seller();

    one.shop.comply('customers/redact', { orders_to_redact: [first.id] });
    one.shop.comply('shop/redact');
    await one.shop.deliveries.idle();
    const privacyOf = ({ seller }: Connected) =>
      eventually(
        async () =>
          (await decided(await seller.renew(), 1)).filter(({ object_key: key }) => key === 'privacy'),
        ({ length }) => length === 2,
      );
    expect((await privacyOf(one)).map(({ status }) => status)).toEqual(['recorded', 'recorded']);
    expect(await ordersOf(await one.seller.renew())).toEqual([]);
    expect(await one.read()).toMatchObject({ status_reason: 'erased', shop: { name: null } });
    const ofTwo = await privacyOf(two);
    expect(ofTwo.find(({ topic }) => topic === 'shop/redact')).toMatchObject({
      ...{ status: 'no_effect', reason: 'channel_not_ended' },
    });
    expect(ofTwo.find(({ topic }) => topic === 'customers/redact')).toMatchObject({ status: 'recorded' });
    const left = await ordersOf(await two.seller.renew());
    expect(left.map(({ external_order_id: id }) => id)).toEqual([String(second.id)]);
    expect(await logOf(stranger)).toEqual([]);
  });
});
