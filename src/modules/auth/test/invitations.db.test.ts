import { randomInt, randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { demoUser } from '../../../../demo/index.ts';
import { type Answer, startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  accept,
  type Claims,
  invitationToken,
  invite,
  joinTeam,
  someEmail,
} from '../../../../test/support/team.ts';

const logged: string[] = [];
const service = await startTestApp({ LOG_LEVEL: 'debug' }, { write: (line) => logged.push(line) });
const late = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T00:00:00Z' });
const WEEK_MS = 7 * 24 * 3_600_000;

interface Body {
  readonly code: string;
  readonly access_token: string;
  readonly seller_id: string;
  readonly member_id: string;
  readonly roles: readonly string[];
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
const tokenOf = (memberId: string) => invitationToken(service, memberId);
const outcome = ({ status, body }: Answer<{ code?: unknown }>) => [status, body?.code];
const standing = (sellerId: string, data: object) =>
  service.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.seller.standing_changed',
    subject: sellerId,
    sellerid: sellerId,
    time: new Date(service.app.services.now()).toISOString(),
    data,
  });

test('a person invited by e-mail joins by accepting, with the invited roles, whatever the case', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someEmail();
  const member_id = await invite(seller, { email: email.toUpperCase(), roles: ['finance'] });
  const token = await tokenOf(member_id);
  expect(await exchange(email)).toMatchObject({ status: 404, body: { code: 'seller_not_found' } });
  const accepted = await accept(service, token, email);
  expect([accepted.status, accepted.body]).toEqual([
    201,
    { seller_id: seller.seller_id, business_name: 'Test Goods', member_id, roles: ['finance'] },
  ]);
  expect(accepted.headers.get('cache-control')).toBe('no-store');
  expect(accepted.headers.get('location')).toBe(`/api/v1/sellers/me/members/${member_id}`);
  expect((await exchange(email, 'aal1')).status).toBe(403);
  const { status, body } = await exchange(email);
  expect([status, body.seller_id]).toEqual([200, seller.seller_id]);
  expect(decodeJwt(body.access_token)).toMatchObject({ sub: member_id, roles: ['finance'] });
  const refused = await as(body.access_token, 'POST', '/products');
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
});

test('an invitation binds no identity that has not accepted: an invited person registers a seller of its own', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someEmail();
  const member_id = await invite(seller, { email, roles: ['owner'] });
  expect(outcome(await exchange(email))).toEqual([404, 'seller_not_found']);
  const registered = await register(email);
  expect(registered.status).toBe(201);
  expect((await exchange(email)).body.seller_id).toBe(registered.body.seller_id);
  const refused = await accept(service, await tokenOf(member_id), email);
  expect(outcome(refused)).toEqual([409, 'already_registered']);
  expect(refused.text).toContain('leave that team first');
});

test('only the marketplace reads the token, in its outbox; no answer to the seller and no log has it', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someEmail();
  const key = { 'idempotency-key': randomUUID() };
  const post = () =>
    seller.call<Body>('POST', '/sellers/me/members', { json: { email, roles: ['viewer'] }, headers: key });
  const { body } = await post();
  const read = async () => {
    const { body: page } = await callInternal(service, 'GET', '/internal/v1/outbox?limit=1000');
    const events = page?.['data'] as {
      type: string;
      object_id: string;
      data: { object: Record<string, unknown> };
    }[];
    return events.find(
      ({ type, object_id }) => type === 'seller.member_invited' && object_id === body.member_id,
    );
  };
  const event = await eventually(read, (found) => found !== undefined);
  const object = event?.data.object ?? {};
  const token = String(object['token']);
  expect(object).toEqual({
    member_id: body.member_id,
    seller_id: seller.seller_id,
    business_name: 'Test Goods',
    subject: null,
    email,
    roles: ['viewer'],
    invited_by: decodeJwt(seller.token).sub,
    token: expect.stringMatching(/^[\w-]{43}$/),
    expires_at: expect.stringMatching(/Z$/),
  });
  const seen = await Promise.all([
    post(),
    seller.call('GET', '/sellers/me/members'),
    seller.call('GET', `/sellers/me/members/${body.member_id}`),
    seller.call('GET', '/webhooks/events'),
    seller.call('GET', '/notifications'),
  ]);
  expect(seen.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200]);
  for (const { text } of seen) expect(text).not.toContain(token);
  // Every way in which a request can carry the token and fail.
  await accept(service, token, someEmail());
  await accept(service, token, email, { sub: 'no-uuid' });
  await service.call('POST', `/api/v1/auth/invitations/${token}/accept`);
  await service.call('GET', `/api/v1/auth/invitations/${token}/accept`);
  await service.call('POST', `/api/v1/auth/invitations/${token}/accept?seller_id=x`);
  await service.call('POST', `/api/v1/auth/invitations/${token}/accept/%zz`);
  await service.call('POST', `/api/v1/auth/invitations/${token}`);
  expect((await accept(service, token, email)).status).toBe(201);
  const metrics = await callInternal(service, 'GET', '/metrics');
  expect(metrics.text).not.toContain(token);
  expect(logged.some((line) => line.includes('auth.invitations.accept'))).toBe(true);
  expect(logged.filter((line) => line.includes(token))).toEqual([]);
});

describe('an invitation is for one person', () => {
  test('the identity that it names, with any e-mail address', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const [invited, other] = [someEmail(), someEmail()];
    const sub = demoUser(invited)?.id.toUpperCase();
    const token = await tokenOf(await invite(seller, { sub, email: other, roles: ['viewer'] }));
    expect(outcome(await accept(service, token, other))).toEqual([403, 'invitation_for_another']);
    expect((await accept(service, token, invited, { email: undefined })).status).toBe(201);
    expect((await exchange(invited)).body.seller_id).toBe(seller.seller_id);
  });

  test.each<[string, Claims, string]>([
    ['another address', { email: 'somebody-else@example.com' }, 'invitation_for_another'],
    ['no address', { email: undefined }, 'invitation_for_another'],
    ['an unverified address', { email_verified: false }, 'email_not_verified'],
    ['no word about the address', { email_verified: undefined }, 'email_not_verified'],
    ['a word that is no boolean', { email_verified: 'true' }, 'email_not_verified'],
    [
      'a word of the user alone',
      { email_verified: undefined, user_metadata: { email_verified: true } },
      'email_not_verified',
    ],
  ])('%s: 403, and the invitation stays open', async (_what, claims, code) => {
    const seller = await service.seller({ plan: 'Small' });
    const email = someEmail();
    const token = await tokenOf(await invite(seller, { email, roles: ['owner'] }));
    expect(outcome(await accept(service, token, email, claims))).toEqual([403, code]);
    expect(outcome(await exchange(email))).toEqual([404, 'seller_not_found']);
    expect((await accept(service, token, email)).status).toBe(201);
  });

  test.each([
    ['a letter whose lower case is an ASCII letter', (email: string) => email.replace('k', '\u212a')],
    ['a letter that looks alike', (email: string) => email.replace('a', '\u0430')],
    ['a tag', (email: string) => email.replace('@', '+team@')],
    ['a host that begins so', (email: string) => `${email}.example.org`],
  ])('an address with %s is another address', async (_what, other) => {
    const seller = await service.seller({ plan: 'Small' });
    const email = `kim-a-${someEmail()}`;
    const token = await tokenOf(await invite(seller, { email, roles: ['owner'] }));
    const refused = await accept(service, token, someEmail(), { email: other(email) });
    expect(outcome(refused)).toEqual([403, 'invitation_for_another']);
  });

  test('a person with a seller gets 409 and keeps that seller', async () => {
    const [seller, own] = [await service.seller({ plan: 'Small' }), await service.seller()];
    const token = await tokenOf(await invite(seller, { email: own.email, roles: ['viewer'] }));
    expect(outcome(await accept(service, token, own.email))).toEqual([409, 'already_registered']);
    expect((await exchange(own.email)).body.seller_id).toBe(own.seller_id);
  });

  test('without a session: 401', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const path = `/api/v1/auth/invitations/${await tokenOf(await invite(seller, { email: someEmail(), roles: ['viewer'] }))}/accept`;
    expect(outcome(await service.call<Body>('POST', path))).toEqual([401, 'token_missing']);
    expect(outcome(await as(seller.token, 'POST', path.slice('/api/v1'.length)))).toEqual([
      401,
      'token_invalid',
    ]);
  });
});

describe('a token', () => {
  test('that was never made is 404', async () => {
    for (const token of ['x', 'A'.repeat(43), 'A'.repeat(200), '%00', '..%2F..'])
      expect(outcome(await accept(service, token, someEmail())), token).toEqual([404, 'not_found']);
  });

  test('gives the same person 200 again, and everybody else 404', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const { member_id, email } = await joinTeam(service, seller, ['viewer']);
    const token = await tokenOf(member_id);
    const again = await accept<Body>(service, token, email);
    expect([again.status, again.body.member_id]).toEqual([200, member_id]);
    expect(outcome(await accept(service, token, someEmail()))).toEqual([404, 'not_found']);
    expect(outcome(await accept(service, token, (await service.seller()).email))).toEqual([404, 'not_found']);
  });

  test('of a withdrawn invitation is 404; that of the next one works', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const email = someEmail();
    const first = await invite(seller, { email, roles: ['viewer'] });
    const token = await tokenOf(first);
    await seller.call('DELETE', `/sellers/me/members/${first}`);
    expect(outcome(await accept(service, token, email))).toEqual([404, 'not_found']);
    const second = await invite(seller, { email, roles: ['support'] });
    expect(outcome(await accept(service, token, email))).toEqual([404, 'not_found']);
    expect((await accept<Body>(service, await tokenOf(second), email)).body.member_id).toBe(second);
  });

  test('of a removed member is refused', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const { member_id, email } = await joinTeam(service, seller, ['admin']);
    await seller.call('DELETE', `/sellers/me/members/${member_id}`);
    expect(outcome(await accept(service, await tokenOf(member_id), email))).toEqual([404, 'not_found']);
    expect(outcome(await exchange(email))).toEqual([404, 'seller_not_found']);
  });

  test('gets 410 after a week; then the place is free and the person may be invited again', async () => {
    const seller = await late.seller({ plan: 'Small' });
    const email = someEmail();
    const first = await invite(seller, { email, roles: ['viewer'] });
    const token = await invitationToken(late, first);
    for (let more = 0; more < 3; more += 1) await invite(seller, { email: someEmail(), roles: ['viewer'] });
    const shown = await seller.call<{ invitation_expires_at: string }>('GET', `/sellers/me/members/${first}`);
    const expires = Date.parse(shown.body.invitation_expires_at);
    expect(expires - late.app.services.now()).toBe(WEEK_MS);
    const move = (now: number) =>
      callInternal(late, 'POST', '/internal/v1/clock', { body: { now: new Date(now).toISOString() } });
    await move(expires);
    const renewed = await seller.renew();
    expect(outcome(await accept(late, token, email))).toEqual([410, 'invitation_expired']);
    const second = await invite(renewed, { email, roles: ['support'] });
    expect(outcome(await accept(late, token, email))).toEqual([410, 'invitation_expired']);
    expect((await accept(late, await invitationToken(late, second), email)).status).toBe(201);
    const team = await renewed.call<{ data: { status: string }[] }>('GET', '/sellers/me/members');
    expect(team.body.data.map(({ status }) => status)).toEqual(['active', 'active']);
  });

  test.each(['suspended', 'closed'])(
    'of a seller that is %s is 403, and the person stays free',
    async (status) => {
      const seller = await service.seller({ plan: 'Small' });
      const email = someEmail();
      const token = await tokenOf(await invite(seller, { email, roles: ['viewer'] }));
      await standing(seller.seller_id, { status });
      expect(outcome(await accept(service, token, email))).toEqual([403, 'seller_suspended']);
      expect((await register(email)).status).toBe(201);
    },
  );

  test('of a seller that is not verified yet works', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const email = someEmail();
    const token = await tokenOf(await invite(seller, { email, roles: ['viewer'] }));
    await standing(seller.seller_id, { verified: false, api_access: false });
    expect((await accept(service, token, email)).status).toBe(201);
  });
});

describe('at the same time', () => {
  test('eight acceptances of one person make one member', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const email = someEmail();
    const token = await tokenOf(await invite(seller, { email, roles: ['support'] }));
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept<Body>(service, token, email)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.member_id)).size).toBe(1);
  });

  test('of two identities with one address one joins', async () => {
    const seller = await service.seller({ plan: 'Small' });
    const email = someEmail();
    const token = await tokenOf(await invite(seller, { email, roles: ['support'] }));
    const subjects = Array.from({ length: 6 }, () => randomUUID());
    const answers = await Promise.all(subjects.map((sub) => accept(service, token, email, { sub })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(404)]);
  });

  test('withdrawn while it is accepted: the person is a member or not, never partly', async () => {
    const seller = await service.seller({ plan: 'Big' });
    for (let round = 0; round < 6; round += 1) {
      const email = someEmail();
      const member = await invite(seller, { email, roles: ['viewer'] });
      const token = await tokenOf(member);
      const [accepted, withdrawn] = await Promise.all([
        accept(service, token, email),
        seller.call('DELETE', `/sellers/me/members/${member}`),
      ]);
      expect(withdrawn.status).toBe(204);
      expect([201, 404]).toContain(accepted.status);
      // The withdrawal won or came later. In both cases no member is left, and the identity is free.
      expect(outcome(await exchange(email))).toEqual([404, 'seller_not_found']);
      expect((await register(email)).status).toBe(201);
    }
  });

  test('an identity that registers while it accepts has one seller', async () => {
    const seller = await service.seller({ plan: 'Big' });
    for (let round = 0; round < 6; round += 1) {
      const email = someEmail();
      const token = await tokenOf(await invite(seller, { email, roles: ['viewer'] }));
      const [registered, accepted] = await Promise.all([
        register(email),
        accept<Body>(service, token, email),
      ]);
      expect([registered.status, accepted.status].sort()).toEqual([201, 409]);
      const winner = registered.status === 201 ? registered : accepted;
      expect((await exchange(email)).body.seller_id).toBe(winner.body.seller_id);
    }
  });

  test('of two teams that invite one identity one gets it', async () => {
    const sellers = await Promise.all([1, 2, 3].map(() => service.seller({ plan: 'Small' })));
    const email = someEmail();
    const tokens = await Promise.all(
      sellers.map(async (seller) => tokenOf(await invite(seller, { email, roles: ['viewer'] }))),
    );
    const answers = await Promise.all(tokens.map((token) => accept(service, token, email)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

test('invited twice into one team, by identity and by address, a person joins once', async () => {
  const seller = await service.seller({ plan: 'Small' });
  const email = someEmail();
  const byIdentity = await tokenOf(await invite(seller, { sub: demoUser(email)?.id, roles: ['viewer'] }));
  const byAddress = await tokenOf(await invite(seller, { email, roles: ['support'] }));
  expect((await accept(service, byAddress, email)).status).toBe(201);
  expect(outcome(await accept(service, byIdentity, email))).toEqual([404, 'not_found']);
  const team = await seller.call<{ data: unknown[] }>('GET', '/sellers/me/members');
  expect(team.body.data).toHaveLength(2);
});
