/** The seller as registration makes it; in the system's scope. */
import type { Db } from '../../../kernel/context.ts';
import type { RowOf } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import { profileColumns } from './seller-row.ts';

export type SellerProfileRow = RowOf<typeof profileColumns>;

export function findProfile(db: Db, sellerId: string): Promise<SellerProfileRow | undefined> {
  return db.one(statement(profileColumns)`
    select ${raw(Object.keys(profileColumns).join(', '))}
      from seller
     where seller_id = ${sellerId}`);
}

export async function insertSeller(db: Db, seller: SellerProfileRow, at: string): Promise<void> {
  await db.run(command`
    insert into seller (
      seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, created_at, updated_at)
    values (
      ${seller.seller_id}, ${seller.business_name}, ${seller.tax_id}, ${seller.tax_id_check}, ${seller.status},
      ${seller.verified}, ${seller.api_access}, ${seller.plan}, ${at}, ${at})`);
}

/** Takes a tax identifier for a seller. It waits for a registration of the same one; false when that was first. */
export async function claimTaxId(db: Db, taxId: string, sellerId: string): Promise<boolean> {
  const claimed = await db.run(command`
    insert into seller_tax_id (tax_id, seller_id)
    values (${taxId}, ${sellerId})
        on conflict do nothing`);
  return claimed === 1;
}
