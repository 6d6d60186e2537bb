/** Plans a batch of rows against the catalogue, in the same way for previews and applied runs. */
import type { SellerDb } from '../../../../platform/db/table.ts';
import type { IdentityCandidate } from '../../domain/identity/evidence.ts';
import { identityMatchKey } from '../../domain/identity/stored-identity.ts';
import type { PlanContext, RowPlan } from '../../domain/plan/plan-context.ts';
import type { RowOutcome } from '../../domain/plan/row-outcome.ts';
import {
  asOtherListing,
  type EarlierNames,
  noEarlierNames,
  rememberNames,
  settleRepeat,
  yieldTakenSku,
} from '../../domain/plan/settle-names.ts';
import { planRow } from '../../domain/plan-row.ts';
import type { StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { candidateOf, findSameIdentity, newIdentityOf } from '../find-same-identity.ts';
import { type Found, findExisting } from './find-existing.ts';

export interface PlannedRow {
  readonly row: FeedRow;
  readonly existing: StoredProduct | null;
  readonly plan: RowPlan;
  /** That of the plan, or `not_attempted` when the run is aborted. */
  readonly outcome: RowOutcome;
}

/** What earlier rows of the run have used. */
export interface EarlierRows extends EarlierNames {
  /**
   * Global ids and MPN/brand pairs that earlier rows assigned, with their products; and those that earlier rows
   * removed, with their former products: a preview must find what a run has written.
   */
  readonly identities: Map<string, IdentityCandidate>;
  remainingSlots: number;
}

export function noEarlierRows(remainingSlots: number): EarlierRows {
  return { ...noEarlierNames(), identities: new Map(), remainingSlots };
}

function remember({ row, existing, plan }: DraftRow, context: BatchContext, earlierRows: EarlierRows): void {
  const rejected = plan.outcome === 'rejected';
  rememberNames(row, existing?.product_id, rejected, earlierRows, context);
  if (rejected) return;
  earlierRows.remainingSlots -= plan.slots;
  if (plan.next === null) return;
  const before = existing?.status === 'archived' ? undefined : identityMatchKey(existing?.identity);
  if (existing !== null && before !== undefined && !earlierRows.identities.has(before))
    earlierRows.identities.set(before, candidateOf(existing));
  if (plan.next.status === 'archived') return;
  const identity = identityMatchKey(plan.next.identity);
  if (identity !== undefined) earlierRows.identities.set(identity, candidateOf(plan.next));
}

/** A row with its product and its plan; the plan ignores other rows. */
export interface DraftRow extends Found {
  readonly row: FeedRow;
  readonly plan: RowPlan;
  /** Other products of the seller with the row's new identity. */
  readonly sameIdentity: readonly IdentityCandidate[];
  /** Finds the product of a row of the batch, also of one that has lost its SKU. */
  readonly find: (row: FeedRow) => Found;
}

type BatchContext = Omit<PlanContext, 'remaining_slots'>;

/**
 * Reads the products of a batch and plans each row without the others, so that a batch can be drafted while the one
 * before is written.
 *
 * @param lock locks the products, for a run that writes
 */
export async function draftBatch(
  at: SellerDb,
  rows: readonly FeedRow[],
  context: BatchContext,
  lock: boolean,
): Promise<DraftRow[]> {
  const find = await findExisting(at, rows, context.profile, lock);
  const drafts = rows.map((stated) => {
    const found = find(stated);
    const row = yieldTakenSku(stated, found, context);
    return { row, ...found, plan: planRow(found.existing, row, unlimited(context), found.match), find };
  });
  const sameIdentityAs = await findSameIdentity(at, drafts);
  return drafts.map((draft) => ({ ...draft, sameIdentity: sameIdentityAs(draft) }));
}

const unlimited = (context: BatchContext): PlanContext => ({
  ...context,
  remaining_slots: Number.MAX_SAFE_INTEGER,
});

/** The draft after the earlier rows of its file. A row that has lost its SKU may name another product, or none. */
function settleNames(draft: DraftRow, context: BatchContext, earlierRows: EarlierRows): DraftRow {
  const stated = asOtherListing(draft.row, draft.existing, earlierRows);
  const product = stated === draft.row ? draft.existing?.product_id : undefined;
  const row = settleRepeat(stated, product, earlierRows, context);
  if (row === draft.row) return draft;
  const found = draft.find(row);
  const plan = planRow(found.existing, row, unlimited(context), found.match);
  const settled = { ...draft, ...found, row, plan };
  const former = draft.existing;
  if (former === null || former === found.existing) return settled;
  // The former product was left out of the search for its own identity.
  const same = identityMatchKey(newIdentityOf(settled)) === identityMatchKey(former.identity);
  return same ? { ...settled, sameIdentity: [...draft.sameIdentity, candidateOf(former)] } : settled;
}

/** Settles drafts in file order: it applies repeated rows, assigned identities and the limit of the seller's plan. */
export function settleBatch(
  drafts: readonly DraftRow[],
  context: BatchContext,
  earlierRows: EarlierRows,
): PlannedRow[] {
  return drafts.map((stated) => {
    const draft = settleNames(stated, context, earlierRows);
    const { row, existing, match } = draft;
    const earlier = earlierRows.identities.get(identityMatchKey(newIdentityOf(draft)) ?? '');
    const known = draft.sameIdentity.some(({ product_id }) => product_id === earlier?.product_id);
    const others = earlier === undefined || known ? draft.sameIdentity : [...draft.sameIdentity, earlier];
    const outOfSlots = draft.plan.slots > 0 && earlierRows.remainingSlots <= 0;
    const plan =
      others.length === 0 && !outOfSlots
        ? draft.plan
        : planRow(
            existing,
            row,
            { ...context, remaining_slots: earlierRows.remainingSlots },
            { ...match, candidates: [...match.candidates, ...others] },
          );
    remember({ ...draft, plan }, context, earlierRows);
    return { row, existing, plan, outcome: plan.outcome };
  });
}
