/** The permission matrix and the methods of every described path. For other sellers see surface.db.test.ts. */
import { describe, expect, test } from 'vitest';
import { ROLE_PERMISSIONS, type Role } from '../src/kernel/permissions.ts';
import { account_flags, startTestApp } from './support/app.ts';
import { DESCRIBED_ROUTES, SELLER_ROUTES } from './support/described-routes.ts';
import { joinTeam } from './support/team.ts';

const app = await startTestApp();
const owner = await app.seller({ plan: 'Big', account_flags });

/** These end the session with which the test calls the others. */
const ENDS_SESSION = new Set(['auth.session.revoke', 'sellers.membership.delete']);

describe('permissions', () => {
  const roles = (Object.keys(ROLE_PERMISSIONS) as Role[]).filter((role) => role !== 'owner');

  test.each(roles)('a member with the role %s may call exactly the routes of that role', async (role) => {
    const member = await joinTeam(app, owner, [role]);
    const wrong: string[] = [];
    // The ids do not exist, so a permitted request gets 404 or 422 and changes nothing.
    for (const route of SELLER_ROUTES.filter(({ id }) => !ENDS_SESSION.has(id))) {
      const path = route.path.slice('/api/v1'.length).replaceAll(/\{\w+\}/g, 'none');
      const answer = await member.call<Record<string, unknown>>(route.method, path);
      const refused = answer.status === 403 && answer.body?.['code'] === 'permission_denied';
      const allowed = ROLE_PERMISSIONS[role].some((permission) => permission === route.permission);
      if (refused === allowed) wrong.push(`${route.id}: ${answer.status}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('every described route exists, and a method that a path does not have is 405 with Allow', async () => {
  const paths = [...new Set(DESCRIBED_ROUTES.map(({ path }) => path))];
  for (const path of paths) {
    const answer = await app.call('OPTIONS', path.replaceAll(/\{\w+\}/g, 'none'));
    expect(answer.status, path).toBe(405);
    const methods = DESCRIBED_ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    expect((answer.headers.get('allow') ?? '').split(', ').sort(), path).toEqual(
      [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].sort(),
    );
  }
});

test('a method that a path does not have is 405, though a path with a parameter has it', async () => {
  const wrong: string[] = [];
  for (const path of new Set(DESCRIBED_ROUTES.map((route) => route.path))) {
    if (path.includes('{')) continue;
    const own = DESCRIBED_ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      if (own.includes(method)) continue;
      const { status } = await app.call(method, path);
      if (status !== 405) wrong.push(`${method} ${path}: ${status}`);
    }
  }
  expect(wrong).toEqual([]);
});

describe('with the fewest connections that the service can run on', async () => {
  const narrow = await startTestApp({ DB_POOL_SIZE: '2' });
  const sellers = [await narrow.seller({ plan: 'Big' }), await narrow.seller()];

  test.each(SELLER_ROUTES.filter(({ method, path }) => method === 'GET' && !path.includes('{')))(
    '$id does not hold one while it waits for another',
    async ({ path }) => {
      const call = (seller: (typeof sellers)[number]) =>
        narrow.call('GET', path, { headers: { authorization: `Bearer ${seller.token}` } });
      const answers = await Promise.all([...sellers, ...sellers, ...sellers, ...sellers].map(call));
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    },
  );
});
