import type { Db } from '../../../kernel/context.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { boolean, instant, text, textsOf } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

export const acceptances = defineTable('agreement_acceptance', ['acceptance_id'], {
  acceptance_id: text,
  version: text,
  text_sha256: text,
  member_id: text,
  roles: textsOf<Role>(),
  accepted_at: instant,
  aal: text,
  statement: text,
  receipt: text,
  receipt_sha256: text,
});
export type Acceptance = RowIn<typeof acceptances>;

export const acceptanceOf = (at: SellerDb, version: string): Promise<Acceptance | undefined> =>
  acceptances.one(at, part`version = ${version}`);

/** The seller's last acceptance. */
export const lastAcceptance = (at: SellerDb): Promise<Acceptance | undefined> =>
  acceptances.one(at, part`true order by acceptance_id desc limit 1`);

/** Of some sellers those that have accepted any version, and whether they have accepted this one. In the system's scope. */
export async function whoAccepted(
  db: Db,
  sellerIds: readonly string[],
  version: string,
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await db.all(statement({ seller_id: text, newest: boolean })`
    select seller_id, bool_or(version = ${version}) as newest
      from agreement_acceptance
     where seller_id = any(${sellerIds})
     group by seller_id`);
  return new Map(rows.map(({ seller_id, newest }) => [seller_id, newest]));
}
