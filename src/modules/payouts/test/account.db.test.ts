/** The account at the payment provider: from the first link to the first payout. */
import { expect, test } from 'vitest';
import { acts, BANKS } from '../../../../demo/payment-provider/life.ts';
import { REVIEW_MS } from '../../../../demo/payment-provider/views.ts';
import type { TestSeller } from '../../../../test/support/app.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { API_KEY, paymentStage, RETURN_URL } from '../../../../test/support/payment-provider.ts';
import type { AccountWire } from '../schemas/account.ts';

const stage = await paymentStage();
const { app, provider } = stage;
const json = { return_url: RETURN_URL };

async function accountOf(seller: TestSeller): Promise<AccountWire> {
  const { status, body } = await (await seller.renew()).call<AccountWire>('GET', '/payouts/account');
  expect(status).toBe(200);
  return body;
}
const eventsOf = async (seller: TestSeller): Promise<string[]> => {
  const found = await stage.rows<{ type: string }>(
    "select type from outbox where seller_id = $1 and type like 'payout_account.%' order by created_at, event_id",
    [seller.seller_id],
  );
  return found.map(({ type }) => type.slice('payout_account.'.length));
};
const later = (ms: number) => stage.moveTo(new Date(app.app.services.now() + ms).toISOString());

test('an account goes from not_started over the hosted page and a review to enabled', async () => {
  const seller = await app.seller();
  expect(await accountOf(seller)).toMatchObject({
    status: 'not_started',
    payout_account_id: null,
    waiting_on: 'seller',
    action: { kind: 'call', method: 'POST', href: '/api/v1/payouts/onboarding-links' },
  });
  const link = await seller.call<{ url: string }>('POST', '/payouts/onboarding-links', { json });
  expect([link.status, link.headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect(await accountOf(seller)).toMatchObject({
    status: 'in_progress',
    payout_account_id: expect.stringMatching(/^pac_/),
    requirements: expect.arrayContaining([
      expect.objectContaining({ code: 'payout_account_missing', waiting_on: 'seller' }),
      expect.objectContaining({
        code: 'provider_requirement',
        provider_code: 'external_account',
        group: 'bank',
        due: 'currently_due',
      }),
    ]),
  });
  const page = await (await fetch(link.body.url)).text();
  expect((await fetch(link.body.url)).status).toBe(410);
  const form = /action="([^"]+)"/.exec(page)?.[1] ?? '';
  const body = new URLSearchParams({ name: 'June', bank: BANKS.works });
  const sent = await fetch(new URL(form, provider.url), { method: 'POST', body, redirect: 'manual' });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, RETURN_URL]);
  await stage.callBack();
  expect(await accountOf(seller)).toMatchObject({
    status: 'under_review',
    waiting_on: 'provider',
    action: { kind: 'wait' },
    next_check_at: new Date(app.app.services.now() + 6 * 3_600_000).toISOString(),
  });
  // The provider has not answered for days.
  const silence =
    "update payout_account set fetched_at = fetched_at - interval '3 days' where seller_id = $1";
  await stage.rows(silence, [seller.seller_id]);
  const silent = await accountOf(seller);
  const hours = (Date.parse(String(silent.next_check_at)) - app.app.services.now()) / 3_600_000;
  expect(silent.status).toBe('under_review');
  expect(hours).toSatisfy((left: number) => left > 0 && left <= 1);
  await later(REVIEW_MS);
  await stage.callBack();
  expect(await accountOf(seller)).toMatchObject({
    status: 'enabled',
    waiting_on: 'nobody',
    action: null,
    destination: { last4: '3456' },
    requirements: [],
  });
  expect(new Set(await eventsOf(seller))).toEqual(new Set(['updated', 'destination_changed']));
  const again = await seller.renew();
  expect((await again.call('POST', '/payouts/dashboard-links')).status).toBe(201);
  // The page is open to an account that was accepted too.
  expect((await again.call('POST', '/payouts/onboarding-links', { json })).status).toBe(201);
  expect(provider.asked.filter((asked) => asked.includes(`acct-${seller.seller_id}`))).toHaveLength(1);
});

const accountsOf = ({ seller_id }: TestSeller) =>
  Object.values(provider.life.state.accounts).filter(({ metadata }) => metadata['seller_id'] === seller_id);

test('the local provider refuses what the real one refuses', async () => {
  const { account } = await stage.paidSeller();
  const body = new URLSearchParams({
    account,
    type: 'account_update',
    return_url: RETURN_URL,
    refresh_url: RETURN_URL,
  });
  const headers = { authorization: `Bearer ${API_KEY}` };
  const answer = await fetch(`${provider.url}/v1/account_links`, { method: 'POST', headers, body });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { error: expect.objectContaining({ type: 'invalid_request_error' }) },
  ]);
});

test('an account whose opening was not answered is found again, also days later', async () => {
  const seller = await app.seller();
  const link = async () =>
    (await (await seller.renew()).call('POST', '/payouts/onboarding-links', { json })).status;
  // Twice, because the client library repeats a request once whose connection was closed.
  provider.fail('cut', '/v1/accounts', 2);
  expect(await link()).toBe(503);
  expect(accountsOf(seller)).toMatchObject([{ email: seller.email }]);
  provider.forgetKeys();
  await later(3 * 86_400_000);
  provider.fail('broken', '/v1/account_links');
  expect(await link()).toBe(503);
  expect(await accountOf(seller)).toMatchObject({ status: 'not_started' });
  provider.forgetKeys();
  expect([await link(), await link()]).toEqual([201, 201]);
  expect(accountsOf(seller)).toHaveLength(1);
  expect(await accountOf(seller)).toMatchObject({
    status: 'in_progress',
    provider_account_tail: accountsOf(seller)[0]?.id.slice(-4),
  });
});

test('an answer that opens no account is not repeated to a seller that has mended its data', async () => {
  const seller = await app.seller();
  const link = async () => {
    const { status, body } = await (await seller.renew()).call<Record<string, unknown>>(
      'POST',
      '/payouts/onboarding-links',
      { json },
    );
    return [status, body['code'], body['provider_code']];
  };
  const mail = (email: string) =>
    stage.rows('update team_member set email = $2 where seller_id = $1', [seller.seller_id, email]);
  const refusal = [409, 'payout_account_refused', 'email_invalid'];
  await mail('june@shop');
  expect([await link(), await link()]).toEqual([refusal, refusal]);
  expect(await accountOf(seller)).toMatchObject({ status: 'not_started', waiting_on: 'seller' });
  await mail('june@shop.example');
  expect(await link()).toEqual([201, undefined, undefined]);
  expect(accountsOf(seller)).toMatchObject([{ email: 'june@shop.example' }]);
});

test('an error that the provider keeps under a key is not repeated for a day', async () => {
  const seller = await app.seller();
  const link = async () =>
    (await (await seller.renew()).call('POST', '/payouts/onboarding-links', { json })).status;
  provider.fail('broken', '/v1/accounts');
  expect([await link(), await link()]).toEqual([503, 201]);
  expect(accountsOf(seller)).toHaveLength(1);
});

test('members that ask for a link at the same time open one account', async () => {
  const seller = await app.seller();
  const link = async () => (await seller.call('POST', '/payouts/onboarding-links', { json })).status;
  const isOpening = (name: string) => name === 'POST /v1/accounts';
  const { promise: opening, resolve: begun } = Promise.withResolvers<void>();
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  provider.before = async (name) => {
    if (!isOpening(name)) return;
    begun();
    await goOn;
  };
  const first = link();
  await opening;
  // The provider works on the key of the first request.
  expect([await link(), await link()]).toEqual([503, 503]);
  resolve();
  expect([await first, await link()]).toEqual([201, 201]);
  provider.before = () => undefined;
  expect(accountsOf(seller)).toHaveLength(1);
  const keys = provider.asked.filter((asked) => asked.startsWith('POST /v1/accounts acct-'));
  expect(new Set(keys.filter((key) => key.includes(seller.seller_id))).size).toBe(1);
});

test('an address that changes while an answer is lost needs another key', async () => {
  const seller = await app.seller();
  const link = async () =>
    (await (await seller.renew()).call('POST', '/payouts/onboarding-links', { json })).status;
  // The provider keeps an answer that the service has not got.
  provider.fail('cut', '/v1/accounts', 2);
  expect(await link()).toBe(503);
  for (const { id } of accountsOf(seller)) Reflect.deleteProperty(provider.life.state.accounts, id);
  await stage.rows('update team_member set email = $2 where seller_id = $1', [
    seller.seller_id,
    `new-${seller.email}`,
  ]);
  expect([await link(), await link()]).toEqual([503, 201]);
  expect(accountsOf(seller)).toMatchObject([{ email: `new-${seller.email}` }]);
});

test('an account and its entry in the activity log are stored together', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  const opened = async () =>
    stage.rows<{ action: string; target_id: string }>(
      `select e.action, e.target_id
         from payout_account a
         join audit_entry e on e.seller_id = a.seller_id and e.target_id = a.payout_account_id
        where a.seller_id = $1`,
      [seller_id],
    );
  const accounts = () => stage.rows('select from payout_account where seller_id = $1', [seller_id]);
  await stage.rows(
    `alter table audit_entry add constraint refused check (seller_id <> '${seller_id}') not valid`,
  );
  expect((await seller.call('POST', '/payouts/onboarding-links', { json })).status).toBe(500);
  expect(await accounts()).toEqual([]);
  await stage.rows('alter table audit_entry drop constraint refused');
  expect((await seller.call('POST', '/payouts/onboarding-links', { json })).status).toBe(201);
  expect(await opened()).toMatchObject([{ action: 'payouts.onboarding_links.create' }]);
  expect(accountsOf(seller)).toHaveLength(1);
});

test('what the marketplace holds back is in the state of the account everywhere, at once', async () => {
  const seller = await stage.paidSeller();
  const states = async () => {
    const own = await seller.renew();
    const step = await own.call<{ status: string }>('GET', '/onboarding/steps/payout_account');
    const kyc = await own.call<{ provider: { status: string } }>('GET', '/kyc');
    return [(await accountOf(seller)).status, step.body.status, kyc.body.provider.status];
  };
  const hold = (active: boolean) =>
    app.events(
      orderEvent(app, seller, 'settlement.hold_changed', seller.seller_id, {
        reason: 'payouts_disabled',
        active,
      }),
    );
  expect(await states()).toEqual(['enabled', 'done', 'enabled']);
  await hold(true);
  expect(await states()).toEqual(['disabled', 'todo', 'disabled']);
  await hold(false);
  expect(await states()).toEqual(['enabled', 'done', 'enabled']);
});

test('an account that is out of reach is asked about every day', async () => {
  const seller = await stage.paidSeller();
  const account = provider.life.state.accounts[seller.account];
  if (account === undefined) throw new Error('no account');
  acts.deauthorise(provider.life, seller.account);
  await stage.callBack();
  expect(await accountOf(seller)).toMatchObject({ status: 'disabled' });
  account.stage = 'active';
  await later(2 * 86_400_000);
  expect(await accountOf(seller)).toMatchObject({ status: 'enabled' });
});

test('what the provider asks for, refuses or cannot read says who acts, what and until when', async () => {
  const seller = await stage.paidSeller();
  const deadline = Math.floor(app.app.services.now() / 1000) + 10 * 86_400;
  acts.ask(provider.life, seller.account, 'individual.verification.document', deadline);
  await stage.callBack();
  const until = new Date(deadline * 1000).toISOString();
  expect(await accountOf(seller)).toMatchObject({
    status: 'action_needed',
    deadline: until,
    waiting_on: 'seller',
    requirements: [{ group: 'document', deadline: until }],
  });
  expect((await eventsOf(seller)).filter((type) => type === 'action_needed')).toHaveLength(1);
  await later(9.5 * 86_400_000);
  expect((await eventsOf(seller)).filter((type) => type === 'action_needed')).toHaveLength(3);

  const other = await stage.paidSeller();
  const account = provider.life.state.accounts[other.account];
  if (account === undefined) throw new Error('no account');
  account.stage = 'papers';
  // No callback: the account is read again after a week.
  await later(8.5 * 86_400_000);
  expect(await accountOf(other)).toMatchObject({
    status: 'restricted',
    waiting_on: 'seller',
    requirements: expect.arrayContaining([
      expect.objectContaining({ code: 'payouts_disabled' }),
      expect.objectContaining({
        due: 'past_due',
        errors: [{ code: 'verification_document_not_readable', text: expect.any(String) }],
      }),
    ]),
  });
  acts.deauthorise(provider.life, other.account);
  await stage.callBack();
  expect(await accountOf(other)).toMatchObject({ status: 'disabled', waiting_on: 'marketplace' });
  const closed = await (await other.renew()).call('POST', '/payouts/onboarding-links', { json });
  expect([closed.status, closed.body]).toEqual([
    409,
    expect.objectContaining({ code: 'payout_account_closed' }),
  ]);
});

test('links lead to allowed addresses only, and need an account and a provider that answers', async () => {
  const seller = await app.seller();
  const post = async (path: string, body?: object) => {
    const answer = await seller.call<Record<string, unknown>>('POST', path, body && { json: body });
    return [answer.status, answer.body] as const;
  };
  for (const return_url of [
    'https://good.example.evil.com/',
    'http://user:secret@127.0.0.1/',
    'http://127.0.0.1/#x',
    'https://elsewhere.example/',
  ])
    expect(await post('/payouts/onboarding-links', { return_url })).toEqual([
      422,
      expect.objectContaining({
        detail: [expect.objectContaining({ loc: ['body', 'return_url'], type: 'return_url_not_allowed' })],
      }),
    ]);
  const refused = [expect.objectContaining({ loc: ['body', 'refresh_url'] })];
  expect(await post('/payouts/onboarding-links', { ...json, refresh_url: 'https://x.example/' })).toEqual([
    422,
    expect.objectContaining({ detail: refused }),
  ]);
  expect((await post('/payouts/onboarding-links'))[0]).toBe(422);
  expect(await post('/payouts/dashboard-links')).toEqual([
    409,
    expect.objectContaining({
      code: 'payout_account_incomplete',
      action: expect.objectContaining({ href: '/api/v1/payouts/onboarding-links' }),
    }),
  ]);
  provider.fail('error', '/v1/account_links');
  const down = await seller.call('POST', '/payouts/onboarding-links', { json });
  expect([down.status, down.headers.get('retry-after')]).toEqual([503, '30']);
  expect(down.body).toMatchObject({ code: 'provider_unavailable' });
  expect((await post('/payouts/onboarding-links', json))[0]).toBe(201);
});

test('the account is asked about at most every 30 seconds', async () => {
  const seller = await stage.paidSeller();
  const reads = () => provider.asked.filter((asked) => asked === `GET /v1/accounts/${seller.account}`).length;
  const check = async () => (await (await seller.renew()).call('POST', '/payouts/account/refresh')).status;
  await later(31_000);
  const before = reads();
  expect([await check(), await check(), reads() - before]).toEqual([200, 200, 1]);
  await later(31_000);
  provider.fail('broken', '/v1/accounts/');
  expect(await check()).toBe(503);
});

test('requests at the same time ask the provider once', async () => {
  const seller = await stage.paidSeller();
  await later(31_000);
  const own = await seller.renew();
  const reads = () => provider.asked.filter((asked) => asked === `GET /v1/accounts/${seller.account}`).length;
  const before = reads();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => own.call<AccountWire>('POST', '/payouts/account/refresh')),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(new Set(answers.map(({ body }) => body.fetched_at))).toEqual(
    new Set([new Date(app.app.services.now()).toISOString()]),
  );
  expect(reads() - before).toBe(1);
});

test('another bank account is announced, also if it ends in the same digits; the same one is not', async () => {
  const seller = await stage.paidSeller();
  await stage.callBack();
  const told = async () => (await eventsOf(seller)).filter((type) => type === 'destination_changed').length;
  expect(await told()).toBe(1);
  acts.changeBank(provider.life, seller.account, `777${BANKS.works.slice(3)}`);
  await stage.callBack();
  expect(await told()).toBe(2);
  acts.changeBank(provider.life, seller.account, `777${BANKS.works.slice(3)}`);
  await stage.callBack();
  expect(await told()).toBe(2);
  // What was stored before the service kept the provider's name of the bank account is not taken for another one.
  await stage.rows(
    "update payout_account set destination = (destination::jsonb - 'reference')::json where seller_id = $1",
    [seller.seller_id],
  );
  await later(31_000);
  const { version } =
    (
      await stage.rows<{ version: number }>('select version from payout_account where seller_id = $1', [
        seller.seller_id,
      ])
    )[0] ?? {};
  await (await seller.renew()).call('POST', '/payouts/account/refresh');
  expect(await told()).toBe(2);
  expect(
    await stage.rows(
      "select version, destination ->> 'reference' is not null as known from payout_account where seller_id = $1",
      [seller.seller_id],
    ),
  ).toEqual([{ version, known: true }]);
  const { text } = await (await seller.renew()).call('GET', '/payouts/account');
  expect(text).not.toContain('reference');
});
