/** Creates sellers, in the system's scope. */
import type { Db } from '../../../kernel/context.ts';
import type { RowOf } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import { profileColumns, type StandingOrder } from './seller-row.ts';

export type SellerProfileRow = RowOf<typeof profileColumns>;

export function findProfile(db: Db, sellerId: string): Promise<SellerProfileRow | undefined> {
  return db.one(statement(profileColumns)`
    select ${raw(Object.keys(profileColumns).join(', '))}
      from seller
     where seller_id = ${sellerId}`);
}

interface Opening {
  /** Of the marketplace's decision, where the marketplace provides the seller. */
  readonly order?: StandingOrder;
  readonly account_flags?: readonly string[];
  /** RFC 3339; without it the seller waits for its owner. */
  readonly registered_at?: string;
}

export async function insertSeller(
  db: Db,
  seller: SellerProfileRow,
  at: string,
  { order, account_flags = [], registered_at }: Opening = {},
): Promise<void> {
  await db.run(command`
    insert into seller (
      seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan,
      account_flags, standing_at, standing_version, created_at, updated_at, registered_at)
    values (
      ${seller.seller_id}, ${seller.business_name}, ${seller.tax_id}, ${seller.tax_id_check}, ${seller.status},
      ${seller.verified}, ${seller.api_access}, ${seller.plan},
      ${account_flags}, ${order?.at ?? null}, ${order?.version ?? null}, ${at}, ${at},
      ${registered_at ?? null})`);
}

/** Registers a seller that has waited for its owner. Its time to accept the terms begins, so it is asked anew. */
export async function markRegistered(db: Db, sellerId: string, at: string): Promise<void> {
  await db.run(command`
    update seller
       set registered_at = ${at},
           agreement_version = null,
           agreement_due_at = null,
           agreement_notice_at = null
     where seller_id = ${sellerId}`);
}
