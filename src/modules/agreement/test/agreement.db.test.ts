/** Terms, acceptances, and the routes that an overdue acceptance stops, on a manual clock. */
import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, giveAddress, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { logOf } from '../../../../test/support/audit.ts';
import { csv, eventually, feed, goods } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  apply,
  eventTypesOf,
  orderEvent,
  placeOrder,
  post,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { mug } from '../../../../test/support/products.ts';
import { joinTeam } from '../../../../test/support/team.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { DONE } from '../../../kernel/waiting.ts';

const DAY_MS = 86_400_000;
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const BASE = '/seller-agreement';
const STATEMENT = 'I accept these terms for Test Goods.';
const TEXT = 'Terms of sale, version 3.\n\nFees are published.\n';
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
const now = () => app.app.services.now();
const iso = (ms: number) => new Date(ms).toISOString();

interface State {
  readonly code?: string;
  readonly status: string;
  readonly current: { readonly version: string; readonly text_sha256: string } | null;
  readonly accepted: { readonly version: string } | null;
  readonly due_at: string | null;
  readonly waiting_on: string;
  readonly action: { readonly method: string; readonly href: string } | null;
  readonly can_accept: boolean;
  readonly statement: string;
}
interface Accepted {
  readonly code?: string;
  readonly acceptance_id: string;
  readonly version: string;
  readonly receipt: string;
  readonly receipt_sha256: string;
}
type Caller = Pick<TestSeller, 'call'>;

let published = 0;
/** Publishes a version that is newer than all others. */
async function publish(more: Record<string, unknown> = {}): Promise<string> {
  published += 1;
  const version = `v${published}`;
  const text = `Terms ${version}`;
  const data = {
    ...{ version, title: 'Terms of sale', text, text_sha256: digestOf(text) },
    ...{
      url: 'https://marketplace.example/terms',
      effective_on: iso(now() + published * DAY_MS).slice(0, 10),
    },
    ...more,
  };
  await apply(app, orderEvent(app, { seller_id: 'slr_any' }, 'agreement.published', version, data));
  return version;
}
async function moveTo(instant: number): Promise<void> {
  const { status } = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: iso(instant) } });
  expect(status).toBe(200);
}
const stateOf = async (seller: Caller) => (await seller.call<State>('GET', BASE)).body;
const accept = (seller: Caller, version: string, more: object = {}) =>
  seller.call<Accepted>('POST', `${BASE}/acceptances`, {
    json: { version, text_sha256: digestOf(`Terms ${version}`), statement: STATEMENT, ...more },
  });
const outcome = ({ status, body }: Answer<{ readonly code?: string }>) => [status, body?.code];
const createProduct = (seller: Caller) =>
  seller.call<{ code?: string; version?: string; href?: string; since?: string }>('POST', '/products', {
    json: mug(),
  });

test('without a version nothing is due', async () => {
  const seller = await app.seller();
  expect(await stateOf(seller)).toEqual({
    ...{ status: 'none_published', current: null, accepted: null, due_at: null },
    ...DONE,
    ...{ can_accept: false, statement: STATEMENT },
  });
  expect(outcome(await accept(seller, 'v1'))).toEqual([422, 'validation_error']);
});

describe('an acceptance', () => {
  test('has a receipt that anybody can compute', async () => {
    const seller = await app.seller();
    const digest = digestOf(TEXT);
    expect(digest).toBe('6b23d25ed1db2f48bbd0386295edb6e5127fd4f3d3e6ab1adba5bd30f6c8a2ac');
    const version = await publish({ text: TEXT, text_sha256: digest, summary_of_changes: ['Fees.'] });
    const before = await stateOf(seller);
    expect(before).toMatchObject({
      ...{ status: 'due_soon', accepted: null, waiting_on: 'seller', can_accept: true },
      current: { version, text_sha256: digest, summary_of_changes: ['Fees.'] },
      due_at: iso(now() + 14 * DAY_MS),
      action: { kind: 'call', method: 'POST', href: '/api/v1/seller-agreement/acceptances' },
    });
    const shown = await seller.call<{ text: string }>('GET', `${BASE}/versions/${version}`);
    expect(digestOf(shown.body.text)).toBe(digest);
    const { status, body } = await accept(seller, version, { text_sha256: digest });
    expect(status).toBe(201);
    const session = await seller.call<{ member_id: string }>('GET', '/auth/session');
    expect(body.receipt).toBe(
      `{"aal":"aal2","accepted_at":"${iso(now())}","member_id":"${session.body.member_id}","seller_id":"${seller.seller_id}",` +
        `"statement":"${STATEMENT}","tax_id":"${seller.tax_id}","text_sha256":"${digest}","version":"${version}"}`,
    );
    expect(body.receipt_sha256).toBe(digestOf(body.receipt));
    expect(await stateOf(seller)).toMatchObject({
      ...{ status: 'current', accepted: { version }, due_at: null, action: null, can_accept: false },
    });
    const again = await accept(seller, version, { text_sha256: digest });
    expect([again.status, again.body]).toEqual([200, body]);
    const list = await seller.call<{ data: Accepted[] }>('GET', `${BASE}/acceptances`);
    expect(list.body.data).toEqual([body]);
    const [told] = await marketplaceEvents(app, seller, 'agreement.accepted', 1);
    expect(told?.data.object).toEqual(body);
    expect(await eventTypesOf(app, seller, body.acceptance_id)).toEqual(['agreement.accepted']);
    const log = await logOf(app, seller);
    expect(log.find(({ action }) => action === 'seller_agreement.acceptances.create')).toMatchObject({
      target_type: 'agreement_receipt',
      target_id: body.receipt_sha256,
    });
    const other = await app.seller();
    expect((await other.call<{ data: unknown[] }>('GET', `${BASE}/acceptances`)).body.data).toEqual([]);
  });

  test('of another text, an unknown version or another sentence is refused, and nothing is stored', async () => {
    const seller = await app.seller();
    const version = await publish();
    expect(outcome(await accept(seller, version, { text_sha256: digestOf('other') }))).toEqual([
      409,
      'agreement_text_mismatch',
    ]);
    const wrong = [
      await accept(seller, 'v0'),
      await accept(seller, version, { statement: 'I accept nothing.' }),
      await accept(seller, version, { text_sha256: 'A'.repeat(64) }),
    ];
    expect(
      wrong.map(({ status, body }) => [status, JSON.stringify(body).match(/"loc":\[[^\]]*\]/)?.[0]]),
    ).toEqual([
      [422, '"loc":["body","version"]'],
      [422, '"loc":["body","statement"]'],
      [422, '"loc":["body","text_sha256"]'],
    ]);
    expect((await seller.call<{ data: unknown[] }>('GET', `${BASE}/acceptances`)).body.data).toEqual([]);
    expect((await stateOf(seller)).accepted).toBeNull();
  });

  test('is for owners', async () => {
    const seller = await app.seller({ plan: 'Small' });
    const version = await publish();
    const admin = await joinTeam(app, seller, ['admin']);
    expect(outcome(await accept(admin, version))).toEqual([403, 'owner_required']);
    expect((await stateOf(admin)).can_accept).toBe(false);
    const finance = await joinTeam(app, seller, ['finance']);
    expect(outcome(await accept(finance, version))).toEqual([403, 'permission_denied']);
    expect((await stateOf(finance)).status).toBe('due_soon');
  });

  test('twice at once is one row', async () => {
    const seller = await app.seller();
    const version = await publish();
    const answers = await Promise.all(Array.from({ length: 6 }, () => accept(seller, version)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.acceptance_id)).size).toBe(1);
  });

  test('of the newest version covers the older ones; an older one is superseded', async () => {
    const seller = await app.seller();
    const [older, newer] = [await publish(), await publish()];
    const refused = await accept(seller, older);
    expect([...outcome(refused), (refused.body as { current?: string }).current]).toEqual([
      409,
      'version_superseded',
      newer,
    ]);
    expect((await accept(seller, newer)).status).toBe(201);
    expect((await stateOf(seller)).status).toBe('current');
    await publish();
    expect(await stateOf(seller)).toMatchObject({
      status: 'current',
      accepted: { version: newer },
      can_accept: true,
    });
  });

  test('never changes, not even for the service', async () => {
    const seller = await app.seller();
    await accept(seller, await publish());
    for (const text of [
      "update agreement_acceptance set statement = 'x'",
      'delete from agreement_acceptance',
      'truncate agreement_acceptance',
    ])
      await expect(runOn(app.database.adminUrl, (client) => client.query(text))).rejects.toThrow(
        /never changes/,
      );
  });

  test('is possible before the seller is verified, with the second factor, and not while it is suspended', async () => {
    const seller = await app.seller();
    const version = await publish();
    const standing = (data: object) =>
      apply(app, orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, data));
    await standing({ verified: false, api_access: false });
    const as = (aal: 'aal1' | 'aal2') =>
      ({
        call: async (method: string, path: string, options = {}) =>
          app.call(method, `/api/v1${path}`, {
            ...options,
            headers: { authorization: `Bearer ${await seller.session(aal)}` },
          }),
      }) as Caller;
    expect((await stateOf(as('aal1'))).status).toBe('due_soon');
    expect(outcome(await accept(as('aal1'), version))).toEqual([403, 'insufficient_assurance']);
    await standing({ status: 'suspended' });
    expect(await stateOf(as('aal2'))).toMatchObject({ status: 'due_soon', can_accept: false });
    expect(outcome(await accept(as('aal2'), version))).toEqual([403, 'seller_suspended']);
    await standing({ status: 'active' });
    expect((await accept(as('aal2'), version)).status).toBe(201);
  });
});

describe('published terms', () => {
  test.each([
    ['with another text than the digest says', { text_sha256: digestOf('other') }, 'text_mismatch'],
    ['with a text of more than 256 KiB', { text: 'é'.repeat(131_073) }, 'data_invalid'],
    ['without an address', { url: 'terms' }, 'data_invalid'],
    ['with another version in the subject', { version: 'other' }, 'data_invalid'],
  ])('%s are refused', async (_what, more, code) => {
    const text = 'Refused';
    const data = {
      ...{ version: 'refused', title: 'Terms', text, text_sha256: digestOf(text) },
      ...{ url: 'https://marketplace.example', effective_on: '2026-01-01', ...more },
    };
    const event = orderEvent(app, { seller_id: 'slr_any' }, 'agreement.published', 'refused', data);
    const [result] = await app.events(event);
    expect([result?.status, result?.code]).toEqual(['rejected', code]);
  });

  test('never change, and an older one that comes late needs no acceptance', async () => {
    const seller = await app.seller();
    const newest = await publish();
    const send = async (data: object, more: object = {}) => {
      const event = orderEvent(app, { seller_id: 'slr_any' }, 'agreement.published', 'late', data, more);
      const [result] = await app.events({ ...event, id: randomUUID() });
      return result?.code ?? result?.status;
    };
    const late = {
      ...{ version: 'late', title: 'Terms', text_sha256: digestOf('late') },
      ...{ url: 'https://marketplace.example', effective_on: '2020-01-01', reacceptance_by: '2020-02-01' },
    };
    expect(await send(late)).toBe('applied');
    expect(await send(late)).toBe('stale');
    expect(await send({ ...late, summary_of_changes: ['Fees.'] })).toBe('stale');
    expect(await send({ ...late, text_sha256: digestOf('x') })).toBe('version_reused');
    expect((await stateOf(seller)).current?.version).toBe(newest);
    const { body } = await seller.call<{ data: { version: string }[] }>('GET', `${BASE}/versions?limit=200`);
    expect([body.data.at(0)?.version, body.data.at(-1)?.version]).toEqual([newest, 'late']);
    const paged = await seller.call<{ data: unknown[]; page: { next_cursor: string } }>(
      'GET',
      `${BASE}/versions?limit=1`,
    );
    const next = await seller.call<{ data: unknown[] }>(
      'GET',
      `${BASE}/versions?limit=1&cursor=${paged.body.page.next_cursor}`,
    );
    expect([...paged.body.data, ...next.body.data]).toEqual(body.data.slice(0, 2));
    expect((await seller.call<{ text: null }>('GET', `${BASE}/versions/late`)).body.text).toBeNull();
    expect(outcome(await seller.call('GET', `${BASE}/versions/none`))).toEqual([404, 'not_found']);
  });
});

describe('by the clock', () => {
  let seller: TestSeller;
  let fresh: TestSeller;
  let version: string;
  let due: number;

  beforeAll(async () => {
    seller = await app.seller({ plan: 'Small' });
    await giveAddress(seller);
    const by = iso(now() + 30 * DAY_MS).slice(0, 10);
    version = await publish({ reacceptance_by: by });
    due = Date.parse((await stateOf(seller)).due_at ?? '');
    expect(iso(due)).toMatch(/T14:00:00/);
  });

  test('until the due date all routes work', async () => {
    await moveTo(due - 1);
    seller = await seller.renew();
    expect((await stateOf(seller)).status).toBe('due_soon');
    expect((await createProduct(seller)).status).toBe(201);
  });

  test('from midnight in Sydney the catalogue cannot grow', async () => {
    const { sku, product_id } = await stocked(seller, 10);
    const draft = await seller.call<{ product_id: string }>('POST', '/products', {
      json: { ...mug(), status: 'draft' },
    });
    const preview = await feed(seller, csv([goods('P-1')]), { query: 'dry_run=true' });
    const stockPreview = await feed(seller, csv([{ seller_sku: sku, quantity: 7 }]), {
      query: 'dry_run=true&mode=inventory',
    });
    const order = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
    const token = seller;
    await moveTo(due);
    expect((await stateOf(token)).status).toBe('overdue');
    const refused = await createProduct(token);
    expect(refused.body).toMatchObject({
      ...{ code: 'agreement_required', version, href: '/api/v1/seller-agreement', since: iso(due) },
    });
    const change = (id: string, json: object) =>
      token.call<{ code?: string }>('PATCH', `/products/${id}`, { json });
    const commit = (id: string) => token.call<{ code?: string }>('POST', `/products/feed-runs/${id}/commit`);
    const growing = [
      refused,
      // The refusal comes before the checks of the body and of the plan.
      await token.call<{ code?: string }>('POST', '/products', { json: { nonsense: 1 } }),
      await token.call<{ code?: string }>('POST', '/products/bulk', { json: { items: [] } }),
      await token.call<{ code?: string }>('POST', '/products/import-profiles', { body: 'x' }),
      await feed<{ code?: string }>(token, csv([goods('F-1')])),
      await commit(preview.body.run_id),
      await change(draft.body.product_id, { status: 'active' }),
    ];
    expect(growing.map(outcome)).toEqual(growing.map(() => [403, 'agreement_required']));
    const { data } = (await token.call<{ data: unknown[] }>('GET', '/products?status=active')).body;
    const working = [
      await change(product_id, { price_minor: 1_900, status: 'active' }),
      await change(draft.body.product_id, { title: 'Better' }),
      await commit(stockPreview.body.run_id),
      await token.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: 20 } }),
      await feed(token, csv([{ seller_sku: sku, quantity: 9 }]), { query: 'mode=inventory' }),
      await post(token, `${order}/accept`),
      await token.call('GET', '/payments/payouts'),
      await token.call('GET', '/products/export'),
      await token.call('DELETE', `/products/${draft.body.product_id}`),
    ];
    expect(working.map(({ status }) => status)).toEqual([200, 200, 201, 200, 201, 200, 200, 200, 200]);
    expect((await shipAll(token, order)).status).toBe('dispatched');
    expect((await token.call<{ data: unknown[] }>('GET', '/products?status=active')).body.data).toHaveLength(
      data.length,
    );
  });

  test('an acceptance counts at the next request, also for earlier tokens', async () => {
    expect((await accept(seller, version)).status).toBe(201);
    expect((await createProduct(seller)).status).toBe(201);
    expect(await stateOf(seller)).toMatchObject({ status: 'current', accepted: { version } });
  });

  test('a seller gets events for the version, two reminders, and the overdue acceptance', async () => {
    expect(await eventTypesOf(app, seller, version)).toEqual([
      'agreement.version_published',
      'agreement.acceptance_due',
      'agreement.acceptance_due',
      'agreement.overdue',
    ]);
    // The second reminder has updated the notification of the first one.
    const { call } = await seller.renew();
    const told = await eventually(
      async () =>
        (
          await call<{ data: { severity: string; type: string }[] }>('GET', '/notifications?limit=200')
        ).body.data.filter(({ type }) => /^agreement\.(acceptance_due|overdue)/.test(type)),
      (list) => list.some(({ type }) => type === 'agreement.overdue'),
    );
    expect(told.map(({ severity }) => severity)).toEqual(['critical', 'critical']);
  });

  test('a new seller has 14 days, in which products can be created', async () => {
    fresh = await app.seller();
    const registered = now();
    expect(Date.parse((await stateOf(fresh)).due_at ?? '')).toBe(registered + 14 * DAY_MS);
    expect((await createProduct(fresh)).status).toBe(201);
    await moveTo(registered + 14 * DAY_MS - 1);
    fresh = await fresh.renew();
    expect((await createProduct(fresh)).status).toBe(201);
    await moveTo(registered + 14 * DAY_MS);
    expect(outcome(await createProduct(fresh))).toEqual([403, 'agreement_required']);
    expect(await eventTypesOf(app, fresh, version)).toEqual([
      'agreement.version_published',
      'agreement.acceptance_due',
      'agreement.overdue',
    ]);
    // The seller that has accepted gets no more events.
    const types = await eventTypesOf(app, seller, version);
    expect(types.filter((type) => type === 'agreement.overdue').length).toBeLessThan(2);
  });
});
