/** What the provider says about an account, and what stays when another provider is configured. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { paymentStage, RETURN_URL } from '../../../../test/support/payment-provider.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { acting } from '../../../platform/acting.ts';
import { type ProviderAccounts, ProviderUnavailable } from '../adapters/provider.ts';
import { accountStatus, type Due, type ProviderAccount } from '../domain/account-status.ts';
import { refreshAccount, storeAccount } from './payout-account.ts';

const stage = await paymentStage();
const { services } = stage.app.app;

/** Every combination of the values of each field. */
function combinations<T extends Readonly<Record<string, readonly unknown[]>>>(
  values: T,
): { readonly [K in keyof T]: T[K][number] }[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [name, options] of Object.entries(values))
    all = all.flatMap((one) => options.map((option) => ({ ...one, [name]: option })));
  return all as { readonly [K in keyof T]: T[K][number] }[];
}

const closed: ProviderAccount = {
  ...{ payable: false, submitted: true, disabled_reason: 'requirements.past_due' },
  ...{ requirements: [], deadline: null, destination: null },
};

test('an answer that arrives after a newer one, or is about another account, changes nothing', async () => {
  const seller = await stage.paidSeller();
  const { seller_id } = seller;
  const store = (at: number, account: ProviderAccount | undefined, id = seller.account) =>
    services.withSellerLong(seller_id, 'write', (db) =>
      storeAccount(acting(services, { db, seller_id }), id, account, new Date(at).toISOString()),
    );
  const status = async () =>
    (
      await stage.rows<{ status: string }>('select status from payout_account where seller_id = $1', [
        seller_id,
      ])
    )[0]?.status;
  expect(await store(services.now() - 1_000, closed)).toBe(false);
  expect(await store(services.now() - 1_000, undefined)).toBe(false);
  expect(await store(services.now() + 1_000, closed, 'acct_of_another')).toBe(false);
  expect(await status()).toBe('enabled');
  expect(await store(services.now() + 1_000, closed)).toBe(true);
  expect(await status()).toBe('under_review');
});

test('another currency of the same bank account is announced', async () => {
  const { seller_id, account } = await stage.paidSeller();
  const told = async () =>
    (
      await stage.rows(
        "select from outbox where seller_id = $1 and type = 'payout_account.destination_changed'",
        [seller_id],
      )
    ).length;
  const before = await told();
  let at = services.now();
  const store = (currency: string) =>
    services.withSellerLong(seller_id, 'write', (db) => {
      const destination = { bank_name: 'Bank', last4: '3456', currency, reference: 'ba_1' };
      const said = { ...closed, destination };
      at += 1_000;
      return storeAccount(acting(services, { db, seller_id }), account, said, new Date(at).toISOString());
    });
  await store('AUD');
  expect((await told()) - before).toBe(1);
  await store('NZD');
  await store('NZD');
  expect((await told()) - before).toBe(2);
});

/** Asks as a request does; `held` are those that have found another one asking. */
function refresher(seller_id: string, read: ProviderAccounts['read'], signal = new AbortController().signal) {
  const held = new Set<number>();
  const ask = (number: number) => {
    const withSeller: typeof services.withSeller = async (id, mode, work, ...more) => {
      const done = await services.withSeller(id, mode, work, ...more);
      if (mode === 'single') held.add(number);
      return done;
    };
    const accounts = { read } as ProviderAccounts;
    return refreshAccount({ ...services, withSeller }, accounts, seller_id, {
      ...{ isOld: () => true, effects: () => expect.fail('nothing is stored'), signal },
    });
  };
  return { held, ask };
}

test('of 20 requests at once one asks a provider that fails, and all have its answer', async () => {
  const { seller_id } = await stage.paidSeller();
  let reads = 0;
  const { held, ask } = refresher(seller_id, async () => {
    reads += 1;
    await eventually(
      async () => held.size,
      (size) => size >= 20,
    );
    throw new ProviderUnavailable('it is down');
  });
  const answers = await Promise.allSettled(Array.from({ length: 20 }, (_, number) => ask(number)));
  expect(reads).toBe(1);
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 'rejected', reason: { name: 'ProviderUnavailable' } });
  // A later request asks again.
  await expect(ask(20)).rejects.toThrow('it is down');
  expect(reads).toBe(2);
});

test('a request waits for another one no longer than its own deadline', async () => {
  const { seller_id } = await stage.paidSeller();
  const held = "update payout_account set refreshing_until = now() + interval '1 hour' where seller_id = $1";
  await stage.rows(held, [seller_id]);
  const deadline = new AbortController();
  const { held: waiting, ask } = refresher(seller_id, () => expect.fail('not asked'), deadline.signal);
  const asked = ask(0);
  await eventually(
    async () => waiting.size,
    (size) => size === 1,
  );
  deadline.abort();
  await expect(asked).rejects.toThrow('deadline');
});

test('two first links at once open one account', async () => {
  const seller = await stage.app.seller();
  const json = { return_url: RETURN_URL };
  const links = await Promise.all(
    [1, 2, 3].map(() => seller.call('POST', '/payouts/onboarding-links', { json })),
  );
  // A request that meets the other at the provider is asked to try again.
  expect(links.map(({ status }) => status)).toContain(201);
  expect(links.every(({ status }) => status === 201 || status === 503)).toBe(true);
  const own = Object.values(stage.provider.life.state.accounts).filter(
    ({ metadata }) => metadata['seller_id'] === seller.seller_id,
  );
  expect(own).toHaveLength(1);
});

test('the database derives the state of an account as the service does', async () => {
  const { seller_id } = await stage.paidSeller();
  const requirement = (due: Due) => ({ provider_code: 'x', due, errors: [], since: '2026-06-01' });
  const cases = combinations({
    gone: [false, true],
    disabled_reason: [null, 'rejected.other', 'requirements.past_due'],
    payable: [false, true],
    submitted: [false, true],
    due: [[], ['eventually_due'], ['eventually_due', 'currently_due'], ['past_due']] as const,
    holds: [
      [],
      ['provider payouts_disabled'],
      ['kyc kyc_required'],
      ['marketplace risk_review'],
      ['marketplace payouts_disabled', 'kyc kyc_required'],
    ] as const,
  });
  const wrong = await runOn(stage.app.database.adminUrl, async (client) => {
    const found: object[] = [];
    for (const { gone, due, holds, ...account } of cases) {
      const requirements = due.map(requirement);
      await client.query('delete from settlement_hold where seller_id = $1', [seller_id]);
      await client.query('delete from settlement_source_hold where seller_id = $1', [seller_id]);
      for (const [source = '', reason = ''] of holds.map((hold) => hold.split(' ')))
        await client.query(
          source === 'marketplace'
            ? "insert into settlement_hold (seller_id, settlement_id, reason, since, active) values ($1, '', $2, now(), true)"
            : `insert into settlement_source_hold (seller_id, source, reason, since) values ($1, '${source}', $2, now())`,
          [seller_id, reason],
        );
      await client.query(
        `update payout_account
            set deauthorised_at = $2, disabled_reason = $3, payable = $4, submitted = $5, requirements = $6
          where seller_id = $1`,
        [
          seller_id,
          gone ? new Date(0) : null,
          account.disabled_reason,
          account.payable,
          account.submitted,
          JSON.stringify(requirements),
        ],
      );
      const { rows } = await client.query('select status from v_payouts_onboarding where seller_id = $1', [
        seller_id,
      ]);
      const others = holds.filter((hold) => !hold.startsWith('provider'));
      const expected = accountStatus(
        { ...account, gone, requirements },
        { disabled: others.some((hold) => hold.endsWith('payouts_disabled')), any: others.length > 0 },
      );
      if (rows[0]?.status !== expected) found.push({ gone, due, holds, account, found: rows[0], expected });
    }
    return found;
  });
  expect([cases.length, wrong]).toEqual([480, []]);
});

test('when the marketplace pays itself again, the provider’s holds end', async () => {
  const manual = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-20T00:00:00.000Z' });
  const seller = await manual.seller();
  const insert = `insert into settlement_source_hold (seller_id, source, reason, since)
    values ($1, 'provider', 'payout_account_missing', '2026-06-01'), ($1, 'kyc', 'kyc_required', '2026-06-01')`;
  const add =
    "insert into job (job_id, kind, due_at, created_at) values ($1, 'payouts.send_due', '2026-06-20', '2026-06-20')";
  await runOn(manual.database.adminUrl, async (client) => {
    await client.query(insert, [seller.seller_id]);
    await client.query(add, [`job_${seller.seller_id}`]);
  });
  const holds = async () =>
    (
      await seller.call<{ settlement_holds: { reason: string; source: string }[] }>(
        'GET',
        '/financials/holds',
      )
    ).body.settlement_holds.map(({ reason, source }) => [reason, source]);
  await eventually(holds, (found) => found.length === 1);
  expect(await holds()).toEqual([['kyc_required', 'kyc']]);
});

test('callbacks are kept for 400 days', async () => {
  await stage.paidSeller();
  const count = async () =>
    (await stage.rows<{ count: number }>('select count(*)::int as count from provider_callback'))[0]?.count ??
    0;
  expect(await count()).toBeGreaterThan(0);
  await stage.rows("update provider_callback set received_at = received_at - interval '399 days'");
  const move = (days: number) =>
    callInternal(stage.app, 'POST', '/internal/v1/clock', {
      body: { now: new Date(services.now() + days * 86_400_000).toISOString() },
    });
  await move(0.5);
  expect(await count()).toBeGreaterThan(0);
  await move(2);
  expect(await count()).toBe(0);
});
