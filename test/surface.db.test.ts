/** Every described route from outside: who may call it, and what another seller learns. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type AnyRoute, isSellerAccess, type ModuleDef, type SellerAccess } from '../src/kernel/route.ts';
import { routePath } from '../src/kernel/route-path.ts';
import { MODULES } from '../src/modules.ts';
import { isSingleRead } from '../src/platform/http/openapi/headers.ts';
import { account_flags, startTestApp, type TestSeller } from './support/app.ts';
import { areaObjects } from './support/area-requests.ts';
import { eventually } from './support/feeds.ts';
import { getAndHead } from './support/get-and-head.ts';
import { png } from './support/images.ts';
import { orderObjects } from './support/orders.ts';
import { moneyObjects } from './support/settlements.ts';
import { shippingObjects } from './support/shipping.ts';
import { type Joined, joinTeam } from './support/team.ts';
import { UNKNOWN_IDS } from './support/unknown-ids.ts';
import { webhookObjects } from './support/webhooks.ts';

// With a store platform, so that the example of a channel makes one. It is not called.
const service = await startTestApp({ STORE_PLATFORM_CLIENT_ID: 'app', STORE_PLATFORM_SECRETS: 'secret' });

interface Case {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly route: AnyRoute;
  readonly access: SellerAccess;
}
const cases: Case[] = MODULES.flatMap((module) =>
  module.routes.flatMap((route) =>
    isSellerAccess(route.access)
      ? [{ id: route.id, method: route.method, path: routePath(module, route), route, access: route.access }]
      : [],
  ),
);

/** The route that makes an object with this id, if one POST with its example is enough. */
const makers = new Map(
  cases
    .filter(
      ({ method, path, route }) => method === 'POST' && !path.includes('{') && route.body?.kind === 'json',
    )
    .flatMap((one) =>
      Object.entries((one.route.ok[0].example ?? {}) as Readonly<Record<string, unknown>>).flatMap(
        ([name, id]) =>
          name.endsWith('_id') && typeof id === 'string' ? [[name, { one, id }] as const] : [],
      ),
    ),
);

/** Ids of the right form that do not exist. */
const UNKNOWN: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...makers].map(([name, { id }]) => [name, id])),
  ...UNKNOWN_IDS,
};
const filled = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? UNKNOWN[name] ?? 'unknown');

interface Request {
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** A valid request: the declared example as its body. */
function exampleRequest({ route }: Case): Request {
  const key = route.access.idempotency === 'required' ? { 'idempotency-key': crypto.randomUUID() } : {};
  if (route.body === undefined) return { headers: key };
  if (route.body.kind === 'json')
    return {
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify(route.body.example),
    };
  return {
    headers: { ...key, 'content-type': route.body.contentTypes[0] ?? 'text/csv' },
    body: route.body.example ?? '',
  };
}

/** Sends the example of a route with any credential. */
async function send(one: Case, token: string | undefined, ids: Readonly<Record<string, string>> = {}) {
  const { headers, ...body } = exampleRequest(one);
  const credential: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return service.call<{ code: string; request_id: string; error?: string; upgrade_url?: string }>(
    one.method,
    filled(one.path, ids),
    { headers: { ...headers, ...credential }, ...body },
  );
}

const named = cases.map((one) => [`${one.method} ${one.path}`, one] as const);

describe('without a valid token', () => {
  test.each(named)('%s is 401', async (_, one) => {
    const missing = await send(one, undefined);
    expect(missing.status).toBe(401);
    expect(missing.body.code).toBe('token_missing');
    expect(missing.headers.get('www-authenticate')).toMatch(/^Bearer/);
    const foreign = await send(one, await service.demo.mint({ email: 'stranger@example.com', aal: 'aal2' }));
    const refusal = one.access.auth === 'setup' ? [404, 'seller_not_found'] : [401, 'token_invalid'];
    expect([foreign.status, foreign.body.code]).toEqual(refusal);
  });
});

describe('with too few rights', () => {
  let viewer: TestSeller;
  let supporter: Joined;

  beforeAll(async () => {
    viewer = await service.seller({ plan: 'Big', account_flags });
    supporter = await joinTeam(service, viewer, ['support']);
  });

  test('the roles of the token decide on every route, before its body is checked', async () => {
    const session = await supporter.call<{ permissions: string[] }>('GET', '/auth/session');
    const granted = new Set(session.body.permissions);
    expect(granted.size).toBeGreaterThan(0);
    const denied = cases.filter(({ access }) => !granted.has(access.permission));
    expect(denied.length).toBeGreaterThan(10);
    for (const one of denied) {
      const { status, body } = await send(one, supporter.token);
      expect([one.id, status, body.code]).toEqual([one.id, 403, 'permission_denied']);
    }
  });

  test('the plan decides on gated routes, before the body is checked', async () => {
    const free = await service.seller({ plan: 'Free', account_flags });
    const gated = cases.filter(({ access }) => access.plan !== undefined);
    expect(gated.length).toBeGreaterThan(0);
    for (const one of gated) {
      const { status, body } = await service.call<Record<string, unknown>>(one.method, filled(one.path, {}), {
        headers: { authorization: `Bearer ${free.token}`, 'content-type': 'application/json' },
        ...(one.route.body === undefined ? {} : { body: '{"nonsense":' }),
      });
      expect([one.id, status]).toEqual([one.id, 402]);
      expect(Object.keys(body).sort()).toEqual(['error', 'feature_name', 'message', 'tier', 'upgrade_url']);
      expect(body).toMatchObject({
        error: 'feature_not_available',
        feature_name: one.access.plan,
        tier: 'Free',
        upgrade_url: '/settings/plan',
      });
    }
  });
});

describe('another seller’s objects', () => {
  const withIds = cases.filter(({ path }) => path.includes('{'));
  let owner: TestSeller;
  let stranger: TestSeller;
  let owned: Record<string, string>;

  beforeAll(async () => {
    owner = await service.seller({ plan: 'Big', account_flags });
    stranger = await service.seller({ plan: 'Big', account_flags });
    const product = await owner.call<{ product_id: string }>('POST', '/products', {
      json: { seller_sku: 'A-1', status: 'draft' },
    });
    const image = await owner.call<{ image_id: string }>(
      'POST',
      `/products/${product.body.product_id}/images`,
      { json: { url: 'https://example.com/a.png' } },
    );
    const run = await owner.call<{ run_id: string }>('POST', '/products/feed-runs?dry_run=true', {
      headers: { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() },
      body: 'seller_sku,quantity\nA-1,5\n',
    });
    const member = await owner.call<{ member_id: string }>('POST', '/sellers/me/members', {
      json: { email: 'm@example.com', roles: ['viewer'] },
    });
    owned = {
      product_id: product.body.product_id,
      image_id: image.body.image_id,
      run_id: run.body.run_id,
      member_id: member.body.member_id,
      ...(await webhookObjects(owner)),
      ...(await shippingObjects(owner)),
      ...(await orderObjects(service, owner)),
      ...(await moneyObjects(service, owner)),
      ...(await areaObjects(service, owner)),
    };
    // A new module needs no entry here if the example of its route makes the object.
    for (const [name, { one }] of makers) {
      if (owned[name] !== undefined || !withIds.some(({ path }) => path.includes(`{${name}}`))) continue;
      const { body } = await send(one, owner.token);
      const made = (body as Readonly<Record<string, unknown>>)[name];
      if (typeof made === 'string') owned[name] = made;
    }
  });

  test('there are objects to try it with', () => {
    expect(Object.values(owned).every((id) => /^[a-z]{3}_\w+$/.test(id))).toBe(true);
    const names = new Set(
      withIds.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)),
    );
    expect([...names].filter((name) => !(name in UNKNOWN))).toEqual([]);
  });

  test.each(withIds.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s: 404, exactly as for an id that does not exist',
    async (_, one) => {
      const theirs = await send(one, stranger.token, owned);
      const nobodys = await send(one, stranger.token);
      expect(theirs.status).toBe(404);
      expect(nobodys.status).toBe(404);
      // The text names the ids of the request.
      const ids = [...Object.entries(UNKNOWN), ...Object.entries(owned)];
      const plain = (body: object) =>
        ids.reduce(
          (text, [name, id]) => text.replaceAll(id, name),
          JSON.stringify({ ...body, request_id: '' }),
        );
      expect(plain(theirs.body)).toBe(plain(nobodys.body));
    },
  );

  test('a filter by another seller’s id answers as one by an id that does not exist', async () => {
    const { body } = await owner.call<{ data: { buyer?: { buyer_id?: string } }[] }>('GET', '/orders');
    const [buyer_id = ''] = body.data.flatMap(({ buyer }) => buyer?.buyer_id ?? []);
    const theirs: Record<string, string> = { ...owned, buyer_id };
    const read = async (path: string, name: string, id: string) => {
      const { status, text } = await stranger.call('GET', `${path.slice('/api/v1'.length)}?${name}=${id}`);
      const changing = /"request_id":"[^"]*"|"20[\d-]+T[\d:.]+Z"/g;
      return [path, name, status, text.replaceAll(id, name).replaceAll(changing, '')];
    };
    const asked = cases.flatMap(({ method, path, route }) => {
      const query = method === 'GET' ? (route.query as { properties?: object } | undefined) : undefined;
      const names = Object.keys(query?.properties ?? {}).filter((name) => theirs[name] !== undefined);
      return names.map((name) => [filled(path, {}), name, theirs[name] ?? ''] as const);
    });
    expect(asked.length).toBeGreaterThan(30);
    for (const [path, name, id] of asked) {
      const unknown = `${id.slice(0, 4)}${'0'.repeat(id.length - 4)}`;
      expect(await read(path, name, id)).toEqual(await read(path, name, unknown));
    }
  });

  test('an owner reads one object with an entity tag, and gets 304 with it', async () => {
    const missing: string[] = [];
    for (const { path } of cases.filter(({ route }) => isSingleRead(route))) {
      const read = (tag: string) =>
        service.call('GET', filled(path, owned), {
          headers: { authorization: `Bearer ${owner.token}`, 'if-none-match': tag },
        });
      // Some objects change by themselves, for example a delivery in flight; then the next read has the new tag.
      const twice = async () => (await read((await read('""')).headers.get('etag') ?? '')).status;
      const status = await eventually(twice, (seen) => seen !== 200);
      if (status === 404) missing.push(path);
      else expect([path, status]).toEqual([path, 304]);
    }
    // No object of these exists here; their own tests read them with a tag.
    const isSent =
      /\/(?:channels\/(?:deliveries|issues|orders)|quality\/contests|sourcing\/(?:quotes|suppliers)|wholesale\/items)\//;
    expect(
      missing
        .filter((path) => !isSent.test(path))
        .map((path) => path.split('/').at(-2))
        .sort(),
    ).toEqual(['event-types', 'manifests', 'rules', 'steps', 'tracking', 'versions']);
  });

  test.each(
    withIds
      .filter(({ path }) => /\/(feed-runs|products|members)\/\{\w+\}/.test(path))
      .map((one) => [`${one.method} ${one.path}`, one] as const),
  )('%s cannot be reached by naming the other seller', async (_, one) => {
    const query = `?seller_id=slr_other`;
    const { status } = await service.call(one.method, `${filled(one.path, owned)}${query}`, {
      headers: { ...exampleRequest(one).headers, authorization: `Bearer ${stranger.token}` },
      ...(one.route.body === undefined ? {} : { body: exampleRequest(one).body ?? '' }),
    });
    expect([404, 422]).toContain(status);
  });
});

describe('areas that are not available', () => {
  const absent = MODULES.filter(({ availability }) => availability !== 'available');

  test.each(absent.map((module): [string, ModuleDef] => [module.name, module]))(
    '%s says so on every path to a signed-in caller',
    async (_, module) => {
      const seller = await service.seller();
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const path = `${module.base}${method === 'GET' ? '' : '/a/b/c'}`;
        const { status, body } = await seller.call<{ detail: string }>(method, path);
        expect({ status, ...body }).toMatchObject({
          ...{ status: 404, code: 'module_unavailable' },
          module: module.name,
          availability: module.availability,
        });
        expect(body.detail).toBe(module.reason);
        const asked = module.publicPaths?.includes(path.slice(module.base.length)) === true ? 404 : 401;
        expect((await service.call('GET', `/api/v1${path}`)).status).toBe(asked);
      }
    },
  );
});

describe('HEAD', () => {
  const gets = MODULES.flatMap((module) =>
    module.routes
      // A verification is once an hour.
      .filter(({ id, method }) => method === 'GET' && id !== 'audit.verification.get')
      .map((route) => [routePath(module, route), route] as const),
  );
  /** Headers that may differ between two answers to one request, or that only an answer with a body has. */
  const PASSING = ['date', 'x-request-id', 'transfer-encoding', 'connection', 'keep-alive'];
  const headersOf = (headers: Headers): Record<string, string> =>
    Object.fromEntries([...headers].filter(([name]) => !PASSING.includes(name)));
  let seller: TestSeller;
  let ids: Record<string, string>;

  beforeAll(async () => {
    seller = await service.seller({ plan: 'Big', account_flags });
    const product = await seller.call<{ product_id: string }>('POST', '/products', {
      json: { seller_sku: 'H-1', status: 'draft' },
    });
    const image = await seller.call<{ image_id: string }>(
      'POST',
      `/products/${product.body.product_id}/images`,
      { body: png(), headers: { 'content-type': 'image/png' } },
    );
    const run = await seller.call<{ run_id: string }>('POST', '/products/feed-runs', {
      headers: { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() },
      body: 'seller_sku,quantity\nH-1,5\n',
    });
    ids = {
      product_id: product.body.product_id,
      image_id: image.body.image_id,
      run_id: run.body.run_id,
      name: 'redoc.standalone.js',
      ...(await webhookObjects(seller)),
      ...(await shippingObjects(seller)),
      ...(await orderObjects(service, seller)),
      ...(await moneyObjects(service, seller)),
      ...(await areaObjects(service, seller)),
    };
  });

  test.each(gets)('%s answers as to GET, without a body', async (path, route) => {
    const headers: Record<string, string> = isSellerAccess(route.access)
      ? { authorization: `Bearer ${seller.token}` }
      : {};
    const [get, head] = await getAndHead((method) => service.call(method, filled(path, ids), { headers }));
    expect([head.status, head.text]).toEqual([get.status, '']);
    const expected = headersOf(get.headers);
    // A streamed file has no known length.
    if (!head.headers.has('content-length')) delete expected['content-length'];
    expect(headersOf(head.headers)).toEqual(expected);
    if (isSellerAccess(route.access))
      expect((await service.call('HEAD', filled(path, ids))).status).toBe(401);
  });

  test('of an export releases its connection', async () => {
    // More than there are connections for long work.
    for (let asked = 0; asked < 20; asked += 1)
      expect((await seller.call('HEAD', '/products/export')).status).toBe(200);
    expect((await seller.call('GET', '/products/export')).text).toContain('H-1');
  });
});

describe('no route offers', () => {
  test('an unknown path is 404 route_not_found, another method 405 with Allow', async () => {
    const unknown = await service.call<{ code: string }>('GET', '/api/v1/nothing-here');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'route_not_found']);
    const wrong = await service.call<{ code: string }>('DELETE', '/api/v1/products');
    expect([wrong.status, wrong.body.code, wrong.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, POST, PUT',
    ]);
  });

  test('no route has a tax summary, and none is planned', async () => {
    const seller = await service.seller();
    for (const method of ['GET', 'POST']) {
      const known = await seller.call<{ code: string }>(method, '/financials/taxes/summary');
      const stranger = await service.call<{ code: string }>(method, '/api/v1/financials/taxes/summary');
      for (const { status, body } of [known, stranger])
        expect([status, body.code]).toEqual([404, 'route_not_found']);
    }
  });

  test('public routes of a planned area need no service token', async () => {
    const { status, body } = await service.call<{ code: string }>('POST', '/api/v1/webhooks/stripe');
    expect([status, body.code]).toEqual([404, 'module_unavailable']);
    expect((await service.call('GET', '/api/v1/webhooks/events')).status).toBe(401);
  });

  test('there is no app registration, no OAuth scope and no API key', () => {
    const text = JSON.stringify(
      MODULES.flatMap((module) => module.routes.map((route) => [routePath(module, route), route.access])),
    );
    // A store is connected by the flow of its platform, in which the service is the app.
    const own = text.replaceAll(/\/channels\/oauth\/\w+\//g, '');
    expect(own).not.toMatch(/oauth|api-?key|"scope"|\/apps?\b/i);
  });
});
