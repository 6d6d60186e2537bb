import type { Static } from 'typebox';
import { DONE, type Waiting } from '../../../kernel/waiting.ts';
import {
  findAttachments,
  isStored,
  type StoredAttachment,
} from '../../../platform/attachments/attachments.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { CaseStatus } from '../domain/case-machine.ts';
import { COMPANY_REGISTER, REASONS, type Reason } from '../domain/items.ts';
import {
  type Case,
  type CaseNotice,
  type Document,
  PROVIDER_HREF,
  REJECTED,
  REVIEW,
  SUBMIT,
  UNNAMED,
} from '../schemas.ts';
import {
  type CaseRow,
  type DocumentRow,
  documentsOf,
  type ItemRow,
  idsOf,
  itemsOf,
  providerStatus,
  readCompany,
} from '../store/cases.ts';

const WAITING: Readonly<Record<CaseStatus, Waiting>> = {
  not_required: DONE,
  collecting: SUBMIT,
  more_info_required: SUBMIT,
  submitted: REVIEW,
  in_review: REVIEW,
  approved: DONE,
  rejected: REJECTED,
};

const showReason = ({ code, detail }: Reason) => {
  const [text, what_to_do] = REASONS[code];
  return { code, detail, text, what_to_do };
};

export const showDocument = (
  { type, side }: Pick<DocumentRow, 'type' | 'side'>,
  { attachment_id, content_type, bytes, sha256, pages, scan }: StoredAttachment,
): Static<typeof Document> => ({ attachment_id, type, side, content_type, bytes, sha256, pages, scan });

/**
 * Items with their present status: the item of the company register is satisfied while the register knows the
 * company.
 */
export async function readItems(at: SellerDb, row: CaseRow): Promise<ItemRow[]> {
  const items = await itemsOf(at, row);
  const byRegister = items.some(({ code, status }) => code === COMPANY_REGISTER && status === 'missing');
  if (!byRegister || !(await readCompany(at)).registered) return items;
  return items.map((item) =>
    item.code === COMPANY_REGISTER && item.status === 'missing' ? { ...item, status: 'provided' } : item,
  );
}

const showItem = ({ item_id, code, subject, status, reasons }: ItemRow) => ({
  ...{ item_id, code, subject, status },
  reasons: reasons.map(showReason),
});

export function noticeOf(
  { kyc_id, status, round, reasons, deadline, expires_on }: CaseRow,
  items: readonly ItemRow[],
  days_left: number | null = null,
): Static<typeof CaseNotice> {
  const [why, asked] = [reasons.map(showReason), items.map(showItem)];
  return { kyc_id, status, round, reasons: why, items: asked, deadline, expires_on, days_left };
}

const NO_CASE = { kyc_id: null, status: 'not_required', round: 0, entity_type: null } as const;
const NOTHING = { deadline: null, expires_on: null, reasons: [], items: [] };

export async function showCase(at: SellerDb, row: CaseRow | undefined): Promise<Static<typeof Case>> {
  const provider = { status: await providerStatus(at), href: PROVIDER_HREF };
  if (row === undefined) return { ...NO_CASE, ...NOTHING, ...DONE, provider };
  const { kyc_id, status, round, entity_type } = row;
  const named = { kyc_id, status, round, entity_type };
  if (status === 'not_required') return { ...named, ...NOTHING, ...DONE, provider };
  const items = await readItems(at, row);
  const documents = await documentsOf(at, idsOf(items));
  const ids = documents.map(({ attachment_id }) => attachment_id);
  const files = new Map((await findAttachments(at, ids)).map((file) => [file.attachment_id, file]));
  return {
    ...named,
    deadline: row.deadline,
    expires_on: row.expires_on,
    reasons: row.reasons.map(showReason),
    ...(items.length === 0 && WAITING[status] === SUBMIT ? UNNAMED : WAITING[status]),
    items: items.map((item) => ({
      ...showItem(item),
      documents: documents
        .filter(({ item_id }) => item_id === item.item_id)
        .flatMap((document) => {
          const file = files.get(document.attachment_id);
          return isStored(file) ? [showDocument(document, file)] : [];
        }),
    })),
    provider,
  };
}
