/** Callbacks of the payment provider: which are stored, and that neither order nor number of them matters. */
import { expect, test } from 'vitest';
import { signatureHeader } from '../../../../demo/payment-provider/deliver.ts';
import { acts, BANKS, PAID_MS } from '../../../../demo/payment-provider/life.ts';
import type { ProviderEvent } from '../../../../demo/payment-provider/state.ts';
import { REVIEW_MS } from '../../../../demo/payment-provider/views.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { dumpOf } from '../../../../test/support/dump.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { paymentStage, RETURN_URL, SECRETS } from '../../../../test/support/payment-provider.ts';
import { permutations } from '../../../../test/support/permutations.ts';

const lines: string[] = [];
const stage = await paymentStage({ LOG_LEVEL: 'debug' }, { write: (line) => void lines.push(line) });
const { app, provider, receiver } = stage;
const { state } = provider.life;
const now = () => app.app.services.now();
const later = (ms: number) => stage.moveTo(new Date(now() + ms).toISOString());

async function post(body: string, secret: string = SECRETS[0], headers: Record<string, string> = {}) {
  const signature = signatureHeader(secret, body, Math.floor(now() / 1000));
  const answer = await fetch(receiver, {
    method: 'POST',
    headers: { 'stripe-signature': signature, ...headers },
    body,
  });
  return [answer.status, ((await answer.json()) as { code?: string }).code] as const;
}
const stored = (like: string) =>
  stage.rows<{ event_id: string; decision: string | null }>(
    'select event_id, decision from provider_callback where event_id like $1 order by event_id',
    [like],
  );
const eventOf = (id: string, type: string, more: object = {}) =>
  JSON.stringify({ id, object: 'event', type, created: 1, livemode: false, data: { object: {} }, ...more });

test('a wrong signature and what is no event are refused and not stored', async () => {
  const body = eventOf('evt_bad', 'account.updated');
  const wrong = { 'stripe-signature': `t=${Math.floor(now() / 1000) - 301},v1=${'0'.repeat(64)}` };
  expect(await post(body, 'whsec_wrong')).toEqual([401, 'signature_invalid']);
  expect(await post(body, SECRETS[0], wrong)).toEqual([401, 'signature_invalid']);
  expect(await post('{"id":"evt_bad","object":"event"}')).toEqual([422, 'validation_error']);
  expect(await post('[1]')).toEqual([422, 'validation_error']);
  expect(await post('{')).toEqual([422, 'validation_error']);
  expect(await post(`"${'x'.repeat(1024 * 1024)}"`)).toEqual([413, 'payload_too_large']);
  expect(await stored('evt_bad%')).toEqual([]);
  expect((await post(eventOf('evt_second', 'x.y'), SECRETS[1]))[0]).toBe(200);
});

test('absurd values in a signed body are stored or refused, never an error of the service', async () => {
  for (const [index, created] of ['1e300', '-1e300', '1e17', '-5', '"soon"', '{}', 'null'].entries()) {
    const body = eventOf(`evt_odd_${index}`, 'customer.created', { created: '@' }).replace('"@"', created);
    expect([created, ...(await post(body))]).toEqual([created, 200, undefined]);
  }
  expect(await stored('evt_odd_%')).toHaveLength(7);
  for (const text of ['\\u0000', '\\ud800'])
    for (const more of [
      { id: 'evt_@' },
      { type: 'a@' },
      { account: 'acct_@' },
      { type: 'payout.paid', data: { object: { id: '@' } } },
    ]) {
      const body = eventOf('evt_text', 'account.updated', more).replace('@', text);
      expect([body, ...(await post(body))]).toEqual([body, 422, 'validation_error']);
    }
  expect(await stored('evt_text%')).toEqual([]);
});

test('what nothing is fetched for is decided at once', async () => {
  await post(eventOf('evt_d_mode', 'account.updated', { livemode: true }));
  await post(eventOf('evt_d_other', 'customer.created'));
  await post(eventOf('evt_d_recorded', 'charge.dispute.created'));
  await post(eventOf('evt_d_unknown', 'account.updated', { account: 'acct_nobody' }), SECRETS[1]);
  const found = await eventually(
    () => stored('evt_d_%'),
    (rows) => rows.every(({ decision }) => decision !== null),
  );
  expect(found.map(({ decision }) => decision)).toEqual([
    'other_mode',
    'unsupported',
    'recorded',
    'unknown_account',
  ]);
});

test('20 copies at once have one effect, and another body with the same id has none', async () => {
  const seller = await stage.paidSeller();
  await later(1_000);
  const more = { account: seller.account, pending_webhooks: 2 };
  const body = eventOf('evt_copy', 'account.updated', more);
  const before = provider.asked.length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, SECRETS[1])));
  expect(answers).toEqual(Array(20).fill([200, undefined]));
  // Meanwhile another receiver of the provider's has had it.
  await post(eventOf('evt_copy', 'account.updated', { ...more, pending_webhooks: 1 }), SECRETS[1]);
  await post(
    eventOf('evt_copy', 'account.application.deauthorized', { account: seller.account }),
    SECRETS[1],
  );
  const [row] = await eventually(
    () => stored('evt_copy'),
    ([one]) => one?.decision !== null,
  );
  expect(row?.decision).toBe('no_change');
  expect(provider.asked.length - before).toBe(1);
  const metrics = await (await fetch(`${app.internalUrl}/metrics`, bearer())).text();
  expect(metrics).toMatch(/spp_payment_callbacks_total\{decision="duplicate"\} 20/);
  expect(metrics).toMatch(/spp_payment_callbacks_total\{decision="conflict"\} 1/);
});
const bearer = () => ({ headers: { authorization: `Bearer ${app.internalToken}` } });

/** Sends events in an order, each after the one before was worked. */
async function replay(events: readonly ProviderEvent[]): Promise<void> {
  for (const event of events) await provider.send(receiver, event);
  await eventually(
    () => stage.rows('select from provider_callback where decision is null'),
    (rows) => rows.length === 0,
  );
}

test('every order of the callbacks of an onboarding ends in the same state', async () => {
  const runs: { account: string; seller_id: string; events: ProviderEvent[] }[] = [];
  for (let run = 0; run < 6; run += 1) {
    const seller = await app.seller();
    await seller.call('POST', '/payouts/onboarding-links', { json: { return_url: RETURN_URL } });
    const account = Object.keys(state.accounts).at(-1) ?? '';
    acts.submit(provider.life, account, 'June', BANKS.works);
    runs.push({ account, seller_id: seller.seller_id, events: [] });
  }
  await later(REVIEW_MS);
  const all = provider.takeEvents();
  const orders = [...permutations([0, 1, 2])];
  for (const [run, { account, seller_id }] of runs.entries()) {
    const own = all.filter((event) => event.account === account);
    expect(own.map(({ type }) => type)).toEqual([
      'account.external_account.updated',
      'account.updated',
      'account.updated',
    ]);
    const order = orders[run] ?? [];
    await replay([...order.flatMap((at) => own[at] ?? []), ...own]);
    const rows = await stage.rows('select status, payable from payout_account where seller_id = $1', [
      seller_id,
    ]);
    expect(rows).toEqual([{ status: 'enabled', payable: true }]);
  }
});

test('a callback that changed something is in the activity log, one that changed nothing is not', async () => {
  const entries = await stage.rows<{ action: string; target_type: string; result: string }>(
    "select action, target_type, result from audit_entry where actor_kind = 'provider'",
  );
  const [{ count } = { count: 0 }] = await stage.rows<{ count: number }>(
    "select count(*)::int as count from provider_callback where decision = 'fetched'",
  );
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.length).toBeLessThanOrEqual(count);
  expect(new Set(entries.map((one) => JSON.stringify([one.target_type, one.result])))).toEqual(
    new Set(['["account","done"]']),
  );
});

test('every order of the callbacks of a payout ends in the same books', async () => {
  const sellers = [];
  for (let run = 0; run < 6; run += 1) {
    const seller = await stage.paidSeller();
    await stage.earn(seller, 9_000 + run);
    sellers.push(seller);
  }
  await stage.moveTo('2026-07-01T00:00:00.000Z');
  await later(PAID_MS);
  const all = provider.takeEvents();
  const orders = [...permutations([0, 1, 2])];
  for (const [run, seller] of sellers.entries()) {
    const own = all.filter(({ type, account }) => account === seller.account && type.startsWith('payout.'));
    expect(own.map(({ type }) => type)).toEqual(['payout.created', 'payout.updated', 'payout.paid']);
    await replay((orders[run] ?? []).flatMap((at) => own[at] ?? []));
    const journals = await stage.rows<{ kind: string }>(
      "select kind from ledger_journal where seller_id = $1 and kind like 'payout%' order by journal_id",
      [seller.seller_id],
    );
    expect(journals.map(({ kind }) => kind)).toEqual(['payout_sent', 'payout_paid']);
    expect(await stage.payouts(seller)).toMatchObject([{ status: 'paid', attempt: 1 }]);
  }
});

test('while the provider does not answer callbacks wait; afterwards they are worked once', async () => {
  const seller = await stage.paidSeller();
  acts.changeBank(provider.life, seller.account, BANKS.comes_back);
  await later(1_000);
  provider.fail('lost', '/v1/accounts/', 2);
  const [event] = provider.takeEvents();
  if (event === undefined) throw new Error('no event');
  expect(await provider.send(receiver, event)).toBe(200);
  await eventually(
    async () => provider.asked,
    (asked) => asked.at(-1) === `GET /v1/accounts/${seller.account}`,
  );
  expect(await stored(event.id)).toEqual([{ event_id: event.id, decision: null }]);
  await later(60_000);
  const found = await eventually(
    () => stored(event.id),
    ([one]) => one?.decision !== null,
  );
  expect(found).toEqual([{ event_id: event.id, decision: 'fetched' }]);
});

test('without a payment provider the receiver is not available', async () => {
  const manual = await startTestApp({ LOG_LEVEL: 'silent' });
  const answer = await manual.call('POST', '/api/v1/webhooks/stripe', { body: '{}' });
  expect([answer.status, answer.body]).toEqual([
    404,
    expect.objectContaining({ code: 'module_unavailable', module: 'payment-provider-callbacks' }),
  ]);
});

test('neither the log nor the database holds a key, a link or a bank account number', async () => {
  const seller = await app.seller();
  const headers = { 'idempotency-key': 'one-link' };
  const link = () =>
    seller.call<{ url: string }>('POST', '/payouts/onboarding-links', {
      headers,
      json: { return_url: RETURN_URL },
    });
  const [first, second] = [await link(), await link()];
  expect([first.status, second.status, first.headers.get('cache-control')]).toEqual([201, 201, 'no-store']);
  expect(second.body.url).not.toBe(first.body.url);
  const text = [...lines, await dumpOf(app.database.adminUrl)].join('\n');
  expect(text).toContain('evt_copy');
  for (const secret of [...SECRETS, 'sk_test_', '/setup/lnk_', BANKS.works, BANKS.comes_back])
    expect(text.includes(secret), secret).toBe(false);
});
