import { randomInt } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { type Answer, startTestApp } from '../../../../test/support/app.ts';
import { invite, joinTeam, someEmail } from '../../../../test/support/team.ts';

const service = await startTestApp();

interface Body {
  readonly code: string;
  readonly access_token: string;
  readonly seller_id: string;
  readonly member_id: string;
}
const exchange = async (email: string, aal: 'aal1' | 'aal2' = 'aal2') =>
  service.call<Body>('POST', '/api/v1/auth/exchange', {
    json: { marketplace_token: await service.demo.mint({ email, aal }) },
  });
const register = async (email: string) =>
  service.call<Body>('POST', '/api/v1/auth/register', {
    json: {
      business_name: 'Own Shop',
      tax_id: String(randomInt(10 ** 13, 10 ** 14)),
    },
    headers: { authorization: `Bearer ${await service.demo.mint({ email })}` },
  });
const as = (token: string, method: string, path: string) =>
  service.call<Body>(method, `/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
const outcome = ({ status, body }: Answer<{ code?: unknown }>) => [status, body?.code];

describe('a member leaves', () => {
  const leave = (who: { call: typeof service.call }) => who.call<Body>('DELETE', '/sellers/me/membership');

  test.each(['viewer', 'finance', 'admin'])('with the role %s', async (role) => {
    const seller = await service.seller({ plan: 'Small' });
    const kim = await joinTeam(service, seller, [role]);
    expect((await leave(kim)).status).toBe(204);
    expect((await kim.call('GET', '/auth/session')).status).toBe(401);
    expect(outcome(await exchange(kim.email))).toEqual([404, 'seller_not_found']);
    const removed = await seller.call<{ data: Body[] }>('GET', '/sellers/me/members?status=removed');
    expect(removed.body.data.map(({ member_id }) => member_id)).toEqual([kim.member_id]);
    const registered = await register(kim.email);
    expect(registered.status).toBe(201);
    expect((await exchange(kim.email)).body.seller_id).toBe(registered.body.seller_id);
  });

  test('and joins another team, or the same one again', async () => {
    const [seller, other] = [
      await service.seller({ plan: 'Small' }),
      await service.seller({ plan: 'Small' }),
    ];
    const kim = await joinTeam(service, seller, ['viewer']);
    await leave(kim);
    const there = await joinTeam(service, other, ['support'], kim.email);
    expect((await there.call<Body>('GET', '/sellers/me')).body.seller_id).toBe(other.seller_id);
    await leave(there);
    const back = await joinTeam(service, seller, ['support'], kim.email);
    expect(back.member_id).not.toBe(kim.member_id);
  });

  test('but the last owner stays; with a second one the first may go', async () => {
    const seller = await service.seller({ plan: 'Small' });
    await invite(seller, { email: someEmail(), roles: ['owner'] });
    expect(outcome(await leave(seller))).toEqual([409, 'last_owner']);
    const second = await joinTeam(service, seller, ['owner']);
    expect((await leave(seller)).status).toBe(204);
    expect(outcome(await leave(second))).toEqual([409, 'last_owner']);
  });

  test('and of two owners who leave at once one stays', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const second = await joinTeam(service, seller, ['owner']);
    const answers = await Promise.all([leave(seller), leave(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

test('a removed member loses access at once, has no seller, and may register', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const { member_id, email } = await joinTeam(service, seller, ['viewer']);
  const { body } = await exchange(email);
  expect((await seller.call('DELETE', `/sellers/me/members/${member_id}`)).status).toBeLessThan(300);
  expect((await as(body.access_token, 'GET', '/auth/session')).status).toBe(401);
  expect((await exchange(email)).status).toBe(404);
  const registered = await register(email);
  expect(registered.status).toBe(201);
  expect((await exchange(email)).body.seller_id).toBe(registered.body.seller_id);
});

test('a member whose roles change must exchange again, and then has the new ones', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const { member_id, email } = await joinTeam(service, seller, ['viewer']);
  const before = await exchange(email);
  const json = { roles: ['catalogue'] };
  expect((await seller.call('PATCH', `/sellers/me/members/${member_id}`, { json })).status).toBe(200);
  expect((await as(before.body.access_token, 'GET', '/auth/session')).status).toBe(401);
  expect(decodeJwt((await exchange(email)).body.access_token)['roles']).toEqual(['catalogue']);
});

test('a member who is removed during an exchange gets no working token', async () => {
  const seller = await service.seller({ plan: 'Big' });
  for (let round = 0; round < 5; round += 1) {
    const { member_id, email } = await joinTeam(service, seller, ['viewer']);
    const [exchanges] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => exchange(email))),
      seller.call('DELETE', `/sellers/me/members/${member_id}`),
    ]);
    const issued = exchanges.filter(({ status }) => status === 200);
    for (const { body } of issued)
      expect((await as(body.access_token, 'GET', '/auth/session')).status).toBe(401);
    expect(exchanges.every(({ status }) => status === 200 || status === 404)).toBe(true);
  }
});
