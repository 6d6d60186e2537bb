/** Runs random events of a market, concurrently and one by one, and audits the books on the way. */
import { expect } from 'vitest';
import { eventually } from './feeds.ts';
import { type Chance, chanceOf, iso, type Market, passDays, renewAll } from './market-day.ts';
import { HAPPENINGS, type Name, next, sendAll } from './market-money.ts';
import { fingerprint, ledgerDifferences } from './market-truth.ts';

const SIDE_BY_SIDE = 6;
/** Rounds between two audits. */
const AUDIT_EVERY = 60;
/** Enough for one more period to close. */
const LAST_DAYS = 17;

/** A random one of the done or refused events. */
const DONE = new Set<unknown>(['applied', 'duplicate', 'stale', 200, 201]);
const CHANGES = new Set<unknown>(['applied', 200, 201]);

export interface Tally {
  readonly done: Map<Name, number>;
  count: number;
  refused: number;
  days: number;
  /** Events that ran alone and were checked to change nothing. */
  unmoved: number;
}

export interface Run {
  readonly market: Market;
  readonly operations: number;
  /** Further checks, after those of market-truth.ts. */
  readonly look: () => Promise<void>;
}

/** A busy machine may take minutes for a night of many. */
const QUIET_MS = 120_000;
const DUE = 'select 1 as one from job where due_at <= $1 limit 1';

/** Waits until no job is due at this instant. */
async function quiet({ stage }: Market): Promise<void> {
  await eventually(
    () => stage.query(DUE, [iso(stage.app.services.now())]),
    (jobs) => jobs.length === 0,
    QUIET_MS,
  );
}

async function happen(market: Market, tally: Tally): Promise<boolean> {
  // Drawn before the first await, so that the same seed gives the same concurrent events.
  const chance: Chance = chanceOf(market.chance(2 ** 32));
  const own = { ...market, chance };
  const { name, shop } = next(own);
  const outcome = await HAPPENINGS[name][1](own, shop);
  // A 503 under load counts as a refusal.
  if (typeof outcome === 'number' && outcome >= 500 && outcome !== 503)
    throw new Error(`${name}: ${outcome}`);
  tally.count += 1;
  if (DONE.has(outcome)) tally.done.set(name, (tally.done.get(name) ?? 0) + 1);
  else tally.refused += 1;
  return CHANGES.has(outcome);
}

/** Runs an event alone, to check that a refused, repeated or stale one changes nothing. */
async function alone(market: Market, tally: Tally): Promise<void> {
  await quiet(market);
  const before = await fingerprint(market.stage);
  if (await happen(market, tally)) return;
  expect(await fingerprint(market.stage)).toEqual(before);
  tally.unmoved += 1;
}

async function round(market: Market, tally: Tally): Promise<void> {
  const { chance } = market;
  if (chance(4) === 0) return alone(market, tally);
  const count = 1 + chance(SIDE_BY_SIDE);
  // Time passes between the events, so that periods close among them.
  const days = chance(6) === 0 ? (chance(4) === 0 ? 1 + chance(6) : (1 + chance(20)) / 24) : 0;
  tally.days += days;
  const all = await Promise.allSettled([
    ...(days === 0 ? [] : [passDays(market, days)]),
    ...Array.from({ length: count }, () => happen(market, tally)),
  ]);
  const failed = all.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  if (days > 0) await renewAll(market);
}

async function look({ market, look: alsoLook }: Run): Promise<void> {
  expect(await ledgerDifferences(market.stage)).toEqual([]);
  await alsoLook();
}

/** Runs the events, sends what is left, closes the periods and audits the books. */
export async function runMarket(run: Run): Promise<Tally> {
  const { market, operations } = run;
  const tally: Tally = { done: new Map(), count: 0, refused: 0, days: 0, unmoved: 0 };
  for (let rounds = 1; tally.count < operations; rounds += 1) {
    await round(market, tally);
    if (rounds % AUDIT_EVERY === 0) await look(run);
  }
  await sendAll(market);
  await look(run);
  await passDays(market, LAST_DAYS);
  await look(run);
  return tally;
}

/** Kinds of events that were never applied: such a run proves little. */
export const missingOf = ({ done }: Tally): string[] =>
  Object.keys(HAPPENINGS).filter((name) => !done.has(name as Name));
