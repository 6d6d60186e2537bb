import { fail, requireFound } from '../../../kernel/errors.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { caseMachine } from '../domain/case-machine.ts';
import { kycErrors } from '../errors.ts';
import { submitted } from '../events.ts';
import { type CaseRow, documentsOf, findCase, idsOf, items } from '../store/cases.ts';
import { schedule, writeCase } from './change-case.ts';
import { readItems } from './show-case.ts';

/**
 * Hands the case in. The marketplace reads the documents on its own listener.
 *
 * @throws ApiError 404, 409 `case_not_open`, `items_missing` with all open items
 */
export async function submitCase(ctx: HandlerCtx): Promise<CaseRow> {
  const row = requireFound(await findCase(ctx, true));
  if (!caseMachine.allows('submit', row.status))
    throw fail(kycErrors.case_not_open, { facts: { status: row.status } });
  const all = await readItems(ctx, row);
  const open = all.filter(({ status }) => status === 'missing' || status === 'refused');
  if (open.length > 0 || all.length === 0)
    throw fail(kycErrors.items_missing, { facts: { items: idsOf(open) } });
  // Items that the register has satisfied are handed in too.
  await items.upsertMany(ctx, all);
  const submitted_version = row.version + 1;
  const after = await writeCase(ctx, row, { status: 'submitted', submitted_at: ctx.at(), submitted_version });
  await schedule(ctx, after);
  const documents = await documentsOf(ctx, idsOf(all));
  const { kyc_id, round, entity_type } = after;
  const handedIn = all.map(({ item_id, code, subject }) => ({
    ...{ item_id, code, subject },
    attachment_ids: documents
      .filter((one) => one.item_id === item_id)
      .map(({ attachment_id }) => attachment_id),
  }));
  await ctx.emit(submitted.of({ kyc_id, round, entity_type, items: handedIn }, { version: after.version }));
  return after;
}
