/**
 * Evaluates products: all of them at night and after a change of a rule, and otherwise those whose guardrails, offers
 * or costs have changed. One transaction, so the event tells the whole difference. See docs/design/pricing.md#passes.
 */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting, Standing } from '../../../kernel/context.ts';
import { planHasFeature } from '../../../kernel/plans.ts';
import { saveSnapshot } from '../../facts/index.ts';
import { evaluate } from '../domain/evaluate.ts';
import { categoryPath, ruleFinder } from '../domain/rules.ts';
import { recommendationsChanged } from '../events.ts';
import {
  changedProducts,
  countRecommended,
  deleteEvaluations,
  lastPass,
  lockPass,
  nextProducts,
  ofOlderPasses,
  ofProducts,
  type PricedRow,
  pricedProducts,
  storeMatched,
  storePass,
  tryLockPass,
} from '../store/products.ts';
import { type EvaluationRow, evaluations, rulesOf } from '../store/tables.ts';
import { factsOf, readFees } from './facts-of.ts';

export const CHANGED_JOB = 'pricing.evaluate';
export const WHOLE_JOB = 'pricing.evaluate_all';
export const LIST_CONTRACT = 'pricing.products.v1';
/** Changes within this time share a pass. A change is evaluated within a minute. */
export const GATHER_MS = 15_000;
/** A pass that evaluates more products than these is long work. */
const CHANGED_MAX = 20_000;
/** The longest time between the instant that a transaction writes and its commit. */
const OVERLAP_MS = 600_000;
const PRODUCTS_AT_ONCE = 1_000;
const NAMED_MAX = 50;

/** Whether the seller uses pricing. */
export const usesPricing = ({ plan, account_flags }: Pick<Standing, 'plan' | 'account_flags'>): boolean =>
  account_flags.includes('pricing') && planHasFeature(plan, 'pricing');

/** Plans a pass. @param kind over all products, because a rule has changed, or over those that have changed */
export const requestPass = (
  { jobs, seller_id, now }: Acting,
  kind: typeof CHANGED_JOB | typeof WHOLE_JOB = CHANGED_JOB,
): Promise<void> => jobs.add({ kind, uniqueKey: seller_id, dueAt: now() + GATHER_MS });

async function* pagesOfAll(ctx: Acting, today: string): AsyncGenerator<PricedRow[]> {
  for (let after = ''; ; ) {
    const rows = await nextProducts(ctx, today, after, PRODUCTS_AT_ONCE);
    if (rows.length > 0) yield rows;
    if (rows.length < PRODUCTS_AT_ONCE) return;
    after = rows.at(-1)?.product_id ?? '';
  }
}

async function* pagesOf(ctx: Acting, today: string, ids: readonly string[]): AsyncGenerator<PricedRow[]> {
  for (let at = 0; at < ids.length; at += PRODUCTS_AT_ONCE)
    yield await pricedProducts(ctx, today, ids.slice(at, at + PRODUCTS_AT_ONCE));
}

/** Evaluates some products, and notes what differs from before. */
class Pass {
  readonly opened: string[] = [];
  readonly matched: Record<string, number> = {};
  closed = 0;
  private readonly ctx: Acting;
  private readonly number: number;
  private readonly fees: Awaited<ReturnType<typeof readFees>>;
  private readonly ruleOf: ReturnType<typeof ruleFinder>;

  constructor(ctx: Acting, number: number, fees: Pass['fees'], ruleOf: Pass['ruleOf']) {
    this.ctx = ctx;
    this.number = number;
    this.fees = fees;
    this.ruleOf = ruleOf;
  }

  /** Undefined if no rule, guardrail or observation is about the product. */
  private evaluated(row: PricedRow): EvaluationRow | undefined {
    const rule = this.ruleOf(row);
    if (rule === undefined && !row.has_guardrail && row.offer === null) return undefined;
    if (rule !== undefined) this.matched[rule.rule_id] = (this.matched[rule.rule_id] ?? 0) + 1;
    const result = evaluate(factsOf(row), rule, this.fees, this.ctx.now());
    const wasOpen = row.status === 'recommended';
    if (result.status === 'recommended' && !(wasOpen && row.target_minor === result.target_minor))
      this.opened.push(row.product_id);
    if (result.status !== 'recommended' && wasOpen) this.closed += 1;
    return {
      ...result,
      product_id: row.product_id,
      category: categoryPath(row.category),
      product_version: row.version,
      evaluated_at: this.ctx.at(),
      pass: this.number,
    };
  }

  async write(rows: readonly PricedRow[]): Promise<void> {
    const kept = rows.flatMap((row) => this.evaluated(row) ?? []);
    await evaluations.upsertMany(this.ctx, kept);
    const stays = new Set(kept.map(({ product_id }) => product_id));
    const gone = rows.filter(({ product_id, status }) => status !== null && !stays.has(product_id));
    if (gone.length > 0)
      this.closed += await deleteEvaluations(this.ctx, ofProducts(gone.map(({ product_id }) => product_id)));
  }
}

const sinceOf = ({ evaluated_at }: { readonly evaluated_at: string }): string =>
  new Date(Date.parse(evaluated_at) - OVERLAP_MS).toISOString();

/** @param changed null: all products */
async function evaluateProducts(
  ctx: Acting,
  { currency }: Standing,
  before: Awaited<ReturnType<typeof lastPass>>,
  changed: readonly string[] | null,
): Promise<void> {
  const at = ctx.at();
  const today = sydneyDate(ctx.now());
  const number = (before?.pass ?? 0) + 1;
  const fees = await readFees(ctx, currency, ctx.now(), changed === null ? undefined : before);
  const { processing_bps } = fees;
  const pass = new Pass(ctx, number, fees, ruleFinder(await rulesOf(ctx)));
  const pages = changed === null ? pagesOfAll(ctx, today) : pagesOf(ctx, today, changed);
  for await (const rows of pages) await pass.write(rows);
  await storePass(ctx, { pass: number, evaluated_at: at, currency, processing_bps });
  if (changed === null) {
    pass.closed += await deleteEvaluations(ctx, ofOlderPasses(number));
    await storeMatched(ctx, pass.matched);
    saveSnapshot(ctx, LIST_CONTRACT, {
      facts_through_on: addDays(today, -1),
      missing: processing_bps === null ? ['payment_processing'] : [],
      body: null,
    });
  }
  const { opened, closed } = pass;
  if (opened.length + closed === 0) return;
  const recommended = await countRecommended(ctx);
  await ctx.emit(
    recommendationsChanged.of(
      { recommended, opened: opened.slice(0, NAMED_MAX), closed, evaluated_at: at },
      { object_id: ctx.seller_id, version: number },
    ),
  );
}

/** Evaluates every product. */
export async function runWholePass(ctx: Acting, standing: Standing): Promise<void> {
  await lockPass(ctx);
  await evaluateProducts(ctx, standing, await lastPass(ctx), null);
}

/**
 * Evaluates the products that have changed since the last pass. Without one, or after many changes, it leaves them to a
 * whole pass, which takes long.
 *
 * @returns false if another pass of the seller runs
 */
export async function runChangedPass(ctx: Acting, standing: Standing): Promise<boolean> {
  if (!(await tryLockPass(ctx))) return false;
  const before = await lastPass(ctx);
  const changed = before && (await changedProducts(ctx, sinceOf(before), CHANGED_MAX + 1));
  if (changed === undefined || changed.length > CHANGED_MAX)
    await ctx.jobs.add({ kind: WHOLE_JOB, uniqueKey: ctx.seller_id, dueAt: ctx.now() });
  else await evaluateProducts(ctx, standing, before, changed);
  return true;
}
