/**
 * Workers that die while they send: at each instant of an attempt, and the next worker at each instant of its
 * repetition. In every second round the provider forgets its keys after each death. The first settlements are the
 * golden one of docs/design/payment-provider.md: their first payout fails, and the second one needs no transfer.
 */
import { expect, test } from 'vitest';
import { acts, BANKS, PAID_MS } from '../../../../demo/payment-provider/life.ts';
import { dyingPayer } from '../../../../test/support/dying-payer.ts';
import { paymentStage } from '../../../../test/support/payment-provider.ts';
import { acting } from '../../../platform/acting.ts';
import { readFindings } from '../../financials/index.ts';
import { providerInUse } from '../actions/providers.ts';
import { transfer } from '../actions/send-due.ts';
import { beginAttempt } from '../actions/send-payout.ts';

const AMOUNT = 23_330;
/** Before and after three commits and two requests. */
const FIRST = [
  ...['before a commit', 'after a commit', 'before POST /v1/transfers', 'after POST /v1/transfers'],
  ...['before a commit', 'after a commit', 'before POST /v1/payouts', 'after POST /v1/payouts'],
  ...['before a commit', 'after a commit'],
];
/** Once the transfer is made. */
const SECOND = [
  ...['before a commit', 'after a commit', 'before GET /v1/payouts', 'after GET /v1/payouts'],
  ...['before POST /v1/payouts', 'after POST /v1/payouts', 'before a commit', 'after a commit'],
];
const SETTLEMENTS = 50;
const LIVES_MAX = 3;

const stage = await paymentStage();
const { provider } = stage;
const { services } = stage.app.app;
const { state } = provider.life;
const pay = await dyingPayer(services, provider.url);
const later = (ms: number) => stage.moveTo(new Date(services.now() + ms).toISOString());

type Seller = Awaited<ReturnType<typeof stage.paidSeller>>;
const sellers: Seller[] = [];
for (let number = 0; number < SETTLEMENTS; number += 1) {
  const seller = await stage.paidSeller(number < SECOND.length ? BANKS.account_closed : BANKS.works);
  await stage.earn(seller, AMOUNT);
  sellers.push(seller);
}
const golden = sellers.slice(0, SECOND.length);
// After the close, and before the service begins the payouts of the day.
await stage.moveTo('2026-06-30T18:00:00.000Z');

/** Sends the next attempt of a settlement; its first workers die at the given instants. @returns where they died */
async function send({ seller_id }: Seller, dying: readonly number[], forgets: boolean): Promise<string[]> {
  const [settlement] = await stage.rows<{ settlement_id: string }>(
    'select settlement_id from settlement where seller_id = $1',
    [seller_id],
  );
  const used = await providerInUse(services);
  const payout = await services.withSellerLong(seller_id, 'write', (db) =>
    beginAttempt(acting(services, { db, seller_id }), settlement?.settlement_id ?? '', used),
  );
  if (payout === undefined) throw new Error(`${seller_id} is owed nothing`);
  const deaths: string[] = [];
  for (let life = 0; life < LIVES_MAX; life += 1) {
    const instant = await pay(dying[life] ?? 0, async (own) =>
      transfer(own, await providerInUse(own), seller_id, payout),
    );
    if (instant === undefined) return deaths;
    deaths.push(instant);
    if (forgets) provider.forgetKeys();
  }
  throw new Error(`${seller_id} is not paid after ${deaths.join(', ')}`);
}

/** The money of a seller at the provider and in the books. */
async function sums({ seller_id, account }: Seller) {
  const own = <T extends object>(all: Readonly<Record<string, T>>, is: (one: T) => boolean): T[] =>
    Object.values(all).filter(is);
  const [transferred, journals] = await Promise.all([
    stage.rows('select state from settlement_transfer where seller_id = $1', [seller_id]),
    stage.rows<{ kind: string }>(
      "select kind from ledger_journal where seller_id = $1 and kind like 'payout%' order by journal_id",
      [seller_id],
    ),
  ]);
  return {
    transferred,
    transfers: own(state.transfers, (one) => one.destination === account).map(({ amount }) => amount),
    payouts: own(state.payouts, (one) => one.account === account).map(
      ({ status, metadata }) => `${metadata['attempt']} ${status}`,
    ),
    journals: journals.map(({ kind }) => kind.replace('payout_', '')),
  };
}
const ONCE = { transferred: [{ state: 'made' }], transfers: [AMOUNT] };
const PAID = { ...ONCE, payouts: ['1 paid'], journals: ['sent', 'paid'] };
const GOLDEN = { ...ONCE, payouts: ['1 failed', '2 paid'], journals: ['sent', 'failed', 'sent', 'paid'] };

test(`${SETTLEMENTS} settlements, at whose instants workers die, are transferred once and paid once`, {
  timeout: 300_000,
}, async () => {
  const again = new Set<string>();
  for (const [number, seller] of sellers.entries()) {
    const first = number % FIRST.length;
    const round = Math.floor(number / FIRST.length);
    // Each time an instant of the attempt comes again, another one of its repetition, from the first to the tenth.
    const second = 2 * round + (first % 2);
    const [death, next] = await send(seller, [first + 1, second + 1], round % 2 === 0);
    expect([first, death]).toEqual([first, FIRST[first]]);
    if (next !== undefined) again.add(`${first} ${second}`);
  }
  // A repetition of an attempt that had more effects has fewer instants.
  expect(FIRST.length + SECOND.length + again.size).toBeGreaterThan(50);
  await later(PAID_MS);
  await stage.callBack();
  for (const { account } of golden) acts.changeBank(provider.life, account, BANKS.works);
  await stage.callBack();
  await stage.moveTo('2026-07-01T18:00:00.000Z');
  for (const [number, seller] of golden.entries())
    expect(await send(seller, [number + 1], number % 2 === 1)).toEqual([SECOND[number]]);
  await later(PAID_MS);
  await stage.callBack();
  for (const seller of sellers) {
    const expected = golden.includes(seller) ? GOLDEN : PAID;
    expect([seller.seller_id, await sums(seller)]).toEqual([seller.seller_id, expected]);
  }
  const broken = (await readFindings(services.withSystemLong)).filter(({ violations }) => violations > 0);
  expect(broken).toEqual([]);
});
