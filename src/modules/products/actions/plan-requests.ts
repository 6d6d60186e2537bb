/** Plans any number of API requests against the catalogue with a fixed number of queries. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { readTrading } from '../../sellers/index.ts';
import { holdProfiles } from '../../shipping/index.ts';
import { API_COLUMNS } from '../domain/fields/field-columns.ts';
import type { ValidPatch } from '../domain/fields/validate-patch.ts';
import type { IdentityCandidate, RowMatch } from '../domain/identity/evidence.ts';
import { identityMatchKey } from '../domain/identity/stored-identity.ts';
import { type FoundProducts, lookupKeys, matchRow } from '../domain/match-row.ts';
import type { PlanContext, RowPlan } from '../domain/plan/plan-context.ts';
import { planRow } from '../domain/plan-row.ts';
import type { StoredIdentity, StoredProduct } from '../domain/product.ts';
import { replacementPatch } from '../domain/replacement-patch.ts';
import type { ProductPatch } from '../domain/row.ts';
import { rowMessage } from '../domain/row-codes.ts';
import { mediaUrl, reviewedFields } from '../settings.ts';
import { lockNamedProducts } from '../store/load-products.ts';
import { candidateOf, findSameIdentity } from './find-same-identity.ts';

export interface ProductRequest extends ValidPatch {
  readonly mode: 'create_only' | 'update_only' | 'upsert';
  /** The product in the path of the request. */
  readonly product_id?: string | undefined;
  /** Clears the fields that the body does not have. */
  readonly replace?: boolean;
}

export interface PlannedRequest {
  readonly before: StoredProduct | null;
  /** `null` when the named product does not exist; `repeated` when an earlier request names the same product. */
  readonly plan: RowPlan | null | 'repeated';
}

const NO_PRODUCTS: FoundProducts = {
  bySku: () => undefined,
  byProductId: () => undefined,
  byExternalKey: () => undefined,
  byGtin: () => [],
  byMpnBrand: () => [],
};

/** The products that the requests name, locked. */
interface LockedProducts {
  readonly byId: ReadonlyMap<string, StoredProduct>;
  readonly bySku: ReadonlyMap<string, StoredProduct>;
}

export async function lockNamed(
  ctx: SellerCtx,
  requests: readonly ProductRequest[],
): Promise<LockedProducts> {
  const keys = requests.map(({ patch }) => lookupKeys(patch));
  const ids = [...requests.map(({ product_id }) => product_id), ...keys.map(({ product_id }) => product_id)];
  const present = (texts: readonly (string | null | undefined)[]) => [
    ...new Set(texts.filter((text): text is string => text != null && text !== '')),
  ];
  const products = await lockNamedProducts(ctx, {
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
  readonly existing: StoredProduct | null;
  readonly patch: ProductPatch;
  readonly match: RowMatch;
  /** Made without the plan's limit, to find the identity that the product would have. */
  readonly plan: RowPlan;
}

type RequestContext = Omit<PlanContext, 'mode' | 'remaining_slots'>;

async function requestContext(ctx: SellerCtx): Promise<RequestContext> {
  const [{ plan, currency }, { default_reorder_point }] = await Promise.all([
    ctx.standing(),
    readTrading(ctx),
  ]);
  return {
    tier: plan,
    currency,
    default_reorder_point,
    source_origin: 'api',
    run_id: null,
    profile: null,
    from_file: false,
    columns: API_COLUMNS,
    reviewed_fields: reviewedFields(ctx.config),
    media_url: mediaUrl(ctx.config),
    nextProductId: () => ctx.ids.next('prd_'),
    nextImageId: () => ctx.ids.next('img_'),
  };
}

/** The requests, each with an error if it names a shipping profile that the seller does not have. */
async function withKnownProfiles(
  ctx: SellerCtx,
  requests: readonly ProductRequest[],
): Promise<readonly ProductRequest[]> {
  const named = requests.flatMap(({ patch }) => patch.shipping_profile_id ?? []);
  if (named.length === 0) return requests;
  const known = await holdProfiles(ctx, named);
  return requests.map((request) => {
    const value = request.patch.shipping_profile_id;
    if (value == null || known.has(value)) return request;
    const column = API_COLUMNS.fields.shipping_profile_id;
    return {
      ...request,
      messages: [...request.messages, rowMessage('shipping_profile_unknown', { column, value })],
    };
  });
}

function draftOf(request: ProductRequest, locked: LockedProducts, context: RequestContext): Draft | null {
  const target = request.product_id === undefined ? null : (locked.byId.get(request.product_id) ?? null);
  if (request.product_id !== undefined && target === null) return null;
  const { existing, match } = matchRow(
    lookupKeys(request.patch),
    { ...NO_PRODUCTS, bySku: (sku) => locked.bySku.get(sku), byProductId: (id) => locked.byId.get(id) },
    { target },
  );
  const before = existing === null ? null : (locked.byId.get(existing.product_id) ?? null);
  const patch =
    request.replace === true && before !== null ? replacementPatch(before, request.patch) : request.patch;
  const input = { row_number: null, patch, messages: request.messages };
  const limits = { mode: request.mode, remaining_slots: Number.MAX_SAFE_INTEGER };
  const plan = planRow(before, input, { ...context, ...limits }, match);
  return { request, existing: before, patch, match, plan };
}

/** The products and identities of earlier requests in the same list. */
class EarlierRequests {
  private readonly products = new Set<string>();
  private readonly pairs = new Map<string, IdentityCandidate>();

  names(draft: Draft): boolean {
    return namesOf(draft).some((name) => this.products.has(name));
  }

  sameIdentity({ plan }: Draft): IdentityCandidate[] {
    const other = this.pairs.get(pairOf(plan.next?.identity) ?? '');
    return other === undefined ? [] : [other];
  }

  add(draft: Draft, { next }: RowPlan): void {
    for (const name of namesOf(draft)) this.products.add(name);
    const pair = next === null || next.status === 'archived' ? undefined : pairOf(next.identity);
    if (pair !== undefined && next !== null) this.pairs.set(pair, candidateOf(next));
  }
}

const namesOf = ({ existing, patch }: Draft): string[] => [
  ...(existing === null ? [] : [existing.product_id]),
  ...(patch.seller_sku === undefined ? [] : [`sku:${patch.seller_sku}`]),
];

const pairOf = (identity: StoredIdentity | null | undefined): string | undefined =>
  identity?.strategy === 'mpn_brand' ? identityMatchKey(identity) : undefined;

/**
 * Plans requests in their order; each plan includes the effects of the earlier ones.
 *
 * @param remainingSlots products that the seller's plan still allows
 */
export async function planRequests(
  ctx: SellerCtx,
  requests: readonly ProductRequest[],
  locked: LockedProducts,
  remainingSlots: number,
): Promise<PlannedRequest[]> {
  const context = await requestContext(ctx);
  const drafts = (await withKnownProfiles(ctx, requests)).map((request) => draftOf(request, locked, context));
  const sameIdentityAs = await findSameIdentity(
    ctx,
    drafts.filter((draft) => draft !== null),
  );
  const earlier = new EarlierRequests();
  let slots = remainingSlots;
  return drafts.map((draft): PlannedRequest => {
    if (draft === null) return { before: null, plan: null };
    const { request, existing: before, patch, match } = draft;
    if (earlier.names(draft)) return { before, plan: 'repeated' };
    const others = [...sameIdentityAs(draft), ...earlier.sameIdentity(draft)];
    const settled = others.length === 0 && (draft.plan.slots <= 0 || slots > 0);
    const plan = settled
      ? draft.plan
      : planRow(
          before,
          { row_number: null, patch, messages: request.messages },
          { ...context, mode: request.mode, remaining_slots: slots },
          { ...match, candidates: [...match.candidates, ...others] },
        );
    if (plan.outcome !== 'rejected') {
      earlier.add(draft, plan);
      slots -= plan.slots;
    }
    return { before, plan };
  });
}
