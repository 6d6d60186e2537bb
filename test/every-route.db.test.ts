/** What must hold for every route, whoever adds one: tried on all that the API description lists. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ROLE_PERMISSIONS, type Role } from '../src/kernel/permissions.ts';
import { startTestApp, type TestSeller } from './support/app.ts';
import { DESCRIBED_ROUTES, type DescribedRoute, SELLER_ROUTES } from './support/described-routes.ts';
import { png } from './support/images.ts';

const app = await startTestApp();
const owner = await app.seller({ plan: 'Big' });
const stranger = await app.seller({ plan: 'Big' });
const free = await app.seller();

interface Created {
  readonly body: Record<string, string>;
  readonly text: string;
}
const create = async (
  path: string,
  options: Parameters<TestSeller['call']>[2],
): Promise<Record<string, string>> => {
  const { body, text } = (await owner.call('POST', path, options)) as Created;
  if (body === undefined) throw new Error(text);
  return body;
};

/** An object of the owner for each parameter that a path may have; a new parameter needs a line here. */
const product = await create('/products', {
  json: {
    seller_sku: 'OWN-1',
    title: 'Own',
    price_minor: 100,
    identity: { strategy: 'exempt', reason: 'handmade' },
  },
});
const image = await create(`/products/${product['product_id']}/images`, {
  headers: { 'content-type': 'image/png' },
  body: png(600, 600),
});
const run = await create('/products/feed-runs?dry_run=true', {
  headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
  body: 'seller_sku,title,price,identity_strategy,exempt_reason\nOWN-2,Own,1.00,exempt,handmade\n',
});
const member = await create('/sellers/me/members', {
  json: { email: 'colleague@example.com', roles: ['viewer'] },
});
const OWNED: Readonly<Record<string, string>> = {
  product_id: product['product_id'] ?? '',
  image_id: image['image_id'] ?? '',
  run_id: run['run_id'] ?? '',
  member_id: member['member_id'] ?? '',
};
const RANDOM: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(OWNED).map(([name, id]) => [name, `${id.slice(0, 4)}${'0'.repeat(26)}`]),
);

const send = (token: string | undefined, route: DescribedRoute, ids?: Readonly<Record<string, string>>) => {
  const { path, headers, body } = route.request(ids);
  const auth: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return app.call<Record<string, unknown>>(route.method, path, {
    headers: { ...headers, ...auth, ...(headers['idempotency-key'] && { 'idempotency-key': randomUUID() }) },
    ...(body === undefined ? {} : { body }),
  });
};
const withoutRequestId = ({ request_id: _id, ...rest }: Record<string, unknown>) => rest;

test('the description lists routes, and every path parameter has an object here', () => {
  expect(SELLER_ROUTES.length).toBeGreaterThan(30);
  expect(Object.values(OWNED).every((id) => id.length > 20)).toBe(true);
  const unknown = SELLER_ROUTES.flatMap(({ params }) => params).filter((name) => !(name in OWNED));
  expect(unknown).toEqual([]);
});

describe("another seller's objects", () => {
  test.each(SELLER_ROUTES.filter(({ params }) => params.length > 0))(
    '$method $path is 404, exactly as for a random id',
    async (route) => {
      const foreign = await send(stranger.token, route, OWNED);
      const random = await send(stranger.token, route, RANDOM);
      expect(foreign.status, foreign.text).toBe(404);
      expect(random.status).toBe(404);
      expect(withoutRequestId(foreign.body)).toEqual(withoutRequestId(random.body));
    },
  );

  test('nothing of the owner was changed by trying', async () => {
    const after = (await owner.call(`GET`, `/products/${OWNED['product_id']}`)) as Created;
    expect(after.body).toMatchObject({
      title: 'Own',
      status: 'active',
      version: Number(image['version'] ?? 2) || 2,
    });
    expect(
      ((await owner.call('GET', `/products/feed-runs/${OWNED['run_id']}`)) as Created).body,
    ).toMatchObject({ status: 'succeeded' });
    expect(
      ((await owner.call('GET', `/sellers/me/members/${OWNED['member_id']}`)) as Created).body,
    ).toMatchObject({ status: 'invited' });
  });
});

test.each(SELLER_ROUTES)('$method $path without a token is 401', async (route) => {
  const answer = await send(undefined, route, OWNED);
  expect(answer.status).toBe(401);
  expect(answer.body['code']).toBe('token_missing');
  expect(answer.headers.get('www-authenticate')).toContain('Bearer');
});

test.each(SELLER_ROUTES.filter(({ plan }) => plan !== undefined))(
  '$method $path needs its plan before its body is looked at',
  async (route) => {
    const answer = await app.call<Record<string, unknown>>(route.method, route.path, {
      headers: { authorization: `Bearer ${free.token}`, 'content-type': 'application/json' },
      body: '{"nonsense":',
    });
    expect(answer.status).toBe(402);
    expect(Object.keys(answer.body).sort()).toEqual([
      'error',
      'feature_name',
      'message',
      'tier',
      'upgrade_url',
    ]);
    expect(answer.body).toMatchObject({
      error: 'feature_not_available',
      feature_name: route.plan,
      tier: 'Free',
      upgrade_url: '/settings/plan',
    });
  },
);

describe('permissions', () => {
  const roles = (Object.keys(ROLE_PERMISSIONS) as Role[]).filter((role) => role !== 'owner');

  test.each(roles)(
    'a member with the role %s is let in exactly where the role allows',
    { timeout: 60_000 },
    async (role) => {
      const email = `${role}-${randomUUID()}@example.com`;
      await create('/sellers/me/members', { json: { email, roles: [role] } });
      const exchanged = await app.call<{ access_token: string }>('POST', '/api/v1/auth/exchange', {
        json: { marketplace_token: await app.demo.mint({ email, aal: 'aal2' }) },
      });
      const wrong: string[] = [];
      // Ids that name nothing: what is let in ends with 404 or 422 and changes nothing.
      for (const route of SELLER_ROUTES.filter(({ id }) => id !== 'auth.revoke')) {
        const answer = await app.call<Record<string, unknown>>(
          route.method,
          route.path.replaceAll(/\{\w+\}/g, 'none'),
          {
            headers: { authorization: `Bearer ${exchanged.body.access_token}` },
          },
        );
        const refused = answer.status === 403 && answer.body?.['code'] === 'permission_denied';
        const allowed = ROLE_PERMISSIONS[role].some((permission) => permission === route.permission);
        if (refused === allowed) wrong.push(`${route.id}: ${answer.status}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

test('every described route exists, and a method that a path does not have is 405 with Allow', async () => {
  const paths = [...new Set(DESCRIBED_ROUTES.map(({ path }) => path))];
  for (const path of paths) {
    const answer = await app.call('OPTIONS', path.replaceAll(/\{\w+\}/g, 'none'));
    expect(answer.status, path).toBe(405);
    const methods = DESCRIBED_ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    expect((answer.headers.get('allow') ?? '').split(', ').sort(), path).toEqual(
      [...new Set(methods)].sort(),
    );
  }
});
