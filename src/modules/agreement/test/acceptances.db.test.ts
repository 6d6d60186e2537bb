/** Acceptances of the marketplace's terms, and their receipts. */
import { expect, test } from 'vitest';
import {
  type Accepted,
  accept,
  agreementOn,
  BASE,
  type Caller,
  DAY_MS,
  digestOf,
  iso,
  outcome,
  STATEMENT,
  stateOf,
} from '../../../../test/support/agreement.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { logOf } from '../../../../test/support/audit.ts';
import { apply, eventTypesOf, orderEvent } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { joinTeam } from '../../../../test/support/team.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { DONE } from '../../../kernel/waiting.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const { now, publish } = agreementOn(app);
const TEXT = 'Terms of sale, version 3.\n\nFees are published.\n';

test('without a version nothing is due', async () => {
  const seller = await app.seller();
  expect(await stateOf(seller)).toEqual({
    ...{ status: 'none_published', current: null, accepted: null, due_at: null },
    ...DONE,
    ...{ can_accept: false, statement: STATEMENT },
  });
  expect(outcome(await accept(seller, 'v1'))).toEqual([422, 'validation_error']);
});

test('an acceptance has a receipt that anybody can compute', async () => {
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

test('an acceptance of another text, an unknown version or another sentence is refused, and nothing is stored', async () => {
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

test('an acceptance is for owners', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const version = await publish();
  const admin = await joinTeam(app, seller, ['admin']);
  expect(outcome(await accept(admin, version))).toEqual([403, 'owner_required']);
  expect((await stateOf(admin)).can_accept).toBe(false);
  const finance = await joinTeam(app, seller, ['finance']);
  expect(outcome(await accept(finance, version))).toEqual([403, 'permission_denied']);
  expect((await stateOf(finance)).status).toBe('due_soon');
});

test('an acceptance twice at once is one row', async () => {
  const seller = await app.seller();
  const version = await publish();
  const answers = await Promise.all(Array.from({ length: 6 }, () => accept(seller, version)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
  expect(new Set(answers.map(({ body }) => body.acceptance_id)).size).toBe(1);
});

test('an acceptance of the newest version covers the older ones; an older one is superseded', async () => {
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

test('an acceptance never changes, not even for the service', async () => {
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

test('an acceptance is possible before the seller is verified, with the second factor, and not while it is suspended', async () => {
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
