import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { demoUser } from '../../../../demo/index.ts';
import { type Answer, startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { permutations } from '../../../../test/support/permutations.ts';
import { someEmail } from '../../../../test/support/team.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { CLAIM_DAYS } from '../domain/claim-tax-id.ts';

const START = '2026-07-01T00:00:00Z';
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: START });
const DAY_MS = 24 * 3_600_000;

interface Profile {
  readonly seller_id: string;
  readonly business_name: string;
  readonly code: string;
  readonly access_token: string;
}
const someTaxId = (): string => String(randomInt(10 ** 13, 10 ** 14));
const someSellerId = (): string => `slr_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
const subjectOf = (email: string): string => demoUser(email)?.id ?? '';
const facts = (tax_id: string, more: object = {}) => ({
  business_name: 'Mia Ceramics',
  tax_id,
  plan: 'Small',
  verified: true,
  api_access: true,
  ...more,
});

/** Sends an event about a seller or a tax id, at this many seconds after the start. */
async function send(kind: string, subject: string, data: object, seconds = 0, more: object = {}) {
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: `marketplace.seller.${kind}`,
    subject,
    time: new Date(Date.parse(START) + seconds * 1000).toISOString(),
    data,
    ...more,
  });
  return [result?.status, result?.code].filter(Boolean).join(' ');
}
const provision = (tax_id: string, more: object = {}, seconds = 0, subject = tax_id) =>
  send('provisioned', subject, facts(tax_id, more), seconds);
const release = (seller_id: string, tax_id: string, seconds = 0) =>
  send('tax_id_released', seller_id, { tax_id, reason: 'test' }, seconds);

async function register(email: string, tax_id: string): Promise<Answer<Profile>> {
  const authorization = `Bearer ${await app.demo.mint({ email, aal: 'aal1' })}`;
  const json = { business_name: 'As the owner says', tax_id };
  return app.call<Profile>('POST', '/api/v1/auth/register', { json, headers: { authorization } });
}
const exchange = async (email: string) =>
  app.call<Profile>('POST', '/api/v1/auth/exchange', {
    json: { marketplace_token: await app.demo.mint({ email }) },
  });
const outcome = ({ status, body }: Answer<Profile>) => [status, body.code];
const sellersWith = async (tax_id: string): Promise<string[]> => {
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query<{ seller_id: string }>('select seller_id from seller where tax_id = $1 order by seller_id', [
      tax_id,
    ]),
  );
  return rows.map(({ seller_id }) => seller_id);
};
const outboxOf = async (sellerId: string, enough: number) => {
  const read = async () => {
    const { body } = await callInternal(app, 'GET', '/internal/v1/outbox?limit=1000');
    const events = body?.['data'] as { type: string; seller_id: string; data: { object: object } }[];
    return events.filter(({ seller_id }) => seller_id === sellerId);
  };
  return eventually(read, (events) => events.length >= enough);
};

test('the marketplace’s seller waits for its owner: 201 with its id, name, plan and standing', async () => {
  const [tax_id, seller_id, email] = [someTaxId(), someSellerId(), someEmail()];
  const owner_sub = subjectOf(email).toUpperCase();
  expect(await provision(tax_id, { owner_sub, verified: false }, 0, seller_id)).toBe('applied');
  const { status, body } = await register(email, tax_id);
  expect([status, body]).toEqual([
    201,
    {
      seller_id,
      business_name: 'Mia Ceramics',
      tax_id,
      tax_id_check: 'not_abn',
      status: 'active',
      verified: false,
      api_access: true,
      plan: 'Small',
    },
  ]);
  expect((await register(email, tax_id)).status).toBe(200);
  expect(outcome(await exchange(email))).toEqual([403, 'seller_not_verified']);
  expect(await send('standing_changed', seller_id, { verified: true }, 1)).toBe('applied');
  const { body: session } = await exchange(email);
  expect(session.seller_id).toBe(seller_id);
  // In development the activity log is enabled.
  const headers = { authorization: `Bearer ${session.access_token}` };
  expect((await app.call('GET', '/api/v1/audit/entries', { headers })).status).toBe(200);
});

test('a seller that is named by its tax id gets an id, which the marketplace reads, and then its owner', async () => {
  const [tax_id, email] = [someTaxId(), someEmail()];
  expect(await provision(tax_id)).toBe('applied');
  const [seller_id = ''] = await sellersWith(tax_id);
  const [made] = await outboxOf(seller_id, 1);
  expect(made).toMatchObject({
    type: 'seller.provisioned',
    data: { object: { seller_id, tax_id, business_name: 'Mia Ceramics', tax_id_check: 'not_abn' } },
  });
  expect((await register(email, tax_id)).body.seller_id).toBe(seller_id);
  const [, registered] = await outboxOf(seller_id, 2);
  expect(registered).toMatchObject({
    type: 'seller.registered',
    data: { object: { seller_id, subject: subjectOf(email), email } },
  });
  expect((await exchange(email)).status).toBe(200);
});

describe('the number is claimed', () => {
  test('by the named owner only, at any later time', async () => {
    const [tax_id, email, other] = [someTaxId(), someEmail(), someEmail()];
    await provision(tax_id, { owner_sub: subjectOf(email) });
    expect(outcome(await register(other, tax_id))).toEqual([409, 'tax_id_taken']);
    await runOn(app.database.adminUrl, (client) =>
      client.query(
        `update seller_tax_id set unclaimed_since = unclaimed_since - interval '1 year' where tax_id = $1`,
        [tax_id],
      ),
    );
    expect((await register(email, tax_id)).status).toBe(201);
  });

  test('without a named owner by the first identity; the second is 409', async () => {
    const tax_id = someTaxId();
    await provision(tax_id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(someEmail(), tax_id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await sellersWith(tax_id)).toHaveLength(1);
  });

  test('by an identity that has another seller: 409 already_registered', async () => {
    const [seller, tax_id] = [await app.seller(), someTaxId()];
    await provision(tax_id, { owner_sub: subjectOf(seller.email) });
    expect(outcome(await register(seller.email, tax_id))).toEqual([409, 'already_registered']);
  });

  test('while the marketplace provisions it: one seller, in either order', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [tax_id, email] = [someTaxId(), someEmail()];
      const [registered, provided] = await Promise.all([register(email, tax_id), provision(tax_id)]);
      expect([registered.status, provided]).toEqual([201, 'applied']);
      const [seller_id] = await sellersWith(tax_id);
      expect([await sellersWith(tax_id), registered.body.seller_id]).toEqual([[seller_id], seller_id]);
      const profile = await register(email, tax_id);
      expect([profile.status, profile.body]).toMatchObject([200, { plan: 'Small', verified: true }]);
    }
  });
});

describe('the marketplace repeats its event', () => {
  test('the newer facts hold, in any order, also about who may claim the number', async () => {
    const [tax_id, email, other] = [someTaxId(), someEmail(), someEmail()];
    expect(await provision(tax_id, { owner_sub: subjectOf(other), plan: 'Big' }, 1)).toBe('applied');
    expect(await provision(tax_id, { owner_sub: subjectOf(email), plan: 'Small' }, 2)).toBe('applied');
    expect(await provision(tax_id, { owner_sub: subjectOf(other), plan: 'Free' }, 1)).toBe('stale');
    expect(outcome(await register(other, tax_id))).toEqual([409, 'tax_id_taken']);
    const { status, body } = await register(email, tax_id);
    expect([status, body]).toMatchObject([201, { plan: 'Small' }]);
    expect(await sellersWith(tax_id)).toHaveLength(1);
  });

  test('without an owner: the owner stays, and null removes it', async () => {
    const [tax_id, email, other] = [someTaxId(), someEmail(), someEmail()];
    await provision(tax_id, { owner_sub: subjectOf(email) });
    expect(await provision(tax_id, { plan: 'Big' }, 1)).toBe('applied');
    expect(outcome(await register(other, tax_id))).toEqual([409, 'tax_id_taken']);
    expect(await provision(tax_id, { owner_sub: null }, 2)).toBe('applied');
    expect((await register(other, tax_id)).status).toBe(201);
  });

  test('about a registered seller: its standing changes, its owner and name stay', async () => {
    const [tax_id, email, other] = [someTaxId(), someEmail(), someEmail()];
    const { seller_id } = (await register(email, tax_id)).body;
    expect(await provision(tax_id, { plan: 'Big', owner_sub: subjectOf(email) }, 1, seller_id)).toBe(
      'applied',
    );
    expect(await provision(tax_id, { plan: 'Small', owner_sub: subjectOf(other) }, 2)).toBe(
      'rejected tax_id_taken',
    );
    expect(await provision(tax_id, { plan: 'Small' }, 2, someSellerId())).toBe('rejected tax_id_taken');
    const { status, body } = await register(email, tax_id);
    expect([status, body]).toMatchObject([
      200,
      { seller_id, plan: 'Big', business_name: 'As the owner says' },
    ]);
    expect(outcome(await register(other, tax_id))).toEqual([409, 'tax_id_taken']);
  });

  test.each<[string, string, object]>([
    ['another number', someTaxId(), {}],
    ['an id of another kind', 'prd_01j0000000000000000000000', {}],
    ['two sellers', someSellerId(), { sellerid: someSellerId() }],
  ])('with %s as its subject: rejected', async (_what, subject, more) => {
    const tax_id = someTaxId();
    expect(await send('provisioned', subject, facts(tax_id), 0, more)).toBe('rejected data_invalid');
    expect(await sellersWith(tax_id)).toEqual([]);
  });

  test.each<[string, object]>([
    ['no name', { business_name: ' ' }],
    ['a number that is none', { tax_id: '12 34' }],
    ['an owner that is no identity', { owner_sub: 'mia' }],
    ['no plan', { plan: undefined }],
  ])('with %s: rejected', async (_what, more) => {
    expect(await provision(someTaxId(), more)).toBe('rejected data_invalid');
  });

  test('a seller has one number: another one is rejected', async () => {
    const [tax_id, seller_id] = [someTaxId(), someSellerId()];
    expect(await provision(tax_id, {}, 0, seller_id)).toBe('applied');
    expect(await provision(someTaxId(), {}, 1, seller_id)).toBe('rejected seller_exists');
  });
});

test('every order of the events about a number ends in the same state', async () => {
  const standing = { plan: 'Free', verified: true, api_access: true, status: 'suspended' };
  const ends = new Set<string>();
  for (const order of permutations(['first', 'second', 'standing', 'release'])) {
    const [tax_id, seller_id] = [someTaxId(), someSellerId()];
    const events: Record<string, () => Promise<string>> = {
      first: () => provision(tax_id, { business_name: 'First', plan: 'Small' }, 1, seller_id),
      second: () =>
        provision(
          tax_id,
          { business_name: 'Second', plan: 'Big', owner_sub: subjectOf('mia@example.com') },
          2,
        ),
      standing: () => send('standing_changed', seller_id, standing, 3),
      release: () => release(seller_id, tax_id, 4),
    };
    // The event that names the seller by its number comes after the event that gives it an id.
    if (order.indexOf('second') < order.indexOf('first')) continue;
    let left = order;
    for (let round = 0; left.length > 0 && round < order.length; round += 1) {
      const again: string[] = [];
      for (const name of left) if ((await events[name]?.())?.startsWith('rejected')) again.push(name);
      left = again;
    }
    expect([order, left]).toEqual([order, []]);
    const { rows } = await runOn(app.database.adminUrl, (client) =>
      client.query(
        `select s.business_name, s.plan, s.status, t.owner_subject, t.provisioned_at, t.released_at
           from seller_tax_id t
           join seller s
             on s.seller_id = t.seller_id
          where t.tax_id = $1`,
        [tax_id],
      ),
    );
    expect(rows).toMatchObject([{ business_name: 'Second', plan: 'Free', status: 'suspended' }]);
    ends.add(JSON.stringify(rows));
  }
  expect(ends.size).toBe(1);
});

describe('the marketplace frees a number', () => {
  test('another identity registers with it; the former seller does not change', async () => {
    const [tax_id, email, other] = [someTaxId(), someEmail(), someEmail()];
    const { seller_id } = (await register(email, tax_id)).body;
    expect(outcome(await register(other, tax_id))).toEqual([409, 'tax_id_taken']);
    expect(await release(seller_id, tax_id)).toBe('applied');
    const taken = await register(other, tax_id);
    expect(taken.status).toBe(201);
    expect(taken.body.seller_id).not.toBe(seller_id);
    expect(outcome(await register(someEmail(), tax_id))).toEqual([409, 'tax_id_taken']);
    expect((await exchange(email)).body.seller_id).toBe(seller_id);
    expect((await register(email, tax_id)).body.seller_id).toBe(seller_id);
  });

  test('twice, for another seller, or before the seller is known', async () => {
    const [tax_id, email] = [someTaxId(), someEmail()];
    expect(await release(someSellerId(), tax_id)).toBe('rejected tax_id_not_found');
    const { seller_id } = (await register(email, tax_id)).body;
    expect(await release((await app.seller()).seller_id, tax_id)).toBe('rejected tax_id_not_found');
    expect([await release(seller_id, tax_id, 2), await release(seller_id, tax_id, 1)]).toEqual([
      'applied',
      'applied',
    ]);
    const next = (await register(someEmail(), tax_id)).body.seller_id;
    // The event is about the former seller, so it must not free the number of the next one.
    expect(await release(seller_id, tax_id, 3)).toBe('stale');
    expect(outcome(await register(someEmail(), tax_id))).toEqual([409, 'tax_id_taken']);
    expect(await sellersWith(tax_id)).toEqual([seller_id, next].sort());
  });

  test('an earlier provision concerns the former seller of the number; a later one makes a seller', async () => {
    const [tax_id, seller_id] = [someTaxId(), someSellerId()];
    expect(await provision(tax_id, {}, 0, seller_id)).toBe('applied');
    expect(await release(seller_id, tax_id, 5)).toBe('applied');
    expect(await provision(tax_id, { plan: 'Big' }, 4)).toBe('applied');
    expect(await provision(tax_id, {}, 3)).toBe('stale');
    expect(await sellersWith(tax_id)).toEqual([seller_id]);
    expect(await provision(tax_id, { owner_sub: subjectOf('mia@example.com') }, 6)).toBe('applied');
    expect(await sellersWith(tax_id)).toHaveLength(2);
    expect(outcome(await register(someEmail(), tax_id))).toEqual([409, 'tax_id_taken']);
  });

  test('of a seller without an owner: the owner then gets another seller', async () => {
    const [tax_id, seller_id, email] = [someTaxId(), someSellerId(), someEmail()];
    await provision(tax_id, { owner_sub: subjectOf(email) }, 0, seller_id);
    await release(seller_id, tax_id, 1);
    const { status, body } = await register(email, tax_id);
    expect(status).toBe(201);
    expect(body.seller_id).not.toBe(seller_id);
  });

  test.each(['registered', 'waiting'])(
    'by mistake: a provision with the id of the seller, which is %s, gives it back, in either order',
    async (kind) => {
      for (const isLate of [false, true]) {
        const [tax_id, email, given] = [someTaxId(), someEmail(), someSellerId()];
        if (kind === 'waiting') await provision(tax_id, { owner_sub: subjectOf(email) }, 0, given);
        const seller_id = kind === 'waiting' ? given : (await register(email, tax_id)).body.seller_id;
        const back = () => provision(tax_id, { plan: 'Big' }, 3, seller_id);
        if (isLate) expect([await back(), await release(seller_id, tax_id, 2)]).toEqual(['applied', 'stale']);
        else expect([await release(seller_id, tax_id, 2), await back()]).toEqual(['applied', 'applied']);
        expect(outcome(await register(someEmail(), tax_id))).toEqual([409, 'tax_id_taken']);
        const { status, body } = await register(email, tax_id);
        expect([status, body]).toMatchObject([kind === 'waiting' ? 201 : 200, { seller_id, plan: 'Big' }]);
        expect(await sellersWith(tax_id)).toEqual([seller_id]);
        expect(await release(seller_id, tax_id, 4)).toBe('applied');
        const { body: next } = await register(someEmail(), tax_id);
        expect(await provision(tax_id, {}, 5, seller_id)).toBe('rejected tax_id_taken');
        expect(next.seller_id).not.toBe(seller_id);
      }
    },
  );
});

// Moves the clock: the last test of the file.
test('after 30 days a number without a named owner cannot be claimed until the marketplace repeats its event', async () => {
  const [early, lateId] = [someTaxId(), someTaxId()];
  await provision(early);
  await provision(lateId);
  const now = app.app.services.now();
  const move = (to: number) =>
    callInternal(app, 'POST', '/internal/v1/clock', { body: { now: new Date(to).toISOString() } });
  await move(now + CLAIM_DAYS * DAY_MS - 1000);
  expect((await register(someEmail(), early)).status).toBe(201);
  await move(now + CLAIM_DAYS * DAY_MS);
  expect(outcome(await register(someEmail(), lateId))).toEqual([409, 'tax_id_taken']);
  expect(await provision(lateId, {}, CLAIM_DAYS * 24 * 3_600)).toBe('applied');
  expect((await register(someEmail(), lateId)).status).toBe(201);
});
