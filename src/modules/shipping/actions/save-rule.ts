import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { shippingErrors } from '../errors.ts';
import { POSITION_MAX, type RuleChangeWire, type RuleInputWire } from '../schemas/rule.ts';
import { lockProfiles, type ProfileRow } from '../store/profiles.ts';
import { deleteRule, findRule, type RuleRow, rulesSoFar, writeRule } from '../store/rules.ts';

/** All of them are asked for each product when products are counted. */
const RULES_MAX = 100;
/** Room between two rules for others to come. */
const POSITION_STEP = 10;

/**
 * Writes a rule under the profiles that are held, so that the one that is named stays.
 *
 * @throws ApiError 422 when the rule names no profile of the seller, or no product
 */
async function write(ctx: SellerCtx, profiles: readonly ProfileRow[], row: RuleRow): Promise<RuleRow> {
  const { seller_id } = ctx.seller;
  if (!profiles.some(({ profile_id }) => profile_id === row.profile_id)) {
    const msg = 'There is no such shipping profile.';
    throw invalid([{ loc: ['body', 'profile_id'], msg, type: 'profile_unknown', input: row.profile_id }]);
  }
  if (row.skus.length + row.sku_prefixes.length + row.categories.length === 0) {
    const msg =
      'Name products by "skus", "sku_prefixes" or "categories"; what no rule names goes by the default profile.';
    throw invalid([{ loc: ['body', 'skus'], msg, type: 'missing' }]);
  }
  await writeRule(ctx.db, seller_id, row);
  return row;
}

/** @throws ApiError 422, 409 `rule_limit` */
export async function createRule(ctx: SellerCtx, input: RuleInputWire): Promise<RuleRow> {
  const { seller_id } = ctx.seller;
  // Before they are counted: rules that are made at the same time know of each other.
  const profiles = await lockProfiles(ctx.db, seller_id);
  const { count, last } = await rulesSoFar(ctx.db, seller_id);
  if (count >= RULES_MAX) throw fail(shippingErrors.rule_limit);
  const at = new Date(ctx.now()).toISOString();
  const defaults = {
    // Of rules at one position the older is asked first: the new one is the last there too.
    position: Math.min(last + POSITION_STEP, POSITION_MAX),
    enabled: true,
    skus: [],
    sku_prefixes: [],
    categories: [],
  };
  const content = { ...defaults, ...input, name: input.name.trim() };
  const rule_id = ctx.ids.next('shippingRule');
  return write(ctx, profiles, { ...content, rule_id, version: 1, created_at: at, updated_at: at });
}

/** @throws ApiError 404, 412, 422 */
export async function changeRule(
  ctx: SellerCtx,
  {
    ruleId,
    change,
    checkVersion,
  }: { ruleId: string; change: RuleChangeWire; checkVersion: (rule: RuleRow) => void },
): Promise<RuleRow> {
  const { seller_id } = ctx.seller;
  const profiles = await lockProfiles(ctx.db, seller_id);
  const before = await findRule(ctx.db, seller_id, ruleId, true);
  if (before === undefined) throw fail(coreErrors.not_found);
  checkVersion(before);
  const after = { ...before, ...change };
  return write(ctx, profiles, {
    ...after,
    name: after.name.trim(),
    version: before.version + 1,
    updated_at: new Date(ctx.now()).toISOString(),
  });
}

/** @throws ApiError 404, 412 */
export async function removeRule(
  ctx: SellerCtx,
  ruleId: string,
  checkVersion: (rule: RuleRow) => void,
): Promise<void> {
  const { seller_id } = ctx.seller;
  const rule = await findRule(ctx.db, seller_id, ruleId, true);
  if (rule === undefined) throw fail(coreErrors.not_found);
  checkVersion(rule);
  await deleteRule(ctx.db, seller_id, ruleId);
}
