/** Plans a batch of rows against the catalogue, in the same way for previews and applied runs. Writes nothing. */
import type { Db } from '../../../../kernel/context.ts';
import type { IdentityCandidate } from '../../domain/identity/evidence.ts';
import { sharedIdentityKey } from '../../domain/identity/stored-identity.ts';
import type { PlanContext, RowPlan } from '../../domain/plan/plan-context.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import { planRow } from '../../domain/plan-row.ts';
import type { StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { type RowCode, rowMessage } from '../../domain/row-codes.ts';
import { candidateOf, findTwins, newIdentityOf } from '../find-twins.ts';
import { type Found, findExisting } from './find-existing.ts';

export interface PlannedRow {
  readonly row: FeedRow;
  readonly existing: StoredProduct | null;
  readonly plan: RowPlan;
  /** The plan's outcome, unless the run withholds the row. */
  readonly outcome: RowOutcome;
}

export interface RunMemory {
  /** SKUs, file keys and products of earlier rows. */
  readonly skus: Set<string>;
  readonly keys: Set<string>;
  readonly products: Set<string>;
  /**
   * Global ids and MPN/brand pairs that earlier rows took, with their products; and those that earlier rows gave up,
   * with their former products, which the catalogue shows only during a preview.
   */
  readonly identities: Map<string, IdentityCandidate>;
  remainingSlots: number;
}

export function newMemory(remainingSlots: number): RunMemory {
  return { skus: new Set(), keys: new Set(), products: new Set(), identities: new Map(), remainingSlots };
}

const REPEATS: ReadonlySet<string> = new Set<RowCode>(['sku_duplicate_in_file', 'duplicate_in_file']);

/** Refuses a later row about the same product: only the seller knows which of the two is right. */
function repeated(
  row: FeedRow,
  existing: StoredProduct | null,
  memory: RunMemory,
  column: string,
): FeedRow | undefined {
  // A profile may have reported the repeat already, with the number of the first row.
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
  const before = existing?.status === 'archived' ? undefined : sharedIdentityKey(existing?.identity);
  if (existing !== null && before !== undefined && !memory.identities.has(before))
    memory.identities.set(before, candidateOf(existing));
  if (plan.next.status === 'archived') return;
  const identity = sharedIdentityKey(plan.next.identity);
  if (identity !== undefined) memory.identities.set(identity, candidateOf(plan.next));
}

/** A row with its product, planned without regard to other rows. */
export interface DraftRow extends Found {
  readonly row: FeedRow;
  readonly plan: RowPlan;
  /** Other products of the seller with the row's new identity. */
  readonly twins: readonly IdentityCandidate[];
}

type BatchContext = Omit<PlanContext, 'remaining_slots'>;

/**
 * Reads the products of a batch and plans each row by itself. It needs no result of earlier rows, so the next batch
 * can be read while the one before is written.
 *
 * @param lock for a run that writes
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
  const twinsOf = await findTwins(db, drafts);
  return drafts.map((draft) => ({ ...draft, twins: twinsOf(draft) }));
}

/** Settles drafts in file order, with repeated rows, taken identities and the plan's limit. */
export function settleBatch(
  drafts: readonly DraftRow[],
  context: BatchContext,
  memory: RunMemory,
): PlannedRow[] {
  return drafts.map((draft) => {
    const { existing, match } = draft;
    const row = repeated(draft.row, existing, memory, context.columns.fields.seller_sku) ?? draft.row;
    const earlier = memory.identities.get(sharedIdentityKey(newIdentityOf(draft)) ?? '');
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
