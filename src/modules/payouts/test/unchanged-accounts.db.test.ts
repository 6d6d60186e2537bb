/** Callbacks about accounts of which the provider says what is stored already. */
import { expect, test } from 'vitest';
import { signatureHeader } from '../../../../demo/payment-provider/deliver.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { paymentStage, RETURN_URL, SECRETS } from '../../../../test/support/payment-provider.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { workCallbacks } from '../intake/provider-callbacks.ts';
import { keepAccounts } from '../store/unchanged-accounts.ts';

const stage = await paymentStage();
const { app, provider, receiver, rows } = stage;
const { services } = app.app;
// The tests work the callbacks themselves.
await services.jobs.stop(10_000);

/** The provider writes about accounts; the jobs wait. */
async function write(accounts: readonly string[], name: string): Promise<void> {
  await Promise.all(
    accounts.map(async (account, index) => {
      const event = { id: `evt_${name}_${index}`, object: 'event', type: 'account.updated', created: 1 };
      const body = JSON.stringify({ ...event, account, livemode: false, data: { object: {} } });
      const signature = signatureHeader(SECRETS[1], body, Math.floor(services.now() / 1000));
      const { status } = await fetch(receiver, {
        method: 'POST',
        headers: { 'stripe-signature': signature },
        body,
      });
      expect(status).toBe(200);
    }),
  );
}
/** Works what waits, at the same time. */
async function work(): Promise<void> {
  const waiting = await rows<{ object_key: string }>(
    'select distinct object_key from provider_callback where decision is null',
  );
  await Promise.all(
    waiting.map(({ object_key }) => workCallbacks(services, object_key, new AbortController().signal)),
  );
}
const decisions = (name: string) =>
  rows<{ decision: string | null; seller_id: string | null; decided_in: string }>(
    `select decision, seller_id, xmin::text as decided_in
       from provider_callback where event_id like $1 order by event_id`,
    [`evt_${name}_%`],
  );
const accountsNow = () =>
  rows<{ provider_account_id: string; version: number; fetched_at: Date; status: string }>(
    'select provider_account_id, version, fetched_at, status from payout_account order by provider_account_id',
  );

/** Locks accounts until enough happens. */
async function whileLocked(
  change: string,
  values: readonly unknown[],
  until: () => Promise<boolean> | boolean,
) {
  await runOn(app.database.adminUrl, async (other) => {
    await other.query('begin');
    await other.query(change, [...values]);
    await eventually(async () => until(), Boolean, 30_000);
    await other.query('commit');
  });
}

test('are decided together, and say when the provider has said so', async () => {
  const sellers = [];
  while (sellers.length < 5) sellers.push(await stage.paidSeller());
  const accounts = sellers.map(({ account }) => account);
  const before = await accountsNow();
  await stage.moveTo('2026-06-20T01:00:00Z');
  await write(accounts, 'same');
  const asked = provider.asked.length;
  const locked = whileLocked(
    'select from payout_account for update',
    [],
    () => provider.asked.length - asked >= 5,
  );
  await Promise.all([locked, work()]);
  const decided = await decisions('same');
  expect(decided.map(({ decision, seller_id }) => [decision, seller_id])).toEqual(
    sellers.map(({ seller_id }) => ['no_change', seller_id]),
  );
  expect(new Set(decided.map(({ decided_in }) => decided_in)).size).toBeLessThan(5);
  const after = await accountsNow();
  expect(after.map(({ version, status }) => [version, status])).toEqual(
    before.map(({ version, status }) => [version, status]),
  );
  for (const { fetched_at } of after) expect(fetched_at.toISOString()).toBe('2026-06-20T01:00:00.000Z');
});

test('restore the holds that follow from the account', async () => {
  const seller = await app.seller();
  await seller.call('POST', '/payouts/onboarding-links', { json: { return_url: RETURN_URL } });
  const [account] = Object.values(provider.life.state.accounts).filter(
    ({ metadata }) => metadata['seller_id'] === seller.seller_id,
  );
  if (account === undefined) throw new Error('no account');
  const holds = () =>
    rows('select reason from settlement_source_hold where seller_id = $1', [seller.seller_id]);
  expect(await holds()).toEqual([{ reason: 'payout_account_missing' }]);
  // As they are while the marketplace pays itself.
  await rows('delete from settlement_source_hold where seller_id = $1', [seller.seller_id]);
  await write([account.id], 'holds');
  await work();
  expect(await holds()).toEqual([{ reason: 'payout_account_missing' }]);
});

test('do not replace a newer answer that is stored meanwhile', async () => {
  const { account } = await stage.paidSeller();
  await write([account], 'late');
  let begun: Promise<unknown> | undefined;
  const workOnce = () => (begun ??= work());
  const waits = () =>
    rows<{ waits: boolean }>(
      `select exists (select from pg_stat_activity
                       where wait_event_type = 'Lock' and query like '%update payout_account%') as waits`,
    );
  let working: Promise<unknown> = Promise.resolve();
  await whileLocked(
    `update payout_account set status = 'under_review', payable = false, version = version + 1, fetched_at = $2
      where provider_account_id = $1`,
    [account, '2026-06-20T05:00:00Z'],
    async () => {
      working = workOnce();
      return (await waits())[0]?.waits === true;
    },
  );
  await working;
  const row = (await accountsNow()).find(({ provider_account_id: id }) => id === account);
  expect([row?.status, row?.fetched_at.toISOString()]).toEqual(['under_review', '2026-06-20T05:00:00.000Z']);
  expect((await decisions('late')).map(({ decision }) => decision)).toEqual(['no_change']);
});

test('are found by their ids in a backlog, although the statistics are of a time when nothing waited', async () => {
  const sellers = [await stage.paidSeller(), await stage.paidSeller(), await stage.paidSeller()];
  const add = (name: string, decision: string | null) =>
    rows(
      `insert into provider_callback (provider, event_id, callback_id, type, account, livemode, object_id, object_key,
              digest, created_at, received_at, decision, processed_at)
       select 'stripe', $1 || n, 'pcb_' || $1 || n, 'account.updated', 'acct_none', false, null, $1 || n,
              '', $2, $2, $3, case when $3::text is not null then $2::timestamptz end
         from generate_series(1, 3000) n`,
      [name, '2026-06-20T00:00:00Z', decision],
    );
  await add('evt_decided_', 'no_change');
  await rows('analyze provider_callback');
  await add('evt_backlog_', null);
  const accounts = sellers.map(({ account }) => account);
  await write(accounts, 'few');
  const known = await accountsNow();
  const kept = sellers.map(({ seller_id, account }, index) => ({
    ...{ seller_id, event_id: `evt_few_${index}`, fetched_at: '2026-06-20T06:00:00Z' },
    version: known.find(({ provider_account_id: id }) => id === account)?.version ?? 0,
  }));
  const read = await services.withSystemLong('payment-callback', 'write', (db) =>
    rowsRead(db, (explained) => keepAccounts(explained, 'stripe', kept, '2026-06-20T06:00:00Z')),
  );
  expect((await decisions('few')).map(({ decision }) => decision)).toEqual(Array(3).fill('no_change'));
  await rows("delete from provider_callback where account = 'acct_none'");
  expect(read).toBeLessThan(100);
});

test('wait in the receiver for no lock of another account', async () => {
  const [held, free] = [await stage.paidSeller(), await stage.paidSeller()];
  await write([held.account], 'held');
  const took = await runOn(app.database.adminUrl, async (other) => {
    await other.query('begin');
    await other.query('select from job where unique_key like $1 for update', [`%${held.account}%`]);
    // As many as statements run at the same time.
    const waiting = Promise.all(['first', 'second'].map((name) => write([held.account], name)));
    const begun = performance.now();
    await write([free.account], 'free');
    const ms = performance.now() - begun;
    await other.query('commit');
    await waiting;
    return ms;
  });
  // A statement of one sender alone waits for a lock for ten seconds.
  expect(took).toBeLessThan(5_000);
});
