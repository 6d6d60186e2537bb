import { coreErrors, fail, invalid, requireFound } from '../../../kernel/errors.ts';
import {
  eraseAttachment,
  type StoredAttachment,
  storeAttachment,
} from '../../../platform/attachments/attachments.ts';
import type { CleanFile } from '../../../platform/attachments/receive-file.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { caseMachine } from '../domain/case-machine.ts';
import { type DocumentPlace, isComplete, placeProblem } from '../domain/items.ts';
import { kycErrors } from '../errors.ts';
import {
  type CaseRow,
  countReplaced,
  documents,
  documentsOf,
  findCase,
  type ItemRow,
  idsOf,
  items,
  itemsOf,
} from '../store/cases.ts';
import { writeCase } from './change-case.ts';

const DOCUMENTS_MAX = 20;
/**
 * Each replaced document may have the largest size, so a case keeps at most as many as it may have documents.
 */
const REPLACED_MAX = DOCUMENTS_MAX;
const KEPT_AFTER_REPLACEMENT_MS = 30 * 86_400_000;

interface OpenItem {
  readonly row: CaseRow;
  readonly item: ItemRow;
  readonly all: readonly ItemRow[];
}

/**
 * An item of the present round for which the seller may hand in documents.
 *
 * @throws ApiError 404, 409 `case_not_open`
 */
export async function requireOpenItem(ctx: HandlerCtx, itemId: string, lock = false): Promise<OpenItem> {
  const row = requireFound(await findCase(ctx, lock));
  const all = await itemsOf(ctx, row);
  const item = requireFound(all.find(({ item_id }) => item_id === itemId));
  if (!caseMachine.allows('submit', row.status) || item.status === 'accepted')
    throw fail(kycErrors.case_not_open, { facts: { status: row.status } });
  return { row, item, all };
}

/** @throws ApiError 422 for a type or side that the item does not have */
export function checkPlace({ code }: ItemRow, place: DocumentPlace): void {
  const problem = placeProblem(code, place);
  if (problem === undefined) return;
  const { name, msg } = problem;
  throw invalid([{ loc: ['query', name], msg, type: 'document_place', input: place[name] }]);
}

/** Sets the status of an item after a change of its documents. */
async function settleItem(ctx: HandlerCtx, { row, item }: OpenItem): Promise<void> {
  const present = await documentsOf(ctx, [item.item_id]);
  await items.replace(ctx, { ...item, status: isComplete(present) ? 'provided' : 'missing' });
  await writeCase(ctx, row, {});
}

/**
 * Stores a checked file as a document of an item. It replaces the one of the same type and side.
 *
 * @throws ApiError 404, 409 `case_not_open|document_limit|replacement_limit`
 */
export async function addDocument(
  ctx: HandlerCtx,
  itemId: string,
  place: DocumentPlace,
  file: CleanFile,
): Promise<StoredAttachment> {
  const open = await requireOpenItem(ctx, itemId, true);
  const ids = idsOf(open.all);
  const present = await documentsOf(ctx, ids);
  // A refused document is of no use any more.
  const isReplaced = (document: (typeof present)[number]) =>
    document.item_id === itemId &&
    (open.item.status === 'refused' || (document.type === place.type && document.side === place.side));
  const replaced = present.filter(isReplaced);
  if (present.length - replaced.length >= DOCUMENTS_MAX)
    throw fail(kycErrors.document_limit, { facts: { limit: DOCUMENTS_MAX } });
  if (replaced.length > 0 && (await countReplaced(ctx, ids)) + replaced.length > REPLACED_MAX)
    throw fail(kycErrors.replacement_limit, { facts: { limit: REPLACED_MAX } });
  const delete_at = new Date(ctx.now() + KEPT_AFTER_REPLACEMENT_MS).toISOString();
  await documents.upsertMany(
    ctx,
    replaced.map((document) => ({ ...document, delete_at })),
  );
  const attachment = await storeAttachment(ctx, ctx.services, file);
  const { attachment_id } = attachment;
  await documents.insert(ctx, {
    ...{ attachment_id, item_id: itemId, ...place },
    ...{ delete_at: null, deleted: false, relied_on: false },
  });
  ctx.audit({ target_type: 'attachment', target_id: attachment_id });
  await settleItem(ctx, open);
  return attachment;
}

/** @throws ApiError 404, 409 `case_not_open` */
export async function deleteDocument(ctx: HandlerCtx, attachmentId: string): Promise<void> {
  const document = requireFound(await documents.find(ctx, { attachment_id: attachmentId }));
  if (document.deleted || document.delete_at !== null) throw fail(coreErrors.not_found);
  const open = await requireOpenItem(ctx, document.item_id, true);
  await eraseAttachment(ctx, ctx.services.files, attachmentId);
  await documents.replace(ctx, { ...document, deleted: true });
  // A refused item needs a new document.
  if (open.item.status !== 'refused') await settleItem(ctx, open);
}
