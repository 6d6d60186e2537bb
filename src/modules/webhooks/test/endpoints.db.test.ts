/** Endpoints through HTTP: their fields, the plan's limit, and their secrets. */
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { runOn } from '../../../../test/support/test-server.ts';

/** Without the setting: in development a receiver may run on the same machine. */
const app = await startTestApp();
const POLL = { timeout: 15_000, interval: 20 };
const TARGET = { url: 'https://hooks.example.test/a', event_types: ['product.*', 'inventory.updated'] };

type Body = Record<string, unknown> & { readonly endpoint_id: string; readonly secret: string };
const create = (
  seller: TestSeller,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => seller.call<Body>('POST', '/webhooks/endpoints', { json: { ...TARGET, ...more }, headers });
const problems = (body: unknown): unknown =>
  (body as { detail: { loc: unknown[]; type: string }[] }).detail.map(({ loc, type }) => [
    loc.join('.'),
    type,
  ]);

test('an endpoint is created, read, changed and deleted', async () => {
  const seller = await app.seller();
  const made = await create(seller, { description: 'Warehouse' });
  expect(made.status).toBe(201);
  expect(made.headers.get('cache-control')).toBe('no-store');
  const { secret, ...shown } = made.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toMatchObject({
    ...TARGET,
    description: 'Warehouse',
    payload: 'full',
    ordering: 'per_object',
    max_concurrency: 10,
    status: 'active',
    version: 1,
  });
  const path = made.headers.get('location')?.replace('/api/v1', '') ?? '';
  const read = await seller.call('GET', path);
  expect([read.status, read.body]).toEqual([200, shown]);
  const tag = String(read.headers.get('etag'));
  const again = await seller.call('GET', path, { headers: { 'if-none-match': tag } });
  expect(again.status).toBe(304);

  const json = { url: 'https://hooks.example.test/b', payload: 'thin', max_concurrency: 3 };
  const changed = await seller.call('PATCH', path, { json, headers: { 'if-match': tag } });
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { ...json, event_types: TARGET.event_types, version: 2 },
  ]);
  const late = await seller.call('PATCH', path, { json: { payload: 'full' }, headers: { 'if-match': tag } });
  expect(late.status).toBe(412);
  const listed = await seller.call<{ data: unknown[] }>('GET', '/webhooks/endpoints?status=active');
  expect(listed.body.data).toEqual([changed.body]);

  expect((await seller.call('DELETE', path)).status).toBe(204);
  for (const method of ['GET', 'DELETE']) expect((await seller.call(method, path)).status).toBe(404);
  expect((await seller.call<{ data: unknown[] }>('GET', '/webhooks/endpoints')).body.data).toEqual([]);
});

test.each([
  [{ url: 'ftp://example.com/' }, 'body.url', 'url_invalid'],
  [{ url: 'https://user:secret@example.com/' }, 'body.url', 'url_userinfo'],
  [{ url: 'https://example.com:25/' }, 'body.url', 'url_port_refused'],
  [{ url: 'http://169.254.169.254/latest' }, 'body.url', 'url_address_refused'],
  [{ url: 'http://[::ffff:169.254.169.254]/' }, 'body.url', 'url_address_refused'],
  [{ url: 'http://10.0.0.1/' }, 'body.url', 'url_address_refused'],
  [{ url: 'http://metadata.google.internal./' }, 'body.url', 'url_address_refused'],
  [{ url: 'http://0xa000001/' }, 'body.url', 'url_address_refused'],
  [{ event_types: ['product.exploded'] }, 'body.event_types.0', 'event_type_unknown'],
  [{ event_types: ['nothing.*'] }, 'body.event_types.0', 'event_type_unknown'],
  [{ event_types: ['prod*'] }, 'body.event_types.0', 'string_pattern_mismatch'],
  [{ event_types: [] }, 'body.event_types', 'too_short'],
  [{ max_concurrency: 0 }, 'body.max_concurrency', 'greater_than_equal'],
  [{ payload: 'half' }, 'body.payload', 'enum'],
  [{ secret: 'whsec_mine' }, 'body.secret', 'extra_forbidden'],
])('%j is refused', async (change, loc, type) => {
  const { status, body, text } = await create(await app.seller(), change);
  expect([status, problems(body)]).toEqual([422, [[loc, type]]]);
  expect(text).not.toContain('secret@');
});

describe('the plan', () => {
  test('limits endpoints under concurrent requests; a deleted one does not count', async () => {
    const seller = await app.seller({ plan: 'Small' });
    const answers = await Promise.all(Array.from({ length: 9 }, () => create(seller)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 402, 402, 402, 402]);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.body).toMatchObject({
      error: 'tier_limit_exceeded',
      tier: 'Small',
      limit: 5,
      current_usage: 5,
    });
    const first = answers.find(({ status }) => status === 201)?.body.endpoint_id;
    expect((await seller.call('DELETE', `/webhooks/endpoints/${first}`)).status).toBe(204);
    expect((await create(seller)).status).toBe(201);
    const { body } = await seller.call<{ limits: Record<string, unknown> }>('GET', '/billing/entitlements');
    expect(body.limits['webhook_endpoints']).toMatchObject({ used: 5, limit: 5 });
  });

  test('allows one endpoint on the Free plan', async () => {
    const seller = await app.seller({ plan: 'Free' });
    expect([(await create(seller)).status, (await create(seller)).status]).toEqual([201, 402]);
  });
});

describe('secrets', () => {
  const stored = (secret: string) =>
    runOn(app.database.adminUrl, async (client) => {
      const needle = `%${secret.slice('whsec_'.length)}%`;
      const { rows } = await client.query(
        "select 'endpoint' as place from webhook_endpoint where secret like $1 or retired_secrets::text like $1 " +
          "union all select 'key' from idempotency_key where body like $1 union all select 'event' from outbox where data::text like $1",
        [needle],
      );
      return rows;
    });

  test('are shown once and are nowhere in the database, not even under an idempotency key', async () => {
    const seller = await app.seller();
    const headers = { 'idempotency-key': randomUUID() };
    const made = await create(seller, {}, headers);
    const again = await create(seller, {}, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body).toEqual(made.body);
    expect(await stored(made.body.secret)).toEqual([]);
    const path = `/webhooks/endpoints/${made.body.endpoint_id}`;
    for (const place of [path, '/webhooks/endpoints', '/webhooks'])
      expect((await seller.call('GET', place)).text).not.toContain('whsec_');
    const rotated = await seller.call<Body>('POST', `${path}/rotate-secret`);
    expect(rotated.body.secret).not.toBe(made.body.secret);
    expect(await stored(rotated.body.secret)).toEqual([]);
  });

  test('overlap after a rotation, unless the overlap is 0', async () => {
    const [seller, receiver] = [await app.seller(), await startReceiver()];
    const { body: made } = await create(seller, { url: receiver.url });
    const path = `/webhooks/endpoints/${made.endpoint_id}`;
    const accepted = async (secrets: readonly string[]): Promise<boolean[]> => {
      const before = receiver.received.length;
      expect((await seller.call('POST', `${path}/test`)).status).toBe(202);
      await expect.poll(() => receiver.received.length, POLL).toBe(before + 1);
      const { text = '', headers } = receiver.received.at(-1) ?? {};
      return secrets.map((secret) => {
        try {
          new Webhook(secret).verify(text, headers as Record<string, string>);
          return true;
        } catch {
          return false;
        }
      });
    };
    expect(await accepted([made.secret])).toEqual([true]);
    const rotated = await seller.call<Body>('POST', `${path}/rotate-secret`);
    expect(Date.parse(String(rotated.body['secret_overlap_ends_at']))).toBeGreaterThan(
      Date.now() + 86_000_000,
    );
    expect(await accepted([rotated.body.secret, made.secret])).toEqual([true, true]);
    const leaked = await seller.call<Body>('POST', `${path}/rotate-secret?overlap_seconds=0`);
    expect(await accepted([leaked.body.secret, rotated.body.secret, made.secret])).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test('a test event is signed and marked as a test, and is sent to a paused endpoint', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { body: made } = await create(seller, { url: receiver.url });
  const path = `/webhooks/endpoints/${made.endpoint_id}`;
  await seller.call('POST', `${path}/pause`);
  const sent = await seller.call<{ delivery_id: string }>('POST', `${path}/test`);
  expect([sent.status, sent.body]).toMatchObject([202, { event_type: 'ping', test: true, sequence: null }]);
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  expect(receiver.received[0]?.id).toBe(sent.body.delivery_id);
  expect(receiver.received[0]?.event).toMatchObject({ type: 'ping', test: true, sequence: 0 });
});

test('an address that is not open is refused, and the refusal names the setting that opens it', async () => {
  const closed = await startTestApp({ WEBHOOK_ALLOWED_CIDRS: '192.0.2.0/24' });
  const seller = await closed.seller({ plan: 'Small' });
  for (const url of ['http://127.0.0.1:9000/', 'http://[::1]:9000/']) {
    const { status, body, text } = await create(seller, { url });
    expect([status, problems(body)]).toEqual([422, [['body.url', 'url_address_refused']]]);
    expect(text).toContain('WEBHOOK_ALLOWED_CIDRS');
  }
  const never = ['169.254.169.254', '[fe80::1]', '[::ffff:a9fe:a9fe]', 'metadata.google.internal'];
  for (const host of never) {
    const { status, body, text } = await create(seller, { url: `http://${host}:9000/` });
    expect([host, status, problems(body)]).toEqual([host, 422, [['body.url', 'url_address_refused']]]);
    expect(text).toContain('are never called');
    expect(text).not.toContain('WEBHOOK_ALLOWED_CIDRS');
  }
});

test('another seller’s endpoint is 404', async () => {
  const [owner, stranger] = [await app.seller(), await app.seller()];
  const { body } = await create(owner);
  const path = `/webhooks/endpoints/${body.endpoint_id}`;
  for (const [method, place] of [
    ['GET', path],
    ['PATCH', path],
    ['DELETE', path],
    ['POST', `${path}/pause`],
    ['POST', `${path}/resume`],
    ['POST', `${path}/test`],
    ['POST', `${path}/rotate-secret`],
    ['POST', `${path}/replay`],
  ] as const) {
    const json = method === 'PATCH' ? { payload: 'thin' } : { from: '2026-01-01T00:00:00Z' };
    const options = place.endsWith('/replay') || method === 'PATCH' ? { json } : {};
    const answer = await stranger.call<{ code: string }>(method, place, options);
    expect([place, answer.status, answer.body.code]).toEqual([place, 404, 'not_found']);
  }
});
