import type { SellerDb } from '../../../platform/db/table.ts';
import type { Trading } from '../../sellers/index.ts';
import { dispatchBy, handlingWithoutProfile } from '../domain/dispatch-by.ts';
import type { DispatchRule } from '../domain/dispatch-rule.ts';
import { profilesOfSkus } from '../store/profiles-of-skus.ts';

/** By when an order must be dispatched, and the rule that says so. */
export interface DispatchDeadline {
  readonly dispatch_by: string;
  readonly dispatch_rule: DispatchRule;
}

/**
 * The deadline of an order with these products: it leaves when the slowest of them can leave.
 *
 * @param skus of its items; null: an item without one
 * @param placedAt the instant whose profiles and rules count, RFC 3339
 * @param from the instant from which the deadline runs, in milliseconds
 * @param trading of the same instant
 */
export async function dispatchDeadline(
  ctx: SellerDb,
  skus: readonly (string | null)[],
  { placedAt, from }: { readonly placedAt: string; readonly from: number },
  trading: Promise<Trading>,
): Promise<DispatchDeadline> {
  const named = skus.map((sku) => sku ?? '');
  const [profiles, { default_handling_days: days, extension }] = await Promise.all([
    profilesOfSkus(ctx, named, placedAt),
    trading,
  ]);
  const [first, ...others] = profiles.map((profile) => {
    const source = profile !== null ? 'profile' : days !== null ? 'setting' : 'default';
    const handling = profile ?? { profile_id: null, ...handlingWithoutProfile(days) };
    const closed = { closed_from: extension?.from ?? null, closed_to: extension?.to ?? null };
    const dispatch_rule: DispatchRule = { source, ...handling, ...closed };
    return { by: dispatchBy(handling, from, extension), dispatch_rule };
  });
  if (first === undefined) throw new Error('an order has at least one item');
  const { by, dispatch_rule } = others.reduce((last, one) => (one.by > last.by ? one : last), first);
  return { dispatch_by: new Date(by).toISOString(), dispatch_rule };
}
