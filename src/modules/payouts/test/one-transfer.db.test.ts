/**
 * Whatever the provider answers, refuses or leaves unanswered, and however often and at once a settlement's attempts are
 * sent: one transfer moves its amount, and one payout pays it. `TRANSFER_RUNS` is the number of random lives of a
 * settlement, `TRANSFER_SEED` repeats them.
 */
import { expect, test } from 'vitest';
import type { Fault } from '../../../../demo/payment-provider/start-payment-provider.ts';
import { paymentStage } from '../../../../test/support/payment-provider.ts';
import { chanceOf } from '../../../../test/support/storm-receiver.ts';
import { providerInUse } from '../actions/providers.ts';

const RUNS = Number(process.env['TRANSFER_RUNS'] ?? 20);
const SEED = Number(process.env['TRANSFER_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const STEPS = 12;
const AMOUNT = 23_330;
const FAULTS: readonly Fault[] = ['lost', 'cut', 'limit', 'broken', 'error'];

const stage = await paymentStage();
const { provider } = stage;
const { services } = stage.app.app;
const { state } = provider.life;
const sellers: Awaited<ReturnType<typeof stage.paidSeller>>[] = [];
for (let run = 0; run < RUNS; run += 1) {
  const seller = await stage.paidSeller();
  await stage.earn(seller, AMOUNT);
  sellers.push(seller);
}
// After the close, and before the service begins the payouts of the day.
await stage.moveTo('2026-06-30T18:00:00.000Z');

const chance = chanceOf(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T;

/** What one request or several at once may meet. */
function weather(account: { stage: string }): string {
  const fault = chance() < 0.6 ? pick(FAULTS) : undefined;
  const path = pick(['/v1/transfers', '/v1/payouts']);
  state.funds = chance() < 0.5 ? 0 : 100_000_000;
  account.stage = chance() < 0.2 ? 'papers' : 'active';
  // The client library repeats a request once whose connection was closed.
  if (fault !== undefined) provider.fail(fault, path, pick([1, 2, 2, 3]));
  if (chance() < 0.2) provider.forgetKeys();
  return [fault ?? 'calm', path, state.funds === 0 ? 'poor' : 'rich', account.stage].join(' ');
}

test(`${RUNS} settlements with random answers (TRANSFER_SEED=${SEED}) are transferred once and paid once`, {
  timeout: 60_000 + RUNS * 5_000,
}, async () => {
  const { transfers } = await providerInUse(services);
  if (transfers === null) throw new Error('the provider sends nothing');
  let refusals = 0;
  for (const { seller_id, account: id } of sellers) {
    const account = state.accounts[id];
    const [settlement] = await stage.rows<{ settlement_id: string }>(
      'select settlement_id from settlement where seller_id = $1',
      [seller_id],
    );
    if (account === undefined || settlement === undefined) throw new Error('nothing to pay');
    const { settlement_id } = settlement;
    const story: string[] = [];
    let [attempt, isPaid] = [1, false];
    /** Sends the attempt, several times at once. Only a refusal ends it; the next attempt begins after that. */
    const send = async (times: number): Promise<void> => {
      const order = {
        ...{ seller_id, settlement_id, attempt, payout_id: `pay_${settlement_id}_${attempt}` },
        ...{ idempotency_key: `${settlement_id}-${attempt}`, amount_minor: AMOUNT, currency: 'AUD' },
      };
      const answers = await Promise.allSettled(Array.from({ length: times }, () => transfers.send(order)));
      const told = answers.map((one) => (one.status === 'fulfilled' ? one.value.status : 'unknown'));
      story.push(`${attempt}: ${told.join(' ')}`);
      const isRefused = told.includes('refused');
      isPaid = told.includes('in_transit');
      expect([isRefused && isPaid, story]).toEqual([false, story]);
      if (isRefused) [attempt, refusals] = [attempt + 1, refusals + 1];
    };
    for (let step = 0; step < STEPS && !isPaid; step += 1) {
      story.push(weather(account));
      await send(pick([1, 1, 2, 3]));
    }
    state.funds = 100_000_000;
    account.stage = 'active';
    // Faults that no request has met are left, and a 500 that the provider repeats for a day.
    const before = refusals;
    for (let tries = 0; tries < 30 && !isPaid; tries += 1) {
      if (tries === 20) provider.forgetKeys();
      await send(1);
    }
    // A refusal whose answer was lost comes once more, of the transfer and of the payout.
    expect([refusals - before <= 2, story]).toEqual([true, story]);
    const own = Object.values(state.transfers).filter(({ destination }) => destination === id);
    const paid = Object.values(state.payouts).filter((one) => one.account === id);
    const found = [isPaid, own.map(({ amount }) => amount), paid.map(({ amount }) => amount), story];
    expect(found).toEqual([true, [AMOUNT], [AMOUNT], story]);
    expect(
      await stage.rows('select state, provider_transfer_id from settlement_transfer where seller_id = $1', [
        seller_id,
      ]),
    ).toEqual([{ state: 'made', provider_transfer_id: own[0]?.id }]);
  }
  expect(refusals).toBeGreaterThan(RUNS / 4);
});
