/** What the seller does with a promotion. */
import { daysLater } from '../../../kernel/australia/sydney.ts';
import { type FieldProblem, fail, invalid } from '../../../kernel/errors.ts';
import { minor } from '../../../kernel/money.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { changedFields } from '../../../platform/audit/changed-fields.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { endedBy } from '../domain/promotion.ts';
import { promotionMachine } from '../domain/promotion-machine.ts';
import { marketingErrors } from '../errors.ts';
import { promotionEvents } from '../events.ts';
import { type PromotionChange, type PromotionInput, toWire } from '../schemas.ts';
import { lockOpenCount, type PromotionRow } from '../store.ts';
import { plan } from './moves.ts';
import { requireFloors } from './prices.ts';

const OPEN_MAX = 100;
const DAYS_MAX = 90;
const DAY_MS = 86_400_000;

type Terms = Pick<
  PromotionRow,
  | 'name'
  | 'kind'
  | 'value_bps'
  | 'value_minor'
  | 'applies_to'
  | 'code'
  | 'starts_at'
  | 'ends_at'
  | 'budget_minor'
>;
const problem = (field: string, type: string, msg: string, input?: unknown): FieldProblem => ({
  ...{ loc: ['body', field], msg, type },
  ...(input === undefined ? {} : { input }),
});

/**
 * The terms after the changes of a body. @throws ApiError 422 `missing`, `extra_forbidden`, `greater_than`,
 * `window_too_long`
 */
function merged(before: PromotionRow | undefined, body: PromotionInput | PromotionChange): Terms {
  const given = { value_bps: null, value_minor: null, code: null, ...before, ...body } as PromotionInput;
  const { kind, starts_at, ends_at } = given;
  const isPercent = kind === 'percent_off';
  const [field, other] = isPercent
    ? (['value_bps', 'value_minor'] as const)
    : (['value_minor', 'value_bps'] as const);
  const problems: FieldProblem[] = [];
  if (given[field] == null) problems.push(problem(field, 'missing', `A promotion ${kind} has "${field}".`));
  if (body[other] != null) {
    const msg = `A promotion ${kind} has "${field}" instead; leave it out.`;
    problems.push(problem(other, 'extra_forbidden', msg, body[other]));
  }
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  if (end <= start) problems.push(problem('ends_at', 'greater_than', 'Must be after "starts_at".', ends_at));
  // Days that begin and end at the same time of day count, also if one of them has 25 hours.
  if (end > Math.max(start + DAYS_MAX * DAY_MS, daysLater(start, DAYS_MAX)))
    problems.push(
      problem('ends_at', 'window_too_long', `Must be at most ${DAYS_MAX} days after "starts_at".`, ends_at),
    );
  if (problems.length > 0) throw invalid(problems);
  return {
    ...{ name: given.name.trim(), kind, applies_to: given.applies_to, code: given.code ?? null },
    value_bps: isPercent ? (given.value_bps ?? null) : null,
    value_minor: isPercent || given.value_minor == null ? null : minor(given.value_minor),
    starts_at: new Date(start).toISOString(),
    ends_at: new Date(end).toISOString(),
    budget_minor: minor(given.budget_minor),
  };
}

/** @throws ApiError 409 `too_many_promotions`, 422 */
export async function createPromotion(
  ctx: HandlerCtx,
  body: PromotionInput,
  fresh: Pick<PromotionRow, 'promotion_id' | 'version' | 'created_at' | 'updated_at'>,
): Promise<PromotionRow> {
  const terms = merged(undefined, body);
  const used = await lockOpenCount(ctx);
  if (used >= OPEN_MAX) throw fail(marketingErrors.too_many_promotions, { facts: { limit: OPEN_MAX, used } });
  return {
    ...terms,
    ...{ currency: (await ctx.standing()).currency, status: 'draft', decision: null },
    ...{ submitted_at: null, submitted_version: null },
    ...{ end_reason: null, ended_at: null, used_orders: 0, used_units: 0, used_minor: minor(0) },
    ...fresh,
  };
}

const locked = ({ status }: PromotionRow, fields: readonly string[] = []) =>
  fail(marketingErrors.promotion_locked, { facts: { status, fields } });

/** @throws ApiError 409 `promotion_locked`, 422 */
export async function changePromotion(
  ctx: HandlerCtx,
  before: PromotionRow,
  body: PromotionChange,
): Promise<Partial<PromotionRow>> {
  const terms = merged(before, body);
  const changed = changedFields(before, terms);
  if (before.status === 'draft' || changed.length === 0) return terms;
  const mayChange: Readonly<Record<string, boolean>> = {
    budget_minor: terms.budget_minor > before.budget_minor,
    ends_at: Date.parse(terms.ends_at) < Date.parse(before.ends_at),
  };
  const refused = changed.filter((field) => mayChange[field] !== true);
  if (refused.length > 0 || !promotionMachine.allows('adjust', before.status)) throw locked(before, refused);
  if (Date.parse(terms.ends_at) <= ctx.now()) {
    const msg = 'Must be in the future; POST to "end" ends the promotion now.';
    throw invalid([problem('ends_at', 'greater_than', msg, terms.ends_at)]);
  }
  if (before.status !== 'submitted') await plan(ctx, before, terms.ends_at);
  const after = { ...before, ...terms, version: before.version + 1, updated_at: ctx.at() };
  await ctx.emit(promotionEvents.changed.of(toWire(after)));
  return terms;
}

/** @throws ApiError 409 `promotion_locked` */
export function requireUnknown(_ctx: HandlerCtx, row: PromotionRow): void {
  if (row.status !== 'draft' || row.submitted_at !== null) throw locked(row);
}

/** @throws ApiError 409 `invalid_transition`, `below_floor`, 422 `starts_in_past` */
export async function submitPromotion(ctx: HandlerCtx, row: PromotionRow): Promise<Partial<PromotionRow>> {
  requireMove(promotionMachine, 'submit', row.status);
  const { starts_at: input } = row;
  if (Date.parse(input) <= ctx.now()) {
    const msg = `The promotion begins at ${input}, which has passed; change "starts_at" first.`;
    throw invalid([{ loc: ['path', 'promotion_id'], msg, type: 'starts_in_past', input }]);
  }
  await requireFloors(ctx, row);
  const submitted_version = row.version + 1;
  return { status: 'submitted', submitted_at: ctx.at(), submitted_version, decision: null };
}

/** @throws ApiError 409 `invalid_transition` */
export function withdrawPromotion(_ctx: HandlerCtx, row: PromotionRow): Partial<PromotionRow> {
  requireMove(promotionMachine, 'withdraw', row.status);
  return { status: 'draft' };
}

/** @throws ApiError 409 `invalid_transition` */
export function endPromotion(ctx: HandlerCtx, row: PromotionRow): Partial<PromotionRow> {
  requireMove(promotionMachine, 'end', row.status);
  return endedBy(row, 'seller', ctx.now());
}
