/** Plans a batch of rows against the catalogue. Writes nothing: previews and applied runs plan alike. */
import type { Db } from '../../../../kernel/context.ts';
import type { IdentityCandidate, RowMatch } from '../../domain/identity/evidence.ts';
import type { PlanContext, RowOutcome, RowPlan } from '../../domain/plan/plan-context.ts';
import { planRow } from '../../domain/plan-row.ts';
import type { StoredIdentity } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { rowMessage } from '../../domain/row-codes.ts';
import { loadByGtins, loadByMpnBrand } from '../../store/load-products.ts';
import type { StoredProduct } from '../../store/product-columns.ts';
import { type Found, findExisting } from './find-existing.ts';

export interface PlannedRow {
  readonly row: FeedRow;
  readonly existing: StoredProduct | null;
  readonly plan: RowPlan;
  /** The plan's outcome, unless the run withholds the row. */
  readonly outcome: RowOutcome;
}

/** What a run remembers from row to row. */
export interface RunMemory {
  /** SKUs, file keys and products that an earlier row has spoken about. */
  readonly skus: Set<string>;
  readonly keys: Set<string>;
  readonly products: Set<string>;
  /** MPN and brand pairs that an earlier row took, each with who has it. */
  readonly pairs: Map<string, IdentityCandidate>;
  remainingSlots: number;
}

export function newMemory(remainingSlots: number): RunMemory {
  return { skus: new Set(), keys: new Set(), products: new Set(), pairs: new Map(), remainingSlots };
}

const pairOf = (identity: StoredIdentity | null): string | undefined =>
  identity?.strategy === 'mpn_brand' ? `${identity.brand_folded}\u0000${identity.mpn_folded}` : undefined;

/** A later row that speaks of the same product is refused: which of the two should win is not ours to guess. */
function repeated(row: FeedRow, existing: StoredProduct | null, memory: RunMemory): FeedRow | undefined {
  const { seller_sku: sku, external_key: key } = row.patch ?? {};
  if (sku != null && sku !== '' && memory.skus.has(sku)) {
    return {
      ...row,
      messages: [...row.messages, rowMessage('sku_duplicate_in_file', { column: 'seller_sku', value: sku })],
    };
  }
  const again =
    (existing !== null && memory.products.has(existing.product_id)) ||
    (sku == null && key != null && memory.keys.has(key));
  return again
    ? {
        ...row,
        messages: [...row.messages, rowMessage('duplicate_in_file', { value: key ?? sku ?? undefined })],
      }
    : undefined;
}

function remember(row: FeedRow, existing: StoredProduct | null, plan: RowPlan, memory: RunMemory): void {
  const { seller_sku: sku, external_key: key } = row.patch ?? {};
  if (sku != null && sku !== '') memory.skus.add(sku);
  if (plan.outcome === 'rejected') return;
  if (sku == null && key != null) memory.keys.add(key);
  if (existing !== null) memory.products.add(existing.product_id);
  memory.remainingSlots -= plan.slots;
  const pair = plan.next === null || plan.next.status === 'archived' ? undefined : pairOf(plan.next.identity);
  if (pair !== undefined && plan.next !== null) {
    memory.pairs.set(pair, {
      product_id: plan.next.product_id,
      seller_sku: plan.next.seller_sku,
      reason: 'mpn_brand_folded',
    });
  }
}

interface Draft extends Found {
  readonly row: FeedRow;
  readonly plan: RowPlan;
}

/** Other products of the seller under the identities that a first planning arrived at. */
async function findTwins(
  db: Db,
  drafts: readonly Draft[],
): Promise<(draft: Draft, memory: RunMemory) => IdentityCandidate[]> {
  const fresh = drafts.flatMap(({ plan, existing }) =>
    plan.next?.identity != null && plan.next.identity !== existing?.identity ? [plan.next.identity] : [],
  );
  const gtins = await loadByGtins(db, [...new Set(fresh.flatMap(({ gtin14 }) => gtin14 ?? []))]);
  const pairs = fresh
    .filter(({ strategy }) => strategy === 'mpn_brand')
    .map(({ brand_folded, mpn_folded }) => ({ brand: brand_folded ?? '', mpn: mpn_folded ?? '' }));
  const twins = await loadByMpnBrand(db, pairs);
  const byGtin = Map.groupBy(gtins, ({ identity }) => identity?.gtin14 ?? '');
  const byPair = new Map(twins.map((product) => [pairOf(product.identity), product]));
  return ({ plan, existing }, memory) => {
    const next = plan.next;
    if (next?.identity == null || next.identity === existing?.identity) return [];
    const others: IdentityCandidate[] = (byGtin.get(next.identity.gtin14 ?? '') ?? []).map(
      ({ product_id, seller_sku }) => ({ product_id, seller_sku, reason: 'exact_gtin' }),
    );
    const pair = pairOf(next.identity);
    const twin = pair === undefined ? undefined : (byPair.get(pair) ?? memory.pairs.get(pair));
    if (twin !== undefined)
      others.push({ product_id: twin.product_id, seller_sku: twin.seller_sku, reason: 'mpn_brand_folded' });
    return others.filter(({ product_id }) => product_id !== next.product_id);
  };
}

/**
 * Plans the rows of a batch in file order.
 *
 * @param lock hold the named products, for a run that writes
 */
export async function planBatch(
  db: Db,
  rows: readonly FeedRow[],
  context: Omit<PlanContext, 'remaining_slots'>,
  memory: RunMemory,
  lock: boolean,
): Promise<PlannedRow[]> {
  const found = await findExisting(db, rows, context.profile, lock);
  // Planned once to learn the identities, and again where another product has the same one.
  const plan = (row: FeedRow, existing: StoredProduct | null, match: RowMatch): RowPlan =>
    planRow(existing, row, { ...context, remaining_slots: memory.remainingSlots }, match);
  const first = rows.map((row): Draft => {
    const at = found(row);
    return {
      row,
      ...at,
      plan: planRow(at.existing, row, { ...context, remaining_slots: Number.MAX_SAFE_INTEGER }, at.match),
    };
  });
  const twinsOf = await findTwins(db, first);
  return first.map((draft) => {
    const { existing, match } = draft;
    const row = repeated(draft.row, existing, memory) ?? draft.row;
    const twins = twinsOf(draft, memory);
    const outOfSlots = draft.plan.slots > 0 && memory.remainingSlots <= 0;
    const settled = row === draft.row && twins.length === 0 && !outOfSlots;
    const final = settled
      ? draft.plan
      : plan(row, existing, { ...match, candidates: [...match.candidates, ...twins] });
    remember(row, existing, final, memory);
    return { row, existing, plan: final, outcome: final.outcome };
  });
}
