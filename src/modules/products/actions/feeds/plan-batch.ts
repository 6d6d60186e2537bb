/** Plans a batch of rows against the catalogue. Writes nothing: previews and applied runs plan alike. */
import type { Db } from '../../../../kernel/context.ts';
import type { IdentityCandidate } from '../../domain/identity/evidence.ts';
import type { PlanContext, RowPlan } from '../../domain/plan/plan-context.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import { planRow } from '../../domain/plan-row.ts';
import type { CatalogueProduct, StoredIdentity, StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { type RowCode, rowMessage } from '../../domain/row-codes.ts';
import { loadByGtins, loadByMpnBrand } from '../../store/load-products.ts';
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
  /**
   * Global ids and MPN/brand pairs that an earlier row took, each with who has it; and those that it gave up,
   * with who had it: whether the catalogue still shows that depends on whether the run writes.
   */
  readonly identities: Map<string, IdentityCandidate>;
  remainingSlots: number;
}

export function newMemory(remainingSlots: number): RunMemory {
  return { skus: new Set(), keys: new Set(), products: new Set(), identities: new Map(), remainingSlots };
}

/** What no two products of a seller should share, as one text. */
function identityOf(identity: StoredIdentity | null | undefined): string | undefined {
  if (identity?.strategy === 'mpn_brand') return `${identity.brand_folded}\u0000${identity.mpn_folded}`;
  return identity?.strategy === 'global_id' ? (identity.gtin14 ?? undefined) : undefined;
}

const candidateOf = ({ product_id, seller_sku, identity }: CatalogueProduct): IdentityCandidate => ({
  product_id,
  seller_sku,
  reason: identity?.strategy === 'mpn_brand' ? 'mpn_brand_folded' : 'exact_gtin',
});

const REPEATS: ReadonlySet<string> = new Set<RowCode>(['sku_duplicate_in_file', 'duplicate_in_file']);

/** A later row that speaks of the same product is refused: which of the two should win is not ours to guess. */
function repeated(
  row: FeedRow,
  existing: StoredProduct | null,
  memory: RunMemory,
  column: string,
): FeedRow | undefined {
  // A profile may have found the repeat itself, and said in which row the first one stands.
  if (row.messages.some(({ code }) => REPEATS.has(code))) return undefined;
  const { seller_sku: sku, external_key: key } = row.patch ?? {};
  if (sku != null && sku !== '' && memory.skus.has(sku)) {
    return {
      ...row,
      messages: [...row.messages, rowMessage('sku_duplicate_in_file', { column, value: sku })],
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
  if (plan.next === null) return;
  const before = existing?.status === 'archived' ? undefined : identityOf(existing?.identity);
  if (existing !== null && before !== undefined && !memory.identities.has(before))
    memory.identities.set(before, candidateOf(existing));
  if (plan.next.status === 'archived') return;
  const identity = identityOf(plan.next.identity);
  if (identity !== undefined) memory.identities.set(identity, candidateOf(plan.next));
}

/** A row with what the catalogue holds about it, planned for itself alone. */
export interface DraftRow extends Found {
  readonly row: FeedRow;
  readonly plan: RowPlan;
  /** Other products of the seller with the identity that the row arrives at. */
  readonly twins: readonly IdentityCandidate[];
}

type BatchContext = Omit<PlanContext, 'remaining_slots'>;

const takesIdentity = ({
  plan,
  existing,
}: Pick<DraftRow, 'plan' | 'existing'>): StoredIdentity | undefined => {
  const identity = plan.next?.identity ?? undefined;
  return identity === existing?.identity ? undefined : identity;
};

async function loadTwins(
  db: Db,
  identities: readonly StoredIdentity[],
): Promise<ReadonlyMap<string, StoredProduct[]>> {
  const gtins = identities.flatMap(({ strategy, gtin14 }) =>
    strategy === 'global_id' ? (gtin14 ?? []) : [],
  );
  const pairs = identities
    .filter(({ strategy }) => strategy === 'mpn_brand')
    .map(({ brand_folded, mpn_folded }) => ({ brand: brand_folded ?? '', mpn: mpn_folded ?? '' }));
  const products = [...(await loadByGtins(db, [...new Set(gtins)])), ...(await loadByMpnBrand(db, pairs))];
  return Map.groupBy(products, ({ identity }) => identityOf(identity) ?? '');
}

/**
 * Reads what the catalogue holds about a batch and plans each row for itself. Needs nothing of earlier rows, so the
 * next batch can be read while the one before is written.
 *
 * @param lock hold the named products, for a run that writes
 */
export async function draftBatch(
  db: Db,
  rows: readonly FeedRow[],
  context: BatchContext,
  lock: boolean,
): Promise<DraftRow[]> {
  const found = await findExisting(db, rows, context.profile, lock);
  const unlimited = { ...context, remaining_slots: Number.MAX_SAFE_INTEGER };
  const drafts = rows.map((row) => {
    const { existing, match } = found(row);
    return { row, existing, match, plan: planRow(existing, row, unlimited, match) };
  });
  const twins = await loadTwins(
    db,
    drafts.flatMap((draft) => takesIdentity(draft) ?? []),
  );
  return drafts.map((draft) => {
    const others = twins.get(identityOf(takesIdentity(draft)) ?? '') ?? [];
    const { row, existing, match, plan } = draft;
    const twinsOf = others.filter(({ product_id }) => product_id !== existing?.product_id).map(candidateOf);
    return { row, existing, match, plan, twins: twinsOf };
  });
}

/** Settles drafts in file order: repeated rows, taken identities and the plan's limit are known only now. */
export function settleBatch(
  drafts: readonly DraftRow[],
  context: BatchContext,
  memory: RunMemory,
): PlannedRow[] {
  return drafts.map((draft) => {
    const { existing, match } = draft;
    const row = repeated(draft.row, existing, memory, context.columns.fields.seller_sku) ?? draft.row;
    const earlier = memory.identities.get(identityOf(takesIdentity(draft)) ?? '');
    const known = draft.twins.some(({ product_id }) => product_id === earlier?.product_id);
    const twins = earlier === undefined || known ? draft.twins : [...draft.twins, earlier];
    const outOfSlots = draft.plan.slots > 0 && memory.remainingSlots <= 0;
    const settled = row === draft.row && twins.length === 0 && !outOfSlots;
    const plan = settled
      ? draft.plan
      : planRow(
          existing,
          row,
          { ...context, remaining_slots: memory.remainingSlots },
          { ...match, candidates: [...match.candidates, ...twins] },
        );
    remember(row, existing, plan, memory);
    return { row, existing, plan, outcome: plan.outcome };
  });
}
