/**
 * Follows the numbered events of a seller, and assesses the products that they are about. Numbers follow commits, so
 * no change is missed, however long its transaction took.
 */
import type { Acting } from '../../../kernel/context.ts';
import { productsById } from '../../products/index.ts';
import { changeSums } from '../domain/listing-sums.ts';
import { assess } from '../domain/readiness.ts';
import { qualityEvents } from '../events.ts';
import { toWireReadiness } from '../schemas/readiness.ts';
import {
  dropListings,
  eventsAfter,
  type ListingRow,
  listings,
  listingsOf,
  type Progress,
  productsAfter,
  type RunFlips,
  saveProgress,
  takeProgress,
} from '../store/listings.ts';

/** Products, or events, of one transaction. */
const STEP = 1_000;

interface Step {
  readonly ids: readonly string[];
  /** Products whose content was written, by a request or a file; for others only the curation has changed. */
  readonly written: ReadonlySet<string>;
  readonly endedRuns: readonly string[];
  readonly after: Pick<Progress, 'sequence' | 'filled_to'>;
  readonly more: boolean;
}

const WRITES: ReadonlySet<string> = new Set(['product.created', 'product.updated', 'product.deactivated']);

async function nextStep(ctx: Acting, { sequence, filled_to }: Progress): Promise<Step> {
  if (filled_to !== null) {
    const ids = await productsAfter(ctx, filled_to, STEP);
    const after = { sequence, filled_to: ids.length < STEP ? null : (ids.at(-1) ?? null) };
    return { ids, written: new Set(), endedRuns: [], after, more: after.filled_to !== null };
  }
  const { events, upto } = await eventsAfter(ctx, sequence, STEP);
  const [runs, changes] = [
    events.filter(({ type }) => type === 'feed_run.completed'),
    events.filter(({ type }) => type.startsWith('product.')),
  ];
  const idsOf = (rows: typeof events) => [...new Set(rows.map(({ object_id }) => object_id))];
  return {
    ids: idsOf(changes),
    written: new Set(idsOf(changes.filter(({ type }) => WRITES.has(type)))),
    endedRuns: idsOf(runs),
    after: { sequence: upto, filled_to },
    more: events.length === STEP,
  };
}

const NO_FLIPS = { blocked: 0, ready: 0 };

/** Tells each run that has ended, once, how many products it has flipped. @returns the runs that have not ended */
async function tellRuns(ctx: Acting, flips: RunFlips, ended: readonly string[]): Promise<RunFlips> {
  for (const run_id of ended) {
    const { blocked, ready } = flips[run_id] ?? NO_FLIPS;
    const told = (products: number) => ({ products, run_id, product: null });
    const more = { object_id: run_id, version: 1 };
    if (blocked > 0) await ctx.emit(qualityEvents.blocked.of(told(blocked), more));
    if (ready > 0) await ctx.emit(qualityEvents.ready.of(told(ready), more));
  }
  return Object.fromEntries(Object.entries(flips).filter(([run_id]) => !ended.includes(run_id)));
}

/** Assesses the next products of a seller. @returns whether there may be more */
export async function refreshListings(ctx: Acting): Promise<boolean> {
  const progress = await takeProgress(ctx);
  if (progress === undefined) return false;
  const { ids, written, endedRuns, after, more } = await nextStep(ctx, progress);
  const known = new Map((await listingsOf(ctx, ids)).map((row) => [row.product_id, row]));
  const products = (await productsById(ctx, ids)).filter(({ status }) => status !== 'archived');
  const flips: Record<string, { blocked: number; ready: number }> = { ...progress.runs };
  const rows: ListingRow[] = [];
  for (const product of products) {
    const { product_id, source_run_id, version } = product;
    const { ready, score, findings } = assess(product);
    const codes = findings.map(({ rule }) => rule.code);
    rows.push({ product_id, ready, score, codes, product_version: version });
    if (ready === (known.get(product_id)?.ready ?? ready)) continue;
    const told = ready ? 'ready' : 'blocked';
    if (source_run_id !== null && written.has(product_id)) {
      const before = flips[source_run_id] ?? NO_FLIPS;
      flips[source_run_id] = { ...before, [told]: before[told] + 1 };
      continue;
    }
    const object = { products: 1, run_id: null, product: toWireReadiness(product) };
    await ctx.emit(qualityEvents[told].of(object, { object_id: product_id, version }));
  }
  await listings.upsertMany(ctx, rows);
  const left = new Set(ids);
  for (const { product_id } of rows) left.delete(product_id);
  await dropListings(ctx, [...left]);
  await saveProgress(ctx, {
    ...after,
    sums: changeSums(progress.sums, [...known.values()], rows),
    runs: await tellRuns(ctx, flips, endedRuns),
    refreshed_at: ctx.at(),
  });
  return more;
}
