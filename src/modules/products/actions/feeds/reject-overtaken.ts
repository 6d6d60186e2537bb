import type { SellerDb } from '../../../../platform/db/table.ts';
import type { PlanContext } from '../../domain/plan/plan-context.ts';
import { planRow } from '../../domain/plan-row.ts';
import { rowMessage } from '../../domain/row-codes.ts';
import { changedSince, type LaterChange } from '../../store/later-changes.ts';
import { isStockOnly, setsStock } from './apply-batch.ts';
import type { DraftRow } from './plan-batch.ts';

/** Whether a row would write over what was changed later: the content of its product, or the stock. */
const overwrites = ({ plan: { changes } }: DraftRow, later: LaterChange): boolean =>
  (later.content && !isStockOnly(changes)) || (later.stock && setsStock(changes));

/**
 * Rejects the rows of a file whose products the seller changed after the file was received: while an asynchronous
 * run waited, the seller knew better. The products are locked already.
 */
export async function rejectOvertaken(
  at: SellerDb,
  drafts: readonly DraftRow[],
  context: Omit<PlanContext, 'remaining_slots'>,
  receivedAt: string,
): Promise<readonly DraftRow[]> {
  const writes = drafts.flatMap(({ existing, plan }) =>
    existing === null || plan.next === null ? [] : [existing.product_id],
  );
  const later = new Map(
    (await changedSince(at, writes, receivedAt)).map((change) => [change.product_id, change]),
  );
  if (later.size === 0) return drafts;
  const planning = { ...context, remaining_slots: Number.MAX_SAFE_INTEGER };
  return drafts.map((draft) => {
    const change = later.get(draft.existing?.product_id ?? '');
    if (change === undefined || !overwrites(draft, change)) return draft;
    const message =
      `The product was changed after this file was received, and has version ${change.version} now. ` +
      'The row was not applied.';
    const finding = rowMessage('version_conflict', { message });
    const row = { ...draft.row, messages: [...draft.row.messages, finding] };
    return { ...draft, row, sameIdentity: [], plan: planRow(draft.existing, row, planning, draft.match) };
  });
}
