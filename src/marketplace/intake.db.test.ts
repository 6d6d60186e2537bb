import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../test/support/app.ts';
import { callInternal, type InternalCall } from '../../test/support/internal.ts';
import { runOn } from '../../test/support/test-server.ts';

const app = await startTestApp();
const TYPE = 'marketplace.seller.standing_changed';

interface Result {
  readonly id: string;
  readonly status: string;
  readonly code?: string;
  readonly detail?: string;
}

function standing(seller_id: string, data: unknown, more: object = {}): Record<string, unknown> {
  const time = '2026-06-28T01:00:00Z';
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: '/core',
    type: TYPE,
    subject: seller_id,
    time,
    data,
    ...more,
  };
}

const post = (body: unknown, more: InternalCall = {}) =>
  callInternal(app, 'POST', '/internal/v1/events', { body, ...more });

async function results(body: unknown): Promise<Result[]> {
  const answer = await post(body);
  expect(answer.status).toBe(200);
  return answer.body?.['results'] as Result[];
}

async function planOf(seller_id: string): Promise<string> {
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query<{ plan: string }>('select plan from seller where seller_id = $1', [seller_id]),
  );
  return rows[0]?.plan ?? '';
}

async function eventsOf(
  seller_id: string,
): Promise<{ type: string; data: { previous: object; object: object } }[]> {
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query(
      "select type, data from outbox where seller_id = $1 and type <> 'seller.registered' order by outbox_id",
      [seller_id],
    ),
  );
  return rows;
}

test('a batch answers each event in input order, and a rejection does not affect the others', async () => {
  const { seller_id } = await app.seller();
  const good = standing(seller_id, { plan: 'Small' });
  const unknown = standing(seller_id, {}, { type: 'marketplace.no.such_type' });
  const invalid = standing(seller_id, { plan: 'Huge' });
  const noSeller = standing('slr_none', { plan: 'Big' });
  const later = standing(seller_id, { verified: true });
  const answered = await results([good, unknown, invalid, noSeller, good, later]);
  expect(answered).toMatchObject([
    { id: good['id'], status: 'applied' },
    { id: unknown['id'], status: 'rejected', code: 'unknown_type' },
    { id: invalid['id'], status: 'rejected', code: 'data_invalid' },
    { id: noSeller['id'], status: 'rejected', code: 'seller_not_found' },
    { id: good['id'], status: 'duplicate' },
    { id: later['id'], status: 'applied' },
  ]);
  expect(answered[2]?.detail).toContain('plan');
  expect(await planOf(seller_id)).toBe('Small');
});

test('the CloudEvents media types are accepted, for one event or a batch', async () => {
  const { seller_id } = await app.seller();
  const one = await post(standing(seller_id, {}), { type: 'application/cloudevents+json; charset=utf-8' });
  const many = await post([standing(seller_id, {})], { type: 'application/cloudevents-batch+json' });
  expect([one, many].map(({ status, body }) => [status, body?.['results']])).toMatchObject([
    [200, [{ status: 'applied' }]],
    [200, [{ status: 'applied' }]],
  ]);
  expect((await post('a=b', { type: 'application/x-www-form-urlencoded' })).status).toBe(415);
});

test('an event of the far future is refused, so that those after it are not stale', async () => {
  const { seller_id } = await app.seller();
  const never = standing(seller_id, { plan: 'Big' }, { time: '2999-12-31T00:00:00Z' });
  expect(await results([never, standing(seller_id, { plan: 'Small' })])).toMatchObject([
    { status: 'rejected', code: 'data_invalid', detail: expect.stringContaining('time lies in the future') },
    { status: 'applied' },
  ]);
  expect(await planOf(seller_id)).toBe('Small');
});

test('a rejected event can be sent again with its id', async () => {
  const event = standing('slr_not_yet', { plan: 'Big' });
  expect(await results(event)).toMatchObject([{ status: 'rejected', code: 'seller_not_found' }]);
  const { seller_id } = await app.seller();
  expect(await results({ ...event, subject: seller_id })).toMatchObject([{ status: 'applied' }]);
  expect(await planOf(seller_id)).toBe('Big');
});

test('data that a feed run has locked hold up neither the request nor another seller', async () => {
  const [held, other] = [await app.seller(), await app.seller()];
  const events = [held, held, other].map(({ seller_id }) => standing(seller_id, { plan: 'Big' }));
  const statuses = (list: readonly Result[]) => list.map(({ status, code }) => code ?? status);
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from seller where seller_id = $1 for update', [held.seller_id]);
    expect(statuses(await results(events))).toEqual(['object_busy', 'object_busy', 'applied']);
    await client.query('rollback');
  });
  expect(statuses(await results(events))).toEqual(['applied', 'applied', 'duplicate']);
});

test('an id with other content is refused; from another source it is another event', async () => {
  const { seller_id } = await app.seller();
  const event = standing(seller_id, { plan: 'Small' });
  await results(event);
  expect(await results({ ...event, data: { plan: 'Big' } })).toMatchObject([
    { status: 'rejected', code: 'id_reused' },
  ]);
  expect(await planOf(seller_id)).toBe('Small');
  expect(await results({ ...event, source: '/other', data: { plan: 'Big' } })).toMatchObject([
    { status: 'applied' },
  ]);
});

test('of simultaneous deliveries of one event one is applied and the others are duplicates', async () => {
  const { seller_id } = await app.seller();
  const event = standing(seller_id, { status: 'suspended' });
  const answers = (await Promise.all(Array.from({ length: 12 }, () => results(event)))).flat();
  expect(answers.filter(({ status }) => status === 'applied')).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 'duplicate')).toHaveLength(11);
  expect(await eventsOf(seller_id)).toHaveLength(1);
});

test('an older state is stale: recorded, not applied; versions count before times', async () => {
  const { seller_id } = await app.seller();
  const at = (time: string, data: object, more: object = {}) => standing(seller_id, data, { time, ...more });
  const old = at('2026-06-28T01:00:00Z', { plan: 'Small' });
  await results(at('2026-06-28T02:00:00Z', { plan: 'Big' }));
  expect(await results(old)).toMatchObject([{ status: 'stale' }]);
  expect(await results(old)).toMatchObject([{ status: 'duplicate' }]);
  expect(await results(at('2026-06-28T03:00:00Z', { plan: 'Small' }, { objectversion: 5 }))).toMatchObject([
    { status: 'applied' },
  ]);
  expect(await results(at('2026-06-28T09:00:00Z', { plan: 'Free' }, { objectversion: 4 }))).toMatchObject([
    { status: 'stale' },
  ]);
  expect(await results(at('2026-06-28T00:00:00Z', { plan: 'Big' }, { objectversion: 6 }))).toMatchObject([
    { status: 'applied' },
  ]);
  expect(await planOf(seller_id)).toBe('Big');
});

test('of simultaneous decisions about a seller the latest wins', async () => {
  const { seller_id } = await app.seller();
  const plans = ['Free', 'Small', 'Big'];
  const decisions = Array.from({ length: 15 }, (_, version) =>
    standing(seller_id, { plan: plans[version % 3] }, { objectversion: version + 1 }),
  );
  const answers = await Promise.all(decisions.toReversed().map((decision) => results(decision)));
  expect(answers.flat().every(({ status }) => status === 'applied' || status === 'stale')).toBe(true);
  expect(await planOf(seller_id)).toBe('Big');
});

test('a broken envelope applies nothing of the batch', async () => {
  const { seller_id } = await app.seller();
  const good = standing(seller_id, { plan: 'Big' });
  const answer = await post([good, { ...standing(seller_id, {}), source: '' }]);
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ code: 'validation_error', detail: [{ loc: ['body', 1, 'source'] }] });
  expect(await planOf(seller_id)).toBe('Free');
  expect(await results(good)).toMatchObject([{ status: 'applied' }]);
});

test.each(['{"specversion":', '', '[1', '{"__proto__":{}}'])('malformed JSON %j is 422', async (body) => {
  const answer = await post(body);
  expect([answer.status, answer.body?.['code']]).toEqual([422, 'validation_error']);
});

test.each<[string, InternalCall, string]>([
  ['no token', { token: null }, 'token_missing'],
  ['a wrong token', { token: 'test-internal-token-0123456780' }, 'token_invalid'],
  ['a prefix of the token', { token: 'test-internal-token' }, 'token_invalid'],
])('%s is 401 everywhere, and nothing is applied', async (_name, call, code) => {
  const { seller_id } = await app.seller();
  const answers = await Promise.all([
    post(standing(seller_id, { plan: 'Big' }), call),
    callInternal(app, 'GET', '/internal/v1/event-types', call),
    callInternal(app, 'GET', '/metrics', call),
  ]);
  for (const { status, body, headers } of answers) {
    expect([status, body?.['code']]).toEqual([401, code]);
    expect(headers.get('www-authenticate')).toContain('Bearer');
  }
  expect(await planOf(seller_id)).toBe('Free');
});

test('the listener refuses seller tokens, and the seller port lacks the listener’s routes', async () => {
  const seller = await app.seller();
  expect((await callInternal(app, 'GET', '/metrics', { token: seller.token })).status).toBe(401);
  for (const path of ['/metrics', '/internal/v1/events', '/internal/v1/event-types', '/internal/v1/clock']) {
    expect((await app.call('GET', path)).status).toBe(404);
    expect((await app.call('POST', path, { json: {} })).status).toBe(404);
  }
});

test('unknown paths are 404, known ones with another method 405', async () => {
  expect((await callInternal(app, 'GET', '/internal/v1/nothing')).body).toMatchObject({
    code: 'route_not_found',
  });
  const answer = await callInternal(app, 'GET', '/internal/v1/events');
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await callInternal(app, 'GET', '/api/v1/sellers/me')).status).toBe(404);
});

test('on system time the clock’s route does not exist', async () => {
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: '2030-01-01T00:00:00Z' },
  });
  expect(answer.status).toBe(404);
});

test('each published example names an object, and a seller where the type has one', async () => {
  const { body } = await callInternal(app, 'GET', '/internal/v1/event-types');
  const types = body?.['data'] as { type: string; subject: string; example: Record<string, unknown> }[];
  const odd = types.filter(
    ({ subject, example }) =>
      (subject !== '–' && !/^(?:[a-z]{3}_\w+|T-9|\d[\d-]*|[A-Z][\w >]+)$/.test(String(example['subject']))) ||
      /version|category|supplier id|–|tax id/.test(subject) === 'sellerid' in example,
  );
  expect(odd).toEqual([]);
});

test('each published type has a schema, and its example is accepted', async () => {
  const { body } = await callInternal(app, 'GET', '/internal/v1/event-types');
  const types = body?.['data'] as { type: string; schema: object; example: Record<string, unknown> }[];
  const published = types.find(({ type }) => type === TYPE);
  expect(published?.schema).toMatchObject({
    type: 'object',
    properties: { plan: { enum: ['Free', 'Small', 'Big'] } },
  });
  const { seller_id } = await app.seller();
  const sent = { ...published?.example, id: randomUUID(), subject: seller_id, sellerid: seller_id };
  expect(await results(sent)).toMatchObject([{ status: 'applied' }]);
  // Other examples may be rejected for other reasons, but their data is valid.
  const others = await results(types.map(({ example }) => ({ ...example, id: randomUUID() })));
  expect(others.filter(({ code }) => code === 'data_invalid' || code === 'unknown_type')).toEqual([]);
});

test('metrics count requests, events, connections and jobs of this app', async () => {
  const { seller_id } = await app.seller();
  await results(standing(seller_id, {}));
  const { status, text, headers } = await callInternal(app, 'GET', '/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('text/plain');
  expect(text).toMatch(
    /spp_http_requests_total\{route="internal\.events\.take",method="POST",status="200"\} [1-9]/,
  );
  expect(text).toMatch(/spp_http_request_duration_seconds_bucket\{le="0\.1",route="auth\.register"/);
  expect(text).toMatch(
    /spp_marketplace_events_total\{type="marketplace\.seller\.standing_changed",status="applied"\} [1-9]/,
  );
  expect(text).toMatch(/spp_db_connections\{pool="short",state="total"\} [1-9]/);
  // The jobs of the examples are overdue; the worker runs them at its next poll.
  const metrics = async () => (await callInternal(app, 'GET', '/metrics')).text;
  await expect.poll(metrics, { timeout: 20_000 }).toMatch(/spp_jobs\{state="late"\} 0/);
  expect(text).toContain('process_resident_memory_bytes');
});

test('a change of standing emits an event; the same standing again emits none', async () => {
  const { seller_id } = await app.seller();
  const time = (minute: number) => ({ time: `2026-06-28T01:0${minute}:00Z` });
  await results([
    standing(seller_id, { hold_days: 5, min_payout_minor: 2000, plan: 'Small' }, time(1)),
    standing(seller_id, { hold_days: 5, plan: 'Small' }, time(2)),
    standing(seller_id, { status: 'suspended', reason: 'identity_review' }, time(3)),
    standing(seller_id, { status: 'active' }, time(4)),
  ]);
  expect(await eventsOf(seller_id)).toMatchObject([
    {
      type: 'account.health_changed',
      data: {
        object: { plan: 'Small', hold_days: 5, min_payout_minor: 2000 },
        previous: { plan: 'Free', hold_days: null, min_payout_minor: null },
      },
    },
    {
      type: 'account.suspended',
      data: { object: { status: 'suspended', reason: 'identity_review' }, previous: { status: 'active' } },
    },
    { type: 'account.reinstated', data: { previous: { status: 'suspended' } } },
  ]);
});

test('a suspended seller is refused at the next request; after reinstatement the token works again', async () => {
  const seller = await app.seller();
  const codeNow = async () => {
    const { status, body } = await seller.call<{ code?: string }>('GET', '/auth/session');
    return [status, body.code];
  };
  const decide = (data: object, minute: number) =>
    results(standing(seller.seller_id, data, { time: `2026-06-28T02:0${minute}:00Z` }));
  await decide({ status: 'suspended' }, 1);
  expect(await codeNow()).toEqual([403, 'seller_suspended']);
  await decide({ status: 'active', verified: false }, 2);
  expect(await codeNow()).toEqual([403, 'seller_not_verified']);
  await decide({ verified: true, api_access: false }, 3);
  expect(await codeNow()).toEqual([403, 'api_access_disabled']);
  await decide({ api_access: true }, 4);
  expect(await codeNow()).toEqual([200, undefined]);
});

test('different subject and sellerid are refused', async () => {
  const { seller_id } = await app.seller();
  const event = standing(seller_id, { plan: 'Big' }, { sellerid: 'slr_other' });
  expect(await results(event)).toMatchObject([{ status: 'rejected', code: 'data_invalid' }]);
  expect(await results(standing(seller_id, {}, { subject: undefined, sellerid: seller_id }))).toMatchObject([
    { status: 'applied' },
  ]);
});
