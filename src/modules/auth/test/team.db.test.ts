import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { demoUser } from '../../../../demo/index.ts';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';

const service = await startTestApp();

interface Body {
  readonly code: string;
  readonly access_token: string;
  readonly seller_id: string;
  readonly member_id: string;
  readonly roles: readonly string[];
}
const someone = (): string => `${randomUUID()}@example.com`;
const exchange = async (email: string, aal: 'aal1' | 'aal2' = 'aal2') =>
  service.call<Body>('POST', '/api/v1/auth/exchange', {
    json: { marketplace_token: await service.demo.mint({ email, aal }) },
  });
const register = async (email: string) =>
  service.call<Body>('POST', '/api/v1/auth/register', {
    json: { business_name: 'Own Shop', tax_id: String(Date.now()) },
    headers: { authorization: `Bearer ${await service.demo.mint({ email })}` },
  });
const invite = async (seller: TestSeller, json: object): Promise<string> => {
  const { status, body, text } = await seller.call<Body>('POST', '/sellers/me/members', { json });
  if (status !== 201) throw new Error(text);
  return body.member_id;
};
const as = (token: string, method: string, path: string) =>
  service.call<Body>(method, `/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });

test('somebody invited by e-mail joins by the first exchange, with the roles of the invitation', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someone();
  await invite(seller, { email: email.toUpperCase(), roles: ['finance'] });
  expect((await exchange(email, 'aal1')).status).toBe(403);
  const { status, body } = await exchange(email);
  expect([status, body.seller_id]).toEqual([200, seller.seller_id]);
  expect(decodeJwt(body.access_token)['roles']).toEqual(['finance']);
  expect((await as(body.access_token, 'GET', '/auth/session')).status).toBe(200);
  const refused = await as(body.access_token, 'POST', '/products');
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
});

test('a person invited by identity joins, and no other by that invitation', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const [invited, other] = [someone(), someone()];
  await invite(seller, { sub: demoUser(invited)?.id.toUpperCase(), roles: ['viewer'] });
  expect((await exchange(other)).status).toBe(404);
  expect((await exchange(invited)).body.seller_id).toBe(seller.seller_id);
});

test('an invitation that names another identity is not accepted by its e-mail address', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someone();
  await invite(seller, { sub: demoUser(someone())?.id, email, roles: ['admin'] });
  expect((await exchange(email)).status).toBe(404);
});

test('who has a seller of its own stays there, invited or not', async () => {
  const [seller, own] = [await service.seller({ plan: 'Small' }), await service.seller()];
  await invite(seller, { email: own.email, roles: ['viewer'] });
  expect((await exchange(own.email)).body.seller_id).toBe(own.seller_id);
});

test('eight first exchanges at once make one member', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someone();
  const memberId = await invite(seller, { email, roles: ['support'] });
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(email)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(answers.map(({ body }) => decodeJwt(body.access_token).sub))).toEqual(new Set([memberId]));
});

test('a removed member is out at once, has no seller, and may register', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someone();
  const memberId = await invite(seller, { email, roles: ['viewer'] });
  const { body } = await exchange(email);
  expect((await seller.call('DELETE', `/sellers/me/members/${memberId}`)).status).toBeLessThan(300);
  expect((await as(body.access_token, 'GET', '/auth/session')).status).toBe(401);
  expect((await exchange(email)).status).toBe(404);
  const registered = await register(email);
  expect(registered.status).toBe(201);
  expect((await exchange(email)).body.seller_id).toBe(registered.body.seller_id);
});

test('a removed member who is invited again comes back', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someone();
  const first = await invite(seller, { email, roles: ['viewer'] });
  await exchange(email);
  await seller.call('DELETE', `/sellers/me/members/${first}`);
  const second = await invite(seller, { email, roles: ['support'] });
  const { status, body } = await exchange(email);
  expect(status).toBe(200);
  expect(decodeJwt(body.access_token)).toMatchObject({ sub: second, roles: ['support'] });
});

test('a member whose roles change must exchange again, and then has the new ones', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someone();
  const memberId = await invite(seller, { email, roles: ['viewer'] });
  const before = await exchange(email);
  expect(
    (await seller.call('PATCH', `/sellers/me/members/${memberId}`, { json: { roles: ['catalogue'] } }))
      .status,
  ).toBe(200);
  expect((await as(before.body.access_token, 'GET', '/auth/session')).status).toBe(401);
  expect(decodeJwt((await exchange(email)).body.access_token)['roles']).toEqual(['catalogue']);
});

test('removed while exchanging, a member never keeps a working token', async () => {
  const seller = await service.seller({ plan: 'Big' });
  for (let round = 0; round < 5; round += 1) {
    const email = someone();
    const memberId = await invite(seller, { email, roles: ['viewer'] });
    await exchange(email);
    const [exchanges] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => exchange(email))),
      seller.call('DELETE', `/sellers/me/members/${memberId}`),
    ]);
    const issued = exchanges.filter(({ status }) => status === 200);
    for (const { body } of issued)
      expect((await as(body.access_token, 'GET', '/auth/session')).status).toBe(401);
    expect(exchanges.every(({ status }) => status === 200 || status === 404)).toBe(true);
  }
});
