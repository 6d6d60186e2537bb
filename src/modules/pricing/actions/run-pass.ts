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
  lockPass,
  nextProducts,
  ofOlderPasses,
  ofProducts,
  type PricedRow,
  pricedProducts,
  storeMatched,
  storePass,
} from '../store/products.ts';
import { type EvaluationRow, evaluations, rulesOf } from '../store/tables.ts';
import { factsOf, readFees } from './facts-of.ts';

export const PASS_JOB = 'pricing.evaluate';
export const LIST_CONTRACT = 'pricing.products.v1';
/** Changes within this time share a pass. A change is evaluated within a minute. */
const GATHER_MS = 15_000;
/** A transaction may commit so long after the instant that it writes. */
const OVERLAP_MS = 600_000;
const PRODUCTS_AT_ONCE = 1_000;
const NAMED_MAX = 50;

/** Whether the seller uses pricing. */
export const usesPricing = ({ plan, account_flags }: Pick<Standing, 'plan' | 'account_flags'>): boolean =>
  account_flags.includes('pricing') && planHasFeature(plan, 'pricing');

/** Plans a pass. @param whole over all products, because a rule has changed */
export const requestPass = ({ jobs, seller_id, now }: Acting, whole = false): Promise<void> =>
  jobs.add({
    kind: PASS_JOB,
    uniqueKey: whole ? `${seller_id}/all` : seller_id,
    payload: { whole },
    dueAt: now() + GATHER_MS,
  });

async function* pagesOfAll(ctx: Acting, today: string): AsyncGenerator<PricedRow[]> {
  for (let after = ''; ; ) {
    const rows = await nextProducts(ctx, today, after, PRODUCTS_AT_ONCE);
    if (rows.length > 0) yield rows;
    if (rows.length < PRODUCTS_AT_ONCE) return;
    after = rows.at(-1)?.product_id ?? '';
  }
}

async function* pagesOfChanged(ctx: Acting, today: string, since: string): AsyncGenerator<PricedRow[]> {
  const ids = await changedProducts(ctx, since);
  for (let at = 0; at < ids.length; at += PRODUCTS_AT_ONCE)
    yield await pricedProducts(ctx, today, { ids: ids.slice(at, at + PRODUCTS_AT_ONCE) });
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

/** @param all every product, also those of which nothing has changed */
export async function runPass(ctx: Acting, { currency }: Standing, all: boolean): Promise<void> {
  const before = await lockPass(ctx);
  const whole = all || before === undefined;
  const at = ctx.at();
  const today = sydneyDate(ctx.now());
  const number = (before?.pass ?? 0) + 1;
  const fees = await readFees(ctx, currency, ctx.now());
  const pass = new Pass(ctx, number, fees, ruleFinder(await rulesOf(ctx)));
  const pages =
    whole || before === undefined
      ? pagesOfAll(ctx, today)
      : pagesOfChanged(ctx, today, new Date(Date.parse(before.evaluated_at) - OVERLAP_MS).toISOString());
  for await (const rows of pages) await pass.write(rows);
  await storePass(ctx, number, at);
  if (whole) {
    pass.closed += await deleteEvaluations(ctx, ofOlderPasses(number));
    await storeMatched(ctx, pass.matched);
    await saveSnapshot(ctx, LIST_CONTRACT, {
      facts_through_on: addDays(today, -1),
      missing: fees.processing_bps === null ? ['payment_processing'] : [],
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
