/** What a request or a job has read may change before its effect. On a manual clock. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test, vi } from 'vitest';
import {
  accept,
  agreementOn,
  BASE,
  type Caller,
  DAY_MS,
  digestOf,
  iso,
  STATEMENT,
} from '../../../../test/support/agreement.ts';
import { type Answer, startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, eventTypesOf, orderEvent } from '../../../../test/support/orders.ts';
import { mug } from '../../../../test/support/products.ts';
import { joinTeam, signIn, someEmail } from '../../../../test/support/team.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { agreementJobs } from '../jobs.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const { now, publish } = agreementOn(app);

test.each<[string, (owner: Caller, member: string) => Promise<Answer<unknown>>]>([
  ['removed', (owner, member) => owner.call('DELETE', `/sellers/me/members/${member}`)],
  [
    'demoted',
    (owner, member) => owner.call('PATCH', `/sellers/me/members/${member}`, { json: { roles: ['viewer'] } }),
  ],
])('a member that is %s while its body arrives accepts nothing', async (_how, change) => {
  const seller = await app.seller({ plan: 'Small' });
  const other = await joinTeam(app, seller, ['owner']);
  const version = await publish();
  const body = JSON.stringify({ version, text_sha256: digestOf(`Terms ${version}`), statement: STATEMENT });
  const looksUp = vi.spyOn(app.app.services, 'withSystem');
  const sent = request(`${app.url}/api/v1${BASE}/acceptances`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await app.demo.mint({ email: other.email })}`,
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    },
  });
  const answered = once(sent, 'response');
  sent.write(body.slice(0, 20));
  const found = await eventually(
    async () => looksUp.mock.calls.findIndex(([reason]) => reason === 'resolve-identity'),
    (index) => index >= 0,
  );
  await looksUp.mock.results[found]?.value;
  looksUp.mockRestore();
  expect((await change(seller, other.member_id)).status).toBeLessThan(300);
  sent.end(body.slice(20));
  const [answer] = (await answered) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(401);
  expect((await seller.call<{ data: unknown[] }>('GET', `${BASE}/acceptances`)).body.data).toEqual([]);
});

/** What the worker has asked of a seller. */
async function askedOf(sellerId: string): Promise<{ version: string | null; due: Date | null } | undefined> {
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query<{ version: string | null; due: Date | null }>(
      'select agreement_version as version, agreement_due_at as due from seller where seller_id = $1',
      [sellerId],
    ),
  );
  return rows[0];
}

test('a seller that waited for its owner has 14 days from its registration', async () => {
  const [email, tax_id, seller_id] = [someEmail(), String(randomInt(10 ** 13, 10 ** 14)), `slr_${now()}x`];
  const version = await publish();
  const data = { business_name: 'Test Goods', tax_id, plan: 'Small', verified: true, api_access: true };
  await apply(app, orderEvent(app, { seller_id }, 'seller.provisioned', seller_id, data));
  const provided = now();
  const moved = { now: iso(provided + 20 * DAY_MS) };
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body: moved })).status).toBe(200);
  await eventually(
    () => askedOf(seller_id),
    (asked) => asked?.version === version,
  );

  const registered = await app.call<{ seller_id: string }>('POST', '/api/v1/auth/register', {
    json: { business_name: 'Test Goods', tax_id },
    headers: { authorization: `Bearer ${await app.demo.mint({ email })}` },
  });
  expect([registered.status, registered.body.seller_id]).toEqual([201, seller_id]);
  const due_at = iso(now() + 14 * DAY_MS);
  const { call } = await signIn(app, email);
  expect((await call<{ due_at: string }>('GET', BASE)).body).toMatchObject({ status: 'due_soon', due_at });
  expect((await call('POST', '/products', { json: mug() })).status).toBe(201);
  const later = { now: iso(now() + DAY_MS) };
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body: later })).status).toBe(200);
  const asked = await eventually(
    () => askedOf(seller_id),
    (found) => found?.version === version,
  );
  expect(asked?.due?.toISOString()).toBe(due_at);
});

test('a reminder of an older version does not pass for the question about the newest one', async () => {
  const seller = await app.seller();
  await publish();
  const { services } = app.app;
  const set = `update seller set agreement_version = 'older', agreement_notice_at = $2, agreement_due_at = $2
                where seller_id = $1`;
  let calls = 0;
  // The version is published after the job has asked all sellers, and before it reminds them.
  const withSystemLong: typeof services.withSystemLong = async (...call) => {
    calls += 1;
    if (calls === 2)
      await runOn(app.database.adminUrl, (client) => client.query(set, [seller.seller_id, iso(now())]));
    return services.withSystemLong(...call);
  };
  const [job] = agreementJobs;
  const { signal } = new AbortController();
  await job?.handler({ ...services, withSystemLong } as never, {} as never, signal);
  expect(calls).toBeGreaterThan(1);
  expect((await askedOf(seller.seller_id))?.version).toBe('older');
});

test('a seller that accepts a version while the job asks about an older one is asked about nothing', async () => {
  const seller = await app.seller();
  const older = await publish({ reacceptance_by: '2026-07-02' });
  const { services } = app.app;
  let newer: string | undefined;
  /** After the first row that the job has read, which is the newest version, there is a newer one. */
  const overtaken = <Db extends object>(db: Db): Db =>
    new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'one' || newer !== undefined) return value.bind(target);
        return async (...call: unknown[]) => {
          const row: unknown = await value.apply(target, call);
          newer = await publish({ reacceptance_by: '2026-07-02' });
          expect((await accept(seller, newer)).status).toBe(201);
          return row;
        };
      },
    });
  const withSystemLong: typeof services.withSystemLong = (reason, mode, fn, ...more) =>
    services.withSystemLong(reason, mode, (db) => fn(overtaken(db)), ...more);
  const [job] = agreementJobs;
  await job?.handler({ ...services, withSystemLong } as never, {} as never, new AbortController().signal);
  expect(await askedOf(seller.seller_id)).toEqual({ version: newer, due: null });
  expect(await eventTypesOf(app, seller, older)).toEqual([]);
});
