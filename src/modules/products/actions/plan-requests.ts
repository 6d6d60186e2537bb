/** Plans requests of the API against the catalogue: any number at once, with a fixed number of queries. */

import { API_COLUMNS } from '../domain/fields/field-columns.ts';
import type { ValidPatch } from '../domain/fields/validate-patch.ts';
import type { IdentityCandidate, RowMatch } from '../domain/identity/evidence.ts';
import { type FoundProducts, lookupKeys, matchRow } from '../domain/match-row.ts';
import type { PlanContext, RowPlan } from '../domain/plan/plan-context.ts';
import { planRow } from '../domain/plan-row.ts';
import type { StoredIdentity, StoredProduct } from '../domain/product.ts';
import { replacementPatch } from '../domain/replacement-patch.ts';
import type { ProductPatch } from '../domain/row.ts';
import { holdProducts } from '../store/hold-products.ts';
import { loadByGtins, loadByMpnBrand } from '../store/load-products.ts';
import type { SellerWriteContext } from './write-context.ts';

export interface ProductRequest extends ValidPatch {
  readonly mode: 'create_only' | 'update_only' | 'upsert';
  /** The product that the request names apart from its body. */
  readonly product_id?: string | undefined;
  /** What the body leaves out is cleared. */
  readonly replace?: boolean;
}

export interface PlannedRequest {
  readonly before: StoredProduct | null;
  /** `null`: the named product does not exist. `repeated`: an earlier request is about the same product. */
  readonly plan: RowPlan | null | 'repeated';
}

const NOTHING: FoundProducts = {
  bySku: () => undefined,
  byProductId: () => undefined,
  byExternalKey: () => undefined,
  byGtin: () => [],
  byMpnBrand: () => [],
};

const pairOf = (identity: StoredIdentity | null): string | null =>
  identity?.strategy === 'mpn_brand' ? `${identity.brand_folded}\0${identity.mpn_folded}` : null;

/** The products that the requests speak of, held and indexed by what names them. */
export interface HeldProducts {
  readonly byId: ReadonlyMap<string, StoredProduct>;
  readonly bySku: ReadonlyMap<string, StoredProduct>;
}

export async function holdNamed(
  ctx: SellerWriteContext,
  requests: readonly ProductRequest[],
): Promise<HeldProducts> {
  const keys = requests.map(({ patch }) => lookupKeys(patch));
  const ids = [...requests.map(({ product_id }) => product_id), ...keys.map(({ product_id }) => product_id)];
  const present = (texts: readonly (string | null | undefined)[]) => [
    ...new Set(texts.filter((text): text is string => text != null && text !== '')),
  ];
  const products = await holdProducts(ctx.db, {
    ids: present(ids),
    skus: present(keys.map(({ seller_sku }) => seller_sku)),
  });
  return {
    byId: new Map(products.map((product) => [product.product_id, product])),
    bySku: new Map(
      products.flatMap((product) => (product.seller_sku === null ? [] : [[product.seller_sku, product]])),
    ),
  };
}

interface Draft {
  readonly request: ProductRequest;
  readonly before: StoredProduct | null;
  readonly patch: ProductPatch;
  readonly match: RowMatch;
  /** Planned without limits, to learn the identity that the product would have. */
  readonly first: RowPlan;
}

type Shared = Omit<PlanContext, 'mode' | 'remaining_slots'>;

function shared(ctx: SellerWriteContext, currency: string): Shared {
  return {
    currency,
    source_origin: 'api',
    run_id: null,
    profile: null,
    from_file: false,
    columns: API_COLUMNS,
    nextProductId: () => ctx.ids.next('prd_'),
    nextImageId: () => ctx.ids.next('img_'),
  };
}

function draftOf(request: ProductRequest, held: HeldProducts, context: Shared): Draft | null {
  const target = request.product_id === undefined ? null : (held.byId.get(request.product_id) ?? null);
  if (request.product_id !== undefined && target === null) return null;
  const { existing, match } = matchRow(
    lookupKeys(request.patch),
    { ...NOTHING, bySku: (sku) => held.bySku.get(sku), byProductId: (id) => held.byId.get(id) },
    target,
  );
  const before = existing === null ? null : (held.byId.get(existing.product_id) ?? null);
  const patch =
    request.replace === true && before !== null ? replacementPatch(before, request.patch) : request.patch;
  const input = { row_number: null, patch, messages: request.messages };
  const limits = { mode: request.mode, remaining_slots: Number.MAX_SAFE_INTEGER };
  return { request, before, patch, match, first: planRow(before, input, { ...context, ...limits }, match) };
}

/** Other products of the seller with the identity that a request gives to its own. */
async function findTwins(
  ctx: SellerWriteContext,
  drafts: readonly Draft[],
): Promise<(draft: Draft) => IdentityCandidate[]> {
  const fresh = drafts.flatMap(({ first, before }) =>
    first.next?.identity != null && first.next.identity !== before?.identity ? [first.next.identity] : [],
  );
  const gtins = await loadByGtins(ctx.db, [...new Set(fresh.flatMap(({ gtin14 }) => gtin14 ?? []))]);
  const pairs = await loadByMpnBrand(
    ctx.db,
    fresh
      .filter(({ strategy }) => strategy === 'mpn_brand')
      .map(({ brand_folded, mpn_folded }) => ({ brand: brand_folded ?? '', mpn: mpn_folded ?? '' })),
  );
  return ({ first, before }) => {
    const identity = first.next?.identity;
    if (identity == null || identity === before?.identity) return [];
    const same = [
      ...gtins
        .filter((product) => product.identity?.gtin14 === identity.gtin14)
        .map((product) => ({ product, reason: 'exact_gtin' as const })),
      ...pairs
        .filter((product) => pairOf(product.identity) === pairOf(identity))
        .map((product) => ({ product, reason: 'mpn_brand_folded' as const })),
    ];
    return same
      .filter(({ product }) => product.product_id !== before?.product_id)
      .map(({ product: { product_id, seller_sku }, reason }) => ({ product_id, seller_sku, reason }));
  };
}

/** What earlier requests of the same list have taken. */
class Taken {
  private readonly names = new Set<string>();
  private readonly pairs = new Map<string, IdentityCandidate>();

  /** Whether an earlier request speaks of the same product. */
  has({ before, patch }: Draft): boolean {
    return (
      (before !== null && this.names.has(before.product_id)) ||
      (patch.seller_sku !== undefined && this.names.has(`sku:${patch.seller_sku}`))
    );
  }

  twinOf({ first }: Draft): IdentityCandidate[] {
    const pair = pairOf(first.next?.identity ?? null);
    const twin = pair === null ? undefined : this.pairs.get(pair);
    return twin === undefined ? [] : [twin];
  }

  add({ before, patch }: Draft, plan: RowPlan): void {
    if (before !== null) this.names.add(before.product_id);
    if (patch.seller_sku !== undefined) this.names.add(`sku:${patch.seller_sku}`);
    const { next } = plan;
    const pair = next === null || next.status === 'archived' ? null : pairOf(next.identity);
    if (pair === null || next === null) return;
    this.pairs.set(pair, {
      product_id: next.product_id,
      seller_sku: next.seller_sku,
      reason: 'mpn_brand_folded',
    });
  }
}

/**
 * Plans requests in their order; a later one sees what the earlier ones will have done. Writes nothing.
 *
 * @param remainingSlots products that the plan still allows
 */
export async function planRequests(
  ctx: SellerWriteContext,
  requests: readonly ProductRequest[],
  held: HeldProducts,
  remainingSlots: number,
): Promise<PlannedRequest[]> {
  const context = shared(ctx, (await ctx.standing()).currency);
  const drafts = requests.map((request) => draftOf(request, held, context));
  const twinsOf = await findTwins(
    ctx,
    drafts.filter((draft) => draft !== null),
  );
  const taken = new Taken();
  let slots = remainingSlots;
  return drafts.map((draft): PlannedRequest => {
    if (draft === null) return { before: null, plan: null };
    const { request, before, patch, match, first } = draft;
    if (taken.has(draft)) return { before, plan: 'repeated' };
    const twins = [...twinsOf(draft), ...taken.twinOf(draft)];
    const settled = twins.length === 0 && (first.slots <= 0 || slots > 0);
    const plan = settled
      ? first
      : planRow(
          before,
          { row_number: null, patch, messages: request.messages },
          { ...context, mode: request.mode, remaining_slots: slots },
          { ...match, candidates: [...match.candidates, ...twins] },
        );
    if (plan.outcome !== 'rejected') {
      taken.add(draft, plan);
      slots -= plan.slots;
    }
    return { before, plan };
  });
}
