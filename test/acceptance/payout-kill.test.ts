/**
 * `kill -9` while the payment provider is asked, before the effect of the request and after it: each settlement is
 * transferred once, each attempt pays once, and each movement is reported once. `PAYOUT_KILLS` is the number of kills of
 * payments.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { BANKS } from '../../demo/payment-provider/life.ts';
import { startPaymentProvider } from '../../demo/payment-provider/start-payment-provider.ts';
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { eventually } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const KILLS = Number(process.env['PAYOUT_KILLS'] ?? 4);
/** Enough requests for the kills: one in three is killed. */
const SELLERS = 2 * KILLS;
const AMOUNT = 23_330;
const DAY_MS = 86_400_000;

const database = await testDatabase();
const apiKey = 'sk_live_of_the_tests';
const secrets = ['whsec_1', 'whsec_2'] as const;
const provider = await startPaymentProvider({ port: 0, now: Date.now, apiKey, secrets, funds: 10_000_000 });
afterAll(() => provider.stop());
const cluster = await prepareCluster(database.url);
const start = (role: string): Promise<Member> =>
  cluster.start({
    // In production the provider is reached by https only.
    ...{
      APP_ENV: 'staging',
      ROLE: role,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      RETURN_URL_ORIGINS: 'https://shop.example',
    },
    ...{ PAYMENT_PROVIDER: 'stripe', PAYMENT_PROVIDER_API_KEY: apiKey },
    ...{ PAYMENT_PROVIDER_WEBHOOK_SECRETS: secrets.join(','), PAYMENT_PROVIDER_API_BASE: provider.url },
  });
const rows = <Row extends object>(text: string): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text)).rows);

/** A seller whose account can be paid, with money of an earlier period. */
async function earn(at: Member): Promise<void> {
  const { token } = await cluster.seller(at, 'Small');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const me = await (await fetch(`${at.api}/sellers/me`, { headers })).json();
  const { seller_id } = me as { seller_id: string };
  provider.vouchFor(seller_id, BANKS.works);
  const body = JSON.stringify({ return_url: 'https://shop.example/' });
  const link = await fetch(`${at.api}/payouts/onboarding-links`, { method: 'POST', headers, body });
  expect(link.status).toBe(201);
  const event = {
    ...{
      specversion: '1.0',
      id: randomUUID(),
      source: '/payout-kill',
      subject: seller_id,
      sellerid: seller_id,
    },
    type: 'marketplace.adjustment.recorded',
    time: new Date(Date.now() - 40 * DAY_MS).toISOString(),
    data: {
      ...{ adjustment_id: randomUUID(), kind: 'manual_adjustment', amount_minor: AMOUNT, order_id: null },
      ...{ corrects_settlement_id: null, reason_code: 'goodwill', description: 'Goodwill', actor: 'ops:1' },
    },
  };
  const taken = await fetch(`${at.internalUrl}/internal/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify([event]),
  });
  expect(await taken.json()).toMatchObject({ results: [{ status: 'applied' }] });
}

test(`${KILLS} kills while the provider is asked: everything is paid once`, {
  timeout: 600_000,
}, async () => {
  const api = await start('api');
  for (let number = 0; number < SELLERS; number += 1) await earn(api);
  let worker: Promise<Member> | undefined = start('worker');
  await worker;
  await eventually(
    () => rows("select from settlement where status = 'ready'"),
    (found) => found.length === SELLERS,
  );
  let [calls, kills] = [0, 0];
  provider.before = async (request) => {
    if (!/^POST \/v1\/(?:transfers|payouts)$/.test(request) || kills >= KILLS || worker === undefined) return;
    calls += 1;
    if (calls % 3 !== 2) return;
    kills += 1;
    // A worker asks before it says that it is up.
    const dying = worker;
    worker = undefined;
    await (await dying).end('SIGKILL');
    // Every second request is lost; the others have their effect.
    if (kills % 2 === 0) provider.fail('lost', '/v1/');
  };
  await rows("update job set due_at = clock_timestamp() where kind = 'payouts.send_due'");
  await eventually(
    async () => {
      if (worker === undefined) {
        // The leases of the dead worker would end after half a minute.
        await rows("update job set lease_until = null where kind = 'payouts.transfer'");
        worker = start('worker');
        await worker;
      }
      // A payout that could not begin, because a dead worker still held its seller, would wait for an hour.
      await rows(
        "update job set due_at = least(due_at, clock_timestamp() + interval '5 seconds') where kind = 'payouts.send_due'",
      );
      return {
        sent: (await rows("select from payout where status = 'in_transit'")).length,
        others: await rows("select status, attempt from payout where status <> 'in_transit'"),
        jobs: await rows("select kind, attempts, last_error from job where kind like 'payouts.%'"),
      };
    },
    ({ sent }) => sent === SELLERS && kills === KILLS,
    500_000,
  );
  const { transfers, payouts } = provider.life.state;
  const twice = <T>(all: readonly T[]) => all.length - new Set(all).size;
  const moved = Object.values(transfers);
  expect(moved.map(({ amount }) => amount)).toEqual(Array(SELLERS).fill(AMOUNT));
  expect(twice(moved.map(({ transfer_group }) => transfer_group))).toBe(0);
  const paid = Object.values(payouts);
  expect(paid.map(({ amount }) => amount)).toEqual(Array(SELLERS).fill(AMOUNT));
  expect(twice(paid.map(({ metadata }) => metadata['payout_id']))).toBe(0);
  expect(await rows('select distinct attempt from payout')).toEqual([{ attempt: 1 }]);
  expect(provider.life.state.funds).toBe(10_000_000 - SELLERS * AMOUNT);
  await (await worker)?.end('SIGKILL');
});

test('kills between the pages of the list of movements: each movement is reported once', {
  timeout: 300_000,
}, async () => {
  const { transactions } = provider.life.state;
  // With the transfers, three pages of a hundred.
  for (let number = 0; number < 250; number += 1)
    transactions.push({
      ...{ id: `txn_kill_${number}`, type: 'charge', amount: 1_000 + number, fee: 30, currency: 'aud' },
      ...{ source: `ch_kill_${number}`, seller_id: null, created: Date.now() },
    });
  let worker: Promise<Member> | undefined = start('worker');
  await worker;
  let [pages, kills] = [0, 0];
  provider.before = async (request) => {
    if (!request.startsWith('GET /v1/balance_transactions')) return;
    pages += 1;
    // Before the second page, then before the third one of the next try.
    if (worker === undefined || pages !== [2, 5][kills]) return;
    kills += 1;
    const dying = worker;
    worker = undefined;
    await (await dying).end('SIGKILL');
  };
  const due =
    "update job set due_at = clock_timestamp(), lease_until = null where kind = 'payouts.report_transactions'";
  await rows(due);
  await eventually(
    async () => {
      if (worker === undefined) {
        await rows(due);
        worker = start('worker');
        await worker;
      }
      return rows('select from provider_transaction');
    },
    ({ length }) => length === transactions.length,
    200_000,
  );
  expect(kills).toBe(2);
  const [sum] = await rows<{ net: string }>('select sum(net_minor) as net from provider_transaction');
  expect(Number(sum?.net)).toBe(transactions.reduce((net, { amount, fee }) => net + amount - fee, 0));
  await (await worker)?.end('SIGTERM');
});
