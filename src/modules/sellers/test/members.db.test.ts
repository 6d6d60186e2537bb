import { expect, test } from 'vitest';
import { type Answer, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  accept,
  someEmail as email,
  invitationToken,
  joinTeam,
  signIn,
} from '../../../../test/support/team.ts';

const app = await startTestApp();

type Body = Record<string, unknown>;
type Requester = Pick<TestSeller, 'call'>;
const TEAM = '/sellers/me/members';

const invite = (by: Requester, json: object, headers: Record<string, string> = {}) =>
  by.call<Body>('POST', TEAM, { json, headers });
const list = async (by: Requester, query = '') =>
  (await by.call<{ data: Body[]; page: { next_cursor: string | null } }>('GET', `${TEAM}${query}`)).body;

const member = (seller: Requester, roles: string[]) => joinTeam(app, seller, roles);

const outcome = ({ status, body }: Answer<Body>) => [status, body?.['code'] ?? body?.['error']];

test('an invited person joins by the link and may do what the roles allow', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const address = email();
  const invited = await invite(seller, { email: address, roles: ['finance'] });
  expect([invited.status, invited.body]).toMatchObject([
    201,
    {
      email: address,
      sub: null,
      roles: ['finance'],
      status: 'invited',
      invitation_expires_at: expect.any(String),
      permissions: expect.arrayContaining(['finance:write']),
    },
  ]);
  expect(invited.headers.get('location')).toBe(`/api/v1${TEAM}/${invited.body['member_id']}`);
  const token = await invitationToken(app, String(invited.body['member_id']));
  expect((await accept(app, token, address)).status).toBe(201);
  const joined = await signIn(app, address);
  expect((await joined.call<Body>('GET', '/sellers/me')).body).toMatchObject({ seller_id: seller.seller_id });
  expect(outcome(await joined.call<Body>('GET', TEAM))).toEqual([403, 'permission_denied']);
  const { data } = await list(seller);
  expect(data).toMatchObject([
    {
      member_id: invited.body['member_id'],
      status: 'active',
      sub: expect.any(String),
      invitation_expires_at: null,
    },
    { roles: ['owner'], status: 'active', invited_by: null, email: seller.email },
  ]);
});

test('only the named identity can accept an invitation by marketplace identity', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const address = email();
  const session = await app.demo.mint({ email: address, aal: 'aal2' });
  const { sub } = JSON.parse(Buffer.from(session.split('.')[1] ?? '', 'base64url').toString());
  const invited = await invite(seller, { sub, roles: ['viewer'] });
  expect(invited.body).toMatchObject({ sub, email: null, status: 'invited' });
  const token = await invitationToken(app, String(invited.body['member_id']));
  expect((await accept(app, token, address)).status).toBe(201);
  const joined = await signIn(app, address);
  expect((await joined.call<Body>('GET', '/sellers/me')).body).toMatchObject({ seller_id: seller.seller_id });
});

test.each<[unknown, string, string]>([
  [{ email: 'a@example.com', roles: [] }, 'roles', 'too_short'],
  [{ email: 'a@example.com', roles: ['boss'] }, 'roles', 'enum'],
  [{ email: 'a@example.com', roles: ['viewer', 'viewer'] }, 'roles', 'duplicate_items'],
  [{ email: 'a@example.com' }, 'roles', 'missing'],
  [{ email: 'no-address', roles: ['viewer'] }, 'email', 'format_invalid'],
  [{ roles: ['viewer'] }, 'email', 'missing'],
  [{ sub: 'a\0b', roles: ['viewer'] }, 'sub', 'text_invalid'],
  [{ sub: 'two words', roles: ['viewer'] }, 'sub', 'string_pattern_mismatch'],
  [{ email: 'a@example.com', roles: ['viewer'], member_id: 'mbr_x' }, 'member_id', 'extra_forbidden'],
])('inviting %j is refused at %s', async (json, field, type) => {
  const seller = await app.seller({ plan: 'Small' });
  const { status, body } = await seller.call<Body>('POST', TEAM, { json });
  expect(status).toBe(422);
  expect(body['detail']).toMatchObject([{ type }]);
  expect((body['detail'] as { loc: unknown[] }[])[0]?.loc[1]).toBe(field);
});

test('an address or identity is in a team once, in any case; a removed one may be invited again', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const address = email();
  const first = await invite(seller, { email: address, roles: ['viewer'] });
  expect(outcome(await invite(seller, { email: address.toUpperCase(), roles: ['viewer'] }))).toEqual([
    409,
    'member_exists',
  ]);
  expect(outcome(await invite(seller, { email: seller.email, roles: ['viewer'] }))).toEqual([
    409,
    'member_exists',
  ]);
  expect((await seller.call('DELETE', `${TEAM}/${first.body['member_id']}`)).status).toBe(204);
  const again = await invite(seller, { email: address, roles: ['viewer'] });
  expect(again.status).toBe(201);
  expect(again.body['member_id']).not.toBe(first.body['member_id']);
  expect((await list(seller, '?status=removed')).data).toMatchObject([
    { member_id: first.body['member_id'] },
  ]);
});

test('the plan’s limit answers 402 with exactly the specified body', async () => {
  const seller = await app.seller();
  const { status, body } = await invite(seller, { email: email(), roles: ['viewer'] });
  expect(status).toBe(402);
  expect(body).toEqual({
    error: 'tier_limit_exceeded',
    tier: 'Free',
    message: expect.any(String),
    upgrade_url: '/settings/plan',
    current_usage: 1,
    limit: 1,
  });
  expect((await list(seller)).data).toHaveLength(1);
});

test('concurrent invitations cannot exceed the limit', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => invite(seller, { email: email(), roles: ['viewer'] })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(4).fill(201), ...Array(8).fill(402)]);
  expect((await list(seller)).data).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 402);
  expect(refused?.body).toMatchObject({ current_usage: 5, limit: 5 });
});

test('removing makes room, and an invitation counts like a member', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const ids: unknown[] = [];
  for (let i = 0; i < 4; i += 1)
    ids.push((await invite(seller, { email: email(), roles: ['viewer'] })).body['member_id']);
  expect((await invite(seller, { email: email(), roles: ['viewer'] })).status).toBe(402);
  await seller.call('DELETE', `${TEAM}/${ids[0]}`);
  expect((await invite(seller, { email: email(), roles: ['viewer'] })).status).toBe(201);
});

test('a repeated invitation with one key makes one member', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const json = { email: email(), roles: ['viewer'] };
  const first = await invite(seller, json, { 'idempotency-key': 'k1' });
  const again = await invite(seller, json, { 'idempotency-key': 'k1' });
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('changing roles ends the member’s tokens at once; the next one has the new roles', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const kim = await member(seller, ['viewer']);
  expect((await kim.call('GET', '/sellers/me')).status).toBe(200);
  const changed = await seller.call<Body>('PATCH', `${TEAM}/${kim.member_id}`, {
    json: { roles: ['finance', 'support'] },
  });
  expect([changed.status, changed.body['roles']]).toEqual([200, ['finance', 'support']]);
  expect((await kim.call('GET', '/sellers/me')).status).toBe(401);
  const again = await signIn(app, kim.email);
  const session = await again.call<{ roles: string[] }>('GET', '/auth/session');
  expect(session.body.roles.toSorted()).toEqual(['finance', 'support']);
});

test('the same roles in another order change nothing and end nothing', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const kim = await member(seller, ['viewer', 'finance']);
  const tag = (await seller.call('GET', `${TEAM}/${kim.member_id}`)).headers.get('etag');
  await seller.call('PATCH', `${TEAM}/${kim.member_id}`, { json: { roles: ['finance', 'viewer'] } });
  expect((await seller.call('GET', `${TEAM}/${kim.member_id}`)).headers.get('etag')).toBe(tag);
  expect((await kim.call('GET', '/sellers/me')).status).toBe(200);
});

test('a removed member’s tokens end at once, no new one is given, and the member is gone', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const kim = await member(seller, ['admin']);
  expect((await seller.call('DELETE', `${TEAM}/${kim.member_id}`)).status).toBe(204);
  expect((await kim.call('GET', '/sellers/me')).status).toBe(401);
  const exchange = await app.call('POST', '/api/v1/auth/exchange', {
    json: { marketplace_token: await app.demo.mint({ email: kim.email, aal: 'aal2' }) },
  });
  expect(exchange.status).toBe(404);
  for (const method of ['GET', 'DELETE']) {
    expect(outcome(await seller.call<Body>(method, `${TEAM}/${kim.member_id}`))).toEqual([404, 'not_found']);
  }
});

test('only an owner gives or removes the roles owner and admin', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const [admin, otherAdmin, viewer] = [
    await member(seller, ['admin']),
    await member(seller, ['admin']),
    await member(seller, ['viewer']),
  ];
  const owner = (await list(seller, '?role=owner')).data[0]?.['member_id'];
  const refused = await Promise.all([
    invite(admin, { email: email(), roles: ['admin'] }),
    invite(admin, { email: email(), roles: ['viewer', 'owner'] }),
    admin.call<Body>('PATCH', `${TEAM}/${viewer.member_id}`, { json: { roles: ['admin'] } }),
    admin.call<Body>('PATCH', `${TEAM}/${admin.member_id}`, { json: { roles: ['owner'] } }),
    admin.call<Body>('PATCH', `${TEAM}/${otherAdmin.member_id}`, { json: { roles: ['viewer'] } }),
    admin.call<Body>('DELETE', `${TEAM}/${otherAdmin.member_id}`),
    admin.call<Body>('DELETE', `${TEAM}/${owner}`),
    admin.call<Body>('PATCH', `${TEAM}/${owner}`, { json: { roles: ['viewer'] } }),
  ]);
  expect(refused.map(outcome)).toEqual(Array(8).fill([403, 'owner_required']));
  const allowed = await admin.call<Body>('PATCH', `${TEAM}/${viewer.member_id}`, {
    json: { roles: ['catalogue'] },
  });
  expect(allowed.status).toBe(200);
  expect(outcome(await viewer.call<Body>('DELETE', `${TEAM}/${admin.member_id}`))).toEqual([
    401,
    'token_invalid',
  ]);
});

test('the last owner stays; with a second one the first may go', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const owner = String((await list(seller, '?role=owner')).data[0]?.['member_id']);
  await invite(seller, { email: email(), roles: ['owner'] });
  const demote = () => seller.call<Body>('PATCH', `${TEAM}/${owner}`, { json: { roles: ['viewer'] } });
  expect(outcome(await demote())).toEqual([409, 'last_owner']);
  expect(outcome(await seller.call<Body>('DELETE', `${TEAM}/${owner}`))).toEqual([409, 'last_owner']);
  await member(seller, ['owner']);
  expect((await demote()).status).toBe(200);
});

test('two owners who remove each other at once leave one', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const first = String((await list(seller)).data[0]?.['member_id']);
  const second = await member(seller, ['owner']);
  const answers = await Promise.all([
    seller.call<Body>('DELETE', `${TEAM}/${second.member_id}`),
    second.call<Body>('DELETE', `${TEAM}/${first}`),
  ]);
  const statuses = answers.map(({ status }) => status).sort();
  // The other one is refused as the last owner, or its session has ended.
  expect(statuses[0]).toBe(204);
  expect([401, 409]).toContain(statuses[1]);
  const winner = answers[0]?.status === 204 ? seller : second;
  expect((await list(winner, '?role=owner')).data).toHaveLength(1);
});

test('If-Match refuses a change of a member that has changed since', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { body } = await invite(seller, { email: email(), roles: ['viewer'] });
  const path = `${TEAM}/${body['member_id']}`;
  const tag = (await seller.call('GET', path)).headers.get('etag') ?? '';
  const headers = { 'if-match': tag };
  expect((await seller.call('PATCH', path, { json: { roles: ['finance'] }, headers })).status).toBe(200);
  expect((await seller.call('PATCH', path, { json: { roles: ['support'] }, headers })).status).toBe(412);
  expect((await seller.call('DELETE', path, { headers })).status).toBe(412);
});

test('the list is paged newest first without gaps or repeats, and its cursor is refused by other lists', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const ids: unknown[] = [];
  for (let i = 0; i < 6; i += 1)
    ids.push((await invite(seller, { email: email(), roles: ['viewer'] })).body['member_id']);
  const seen: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(
      seller,
      `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    seen.push(...page.data.map(({ member_id }) => member_id));
    cursor = page.page.next_cursor;
  } while (cursor !== null);
  expect(seen.slice(0, 6)).toEqual(ids.toReversed());
  expect(seen).toHaveLength(7);
  const { page } = await list(seller, '?limit=3');
  expect((await seller.call('GET', `${TEAM}?limit=3&role=viewer&cursor=${page.next_cursor}`)).status).toBe(
    422,
  );
  const other = await app.seller({ plan: 'Small' });
  expect((await other.call('GET', `${TEAM}?limit=3&cursor=${page.next_cursor}`)).status).toBe(422);
});

test('another seller’s member is 404, exactly as one that does not exist', async () => {
  const [a, b] = await Promise.all([app.seller({ plan: 'Small' }), app.seller({ plan: 'Small' })]);
  const { body } = await invite(a, { email: email(), roles: ['viewer'] });
  const paths = [`${TEAM}/${body['member_id']}`, `${TEAM}/mbr_01j00000000000000000000000`, `${TEAM}/nothing`];
  for (const [method, json] of [['GET'], ['PATCH', { roles: ['finance'] }], ['DELETE']] as const) {
    const answers = await Promise.all(
      paths.map((path) => b.call<Body>(method, path, json === undefined ? {} : { json })),
    );
    for (const [index, { status, body: refused }] of answers.entries()) {
      const detail = `Your account has no team member ${paths[index]?.slice(TEAM.length + 1)}.`;
      expect([status, refused]).toMatchObject([404, { code: 'not_found', detail }]);
    }
  }
});
