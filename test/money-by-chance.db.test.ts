/**
 * Whatever happens to the money of several sellers in whatever order, closes and refunds at once: the books hold, and
 * what is refused changes nothing. MONEY_OPERATIONS says how much happens (by default a few hundred things),
 * MONEY_SEED which; a failure names the seed that shows it again.
 */
import { expect, test } from 'vitest';
import { readFindings } from '../src/modules/financials/index.ts';
import { startTestApp } from './support/app.ts';
import {
  chanceOf,
  HAPPENINGS,
  type Market,
  type Name,
  next,
  openMarket,
  passDays,
  type Shop,
} from './support/market-day.ts';

const OPERATIONS = Number(process.env['MONEY_OPERATIONS'] ?? 300);
const SEED = Number(process.env['MONEY_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const SIDE_BY_SIDE = 6;
/** A hold, and the close that comes after it. */
const LAST_DAYS = 23;
/** Rounds between two looks at the invariants. */
const LOOK_EVERY = 25;
/** A busy machine takes a tenth of a second for each. */
const TIMEOUT_MS = 120_000 + OPERATIONS * 400;

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-25T00:00:00.000Z' });

const DONE = new Set<unknown>(['applied', 'duplicate', 'stale', 200, 201]);

async function positionOf(shop: Shop): Promise<bigint> {
  const row = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.one<{ position: bigint }>({
      text: 'select coalesce(max(position), 0)::bigint as position from ledger_entry where seller_id = $1',
      values: [shop.seller.seller_id],
    }),
  );
  return row?.position ?? 0n;
}

interface Tally {
  readonly done: Map<Name, number>;
  refused: number;
}

async function happen(market: Market, tally: Tally): Promise<void> {
  // Drawn before anything is waited for: what happens side by side is then the same for the same seed.
  const own = { ...market, chance: chanceOf(market.chance(2 ** 32)) };
  const { name, shop } = next(own);
  const outcome = await HAPPENINGS[name][1](own, shop);
  if (typeof outcome === 'number' && outcome >= 500) throw new Error(`${name}: ${outcome}`);
  if (DONE.has(outcome)) tally.done.set(name, (tally.done.get(name) ?? 0) + 1);
  else tally.refused += 1;
}

/** One after the other, so that what is refused can be seen to change nothing. */
async function alone(market: Market, tally: Tally): Promise<void> {
  const before = await Promise.all(market.shops.map(positionOf));
  const refused = tally.refused;
  await happen(market, tally);
  if (tally.refused > refused) expect(await Promise.all(market.shops.map(positionOf))).toEqual(before);
}

async function round(market: Market, tally: Tally): Promise<number> {
  const { chance } = market;
  if (chance(3) === 0) {
    await alone(market, tally);
    return 1;
  }
  const count = 1 + chance(SIDE_BY_SIDE);
  // Time passes while things happen, so that periods close in the midst of them.
  const days = chance(5) === 0 ? [passDays(market, 1 + chance(6))] : [];
  const all = await Promise.allSettled([
    ...days,
    ...Array.from({ length: count }, () => happen(market, tally)),
  ]);
  const failed = all.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  if (days.length > 0) for (const shop of market.shops) shop.seller = await shop.seller.renew();
  return count;
}

async function expectToHold(): Promise<void> {
  const findings = await readFindings(app.app.services.longSystem);
  expect(findings.filter(({ violations }) => violations > 0)).toEqual([]);
}

test(`after ${OPERATIONS} things that happened by chance (MONEY_SEED=${SEED}) every invariant holds`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const market = await openMarket(app, 3, chanceOf(SEED));
  const tally: Tally = { done: new Map(), refused: 0 };
  for (let count = 0, rounds = 1; count < OPERATIONS; rounds += 1) {
    count += await round(market, tally);
    if (rounds % LOOK_EVERY === 0) await expectToHold();
  }
  await passDays(market, LAST_DAYS);
  await expectToHold();
  // Books in which nothing happens say little.
  const missing = Object.keys(HAPPENINGS).filter((name) => !tally.done.has(name as Name));
  expect(missing.length).toBeLessThan(Object.keys(HAPPENINGS).length / 3);
});
