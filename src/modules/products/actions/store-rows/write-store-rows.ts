/** Plans and writes products of a connected store, as an import plans its rows. */
import type { Acting, Standing } from '../../../../kernel/context.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import { readUsed } from '../../../../platform/plan-usage.ts';
import { readTrading } from '../../../sellers/index.ts';
import { API_COLUMNS } from '../../domain/fields/field-columns.ts';
import type { IdentityCandidate } from '../../domain/identity/evidence.ts';
import type { PlanContext, RowPlan } from '../../domain/plan/plan-context.ts';
import { yieldTakenSku } from '../../domain/plan/settle-names.ts';
import { planRow } from '../../domain/plan-row.ts';
import type { StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { mediaUrl, reviewedFields } from '../../settings.ts';
import { loadBySkus, lockNamedProducts } from '../../store/load-products.ts';
import { noEarlierRows, settleBatch } from '../feeds/plan-batch.ts';
import { findSameIdentity } from '../find-same-identity.ts';
import { holdToPlan } from '../hold-to-plan.ts';
import { saveProducts } from '../save-products.ts';
import { actionOf } from '../write-product.ts';
import { STORE_PROFILE } from './read-store-rows.ts';

/** What a store says about one product. */
interface StoreRow {
  /** The product; null: it is new. A product that does not exist rejects the row. */
  readonly product_id: string | null;
  /** The row that is applied. An existing product is locked. */
  readonly rowFor: (product: StoredProduct | null) => FeedRow;
}

export interface WrittenStoreRow {
  readonly plan: RowPlan;
  readonly before: StoredProduct | null;
  /** The product now; null: the row was rejected, and there is none. */
  readonly after: StoredProduct | null;
}

type Context = Omit<PlanContext, 'remaining_slots'>;

async function contextOf(
  ctx: Acting,
  { plan, currency }: Pick<Standing, 'plan' | 'currency'>,
): Promise<Context> {
  const { default_reorder_point } = await readTrading(ctx);
  return {
    mode: 'upsert',
    tier: plan,
    ...{ currency, default_reorder_point, source_origin: 'store_platform', run_id: null },
    ...{ profile: STORE_PROFILE, from_file: true, columns: API_COLUMNS },
    reviewed_fields: reviewedFields(ctx.config),
    media_url: mediaUrl(ctx.config),
    nextProductId: () => ctx.ids.next('prd_'),
    nextImageId: () => ctx.ids.next('img_'),
  };
}

const skuCandidate = ({ product_id, seller_sku }: StoredProduct): IdentityCandidate => ({
  ...{ product_id, seller_sku, reason: 'seller_sku' },
});

/**
 * Writes products with their history and events. A rejected row does not stop the others.
 *
 * @returns one result for each row, in their order
 * @throws Error if a concurrent request has filled the seller's plan; the caller tries again
 */
export async function writeStoreRows(
  ctx: Acting,
  items: readonly StoreRow[],
  standing: Pick<Standing, 'plan' | 'currency'>,
): Promise<WrittenStoreRow[]> {
  if (items.length === 0) return [];
  const context = await contextOf(ctx, standing);
  const locked = await lockNamedProducts(ctx, {
    ids: items.flatMap(({ product_id }) => product_id ?? []),
    skus: [],
  });
  const byId = new Map(locked.map((product) => [product.product_id, product]));
  const stated = items.map(({ product_id, rowFor }) => {
    const existing = product_id === null ? null : (byId.get(product_id) ?? null);
    const row = rowFor(existing);
    // A product that was deleted is not made again: such a row is refused.
    return {
      existing,
      row: existing === null && product_id !== null ? { ...row, role: 'deactivate' as const } : row,
    };
  });
  const bySku = new Map(
    (await loadBySkus(ctx, [...new Set(stated.flatMap(({ row }) => row.patch?.seller_sku ?? []))])).map(
      (product) => [product.seller_sku, product],
    ),
  );
  const limits = { ...context, remaining_slots: Number.MAX_SAFE_INTEGER };
  const drafts = stated.map(({ existing, row: asked }) => {
    const holder = bySku.get(asked.patch?.seller_sku ?? null);
    const candidates = holder === undefined ? [] : [skuCandidate(holder)];
    const found = { existing, match: { matched_by: null, candidates } };
    const row = yieldTakenSku(asked, found, context);
    return { row, ...found, plan: planRow(existing, row, limits, found.match), find: () => found };
  });
  const sameIdentityAs = await findSameIdentity(ctx, drafts);
  const remaining = planLimit(context.tier, 'products') - (await readUsed(ctx.db, ctx.seller_id, 'products'));
  const planned = settleBatch(
    drafts.map((draft) => ({ ...draft, sameIdentity: sameIdentityAs(draft) })),
    context,
    noEarlierRows(remaining),
  );
  const writes = planned.flatMap(({ existing: before, plan }, at) =>
    plan.next === null
      ? []
      : [
          {
            at,
            before,
            next: { ...plan.next, source_row: null },
            changes: plan.changes,
            action: actionOf(plan),
          },
        ],
  );
  const saved = await saveProducts(ctx, writes);
  const afterOf = new Map(writes.map(({ at }, order) => [at, saved[order]]));
  if (planned.some(({ plan }) => plan.slots > 0)) {
    const counted = await holdToPlan(ctx, planLimit(context.tier, 'products'));
    if (counted !== undefined) throw new Error('another request has filled the plan of the seller');
  }
  return planned.map(({ existing: before, plan }, at) => ({
    ...{ plan, before, after: afterOf.get(at) ?? before },
  }));
}
