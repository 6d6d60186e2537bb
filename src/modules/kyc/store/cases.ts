import type { Db } from '../../../kernel/context.ts';
import {
  boolean,
  date,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { command, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { CaseStatus } from '../domain/case-machine.ts';
import type { ItemStatus, Reason, Side } from '../domain/items.ts';

export const cases = defineTable('kyc_case', 'kyc_id', {
  round: integer,
  status: textOf<CaseStatus>(),
  entity_type: nullable(text),
  reasons: json<readonly Reason[]>(),
  submitted_at: nullable(instant),
  /** The version of the case that was handed in last. */
  submitted_version: nullable(integer),
  decided_at: nullable(instant),
  expires_on: nullable(date),
  required_at: nullable(instant),
  began_at: nullable(instant),
  deadline: nullable(instant),
  holding: boolean,
  reminded: nullable(integer),
});
export type CaseRow = RowIn<typeof cases>;

export const items = defineTable('kyc_item', ['item_id'], {
  item_id: text,
  kyc_id: text,
  round: integer,
  code: text,
  subject: nullable(text),
  status: textOf<ItemStatus>(),
  reasons: json<readonly Reason[]>(),
});
export type ItemRow = RowIn<typeof items>;
export const idsOf = (rows: readonly ItemRow[]): string[] => rows.map(({ item_id }) => item_id);

export const documents = defineTable('kyc_document', ['attachment_id'], {
  attachment_id: text,
  item_id: text,
  type: nullable(text),
  side: nullable(textOf<Side>()),
  delete_at: nullable(instant),
  deleted: boolean,
  relied_on: boolean,
});
export type DocumentRow = RowIn<typeof documents>;

/** The case of the seller. Every change of the case locks it first, so changes run one after another. */
export const findCase = (at: SellerDb, lock = false): Promise<CaseRow | undefined> =>
  cases.one(at, lock ? part`true for update` : part`true`);

/** The items of the present round, in the order in which they were asked for. */
export const itemsOf = (
  at: SellerDb,
  { kyc_id, round }: Pick<CaseRow, 'kyc_id' | 'round'>,
): Promise<ItemRow[]> => items.all(at, part`kyc_id = ${kyc_id} and round = ${round} order by item_id`);

/** Deletes those of the given items that are missing and never had a document. */
export async function dropItems({ db, seller_id }: SellerDb, itemIds: readonly string[]): Promise<void> {
  await db.run(command`
    delete from kyc_item i
     where i.seller_id = ${seller_id}
       and i.item_id = any(${itemIds})
       and i.status = 'missing'
       and not exists (
             select from kyc_document d
              where d.seller_id = ${seller_id}
                and d.item_id = i.item_id)`);
}

/** The documents that count, of some items. */
export const documentsOf = (at: SellerDb, itemIds: readonly string[]): Promise<DocumentRow[]> =>
  documents.all(
    at,
    part`item_id = any(${itemIds}) and delete_at is null and not deleted order by attachment_id`,
  );

/** How many documents of some items were replaced and still have their content. */
export const countReplaced = (at: SellerDb, itemIds: readonly string[]): Promise<number> =>
  documents.count(
    at,
    part`item_id = any(${itemIds}) and delete_at is not null and not deleted and not relied_on`,
  );

/** Marks the documents that count: an approval relies on them. */
export const relyOnDocuments = (at: SellerDb, itemIds: readonly string[]): Promise<number> =>
  documents.change(
    at,
    part`relied_on = true`,
    part`item_id = any(${itemIds}) and delete_at is null and not deleted`,
  );

/**
 * Takes documents out of the case, and sets when their content is deleted. The content of a document on which
 * an approval relied is kept until long after the account was closed.
 */
export const expireDocuments = (own: SellerDb, itemIds: readonly string[], at: string): Promise<number> =>
  documents.change(own, part`delete_at = ${at}`, part`item_id = any(${itemIds}) and delete_at is null`);

const company = { entity_type: nullable(text), registered: boolean };
/** What the register says about the seller as a company. */
export async function readCompany({ db, seller_id }: SellerDb): Promise<RowOf<typeof company>> {
  const row = await db.one(statement(company)`
    select entity_type, registered
      from v_sellers_company
     where seller_id = ${seller_id}`);
  return row ?? { entity_type: null, registered: false };
}

/** The state of the seller's account at the payment provider; null if it has none. */
export async function providerStatus({ db, seller_id }: SellerDb): Promise<string | null> {
  const row = await db.one(statement({ status: text })`
    select status
      from v_payouts_onboarding
     where seller_id = ${seller_id}`);
  return row?.status ?? null;
}

const expired = { seller_id: text, attachment_id: text };
/** Documents whose content is deleted now: their time is over, or the account was closed long ago. In the system's scope. */
export function expiredDocuments(
  db: Db,
  now: string,
  closedBefore: string,
  limit: number,
): Promise<RowOf<typeof expired>[]> {
  return db.all(statement(expired)`
    select d.seller_id, d.attachment_id
      from kyc_document d
      left join v_sellers_closed c on c.seller_id = d.seller_id
     where not d.deleted
       and ((d.delete_at <= ${now}::timestamptz and not d.relied_on)
        or c.closed_at <= ${closedBefore}::timestamptz)
     limit ${limit}`);
}

export const markDeleted = (at: SellerDb, attachmentId: string): Promise<number> =>
  documents.change(at, part`deleted = true`, part`attachment_id = ${attachmentId}`);

const waiting = { seller_id: text };
/**
 * Sellers that were never asked; and sellers whose legal form has changed since the service asked them by
 * itself, while they can still hand in. In the system's scope.
 */
export function sellersToAsk(db: Db, limit: number): Promise<RowOf<typeof waiting>[]> {
  return db.all(statement(waiting)`
    select s.seller_id
      from v_sellers_company s
     where s.status <> 'closed'
       and not exists (
             select from kyc_case k
              where k.seller_id = s.seller_id
                and (k.required_at is not null
                 or k.status not in ('collecting', 'more_info_required')
                 or k.entity_type is not distinct from s.entity_type))
     limit ${limit}`);
}
