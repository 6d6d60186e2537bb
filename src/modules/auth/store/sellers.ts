/** The seller as registration makes it. */
import type { Db, SellerStatus } from '../../../kernel/context.ts';
import type { Plan } from '../../../kernel/plans.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { TaxIdCheck } from '../domain/classify-tax-id.ts';

export interface SellerProfileRow {
  readonly seller_id: string;
  readonly business_name: string;
  readonly tax_id: string;
  readonly tax_id_check: TaxIdCheck;
  readonly status: SellerStatus;
  readonly verified: boolean;
  readonly api_access: boolean;
  readonly plan: Plan;
}

export function findProfile(db: Db, sellerId: string): Promise<SellerProfileRow | undefined> {
  return db.one<SellerProfileRow>(
    sql(
      'select seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan from seller where seller_id = $1',
      [sellerId],
    ),
  );
}

export async function insertSeller(db: Db, seller: SellerProfileRow, now: number): Promise<void> {
  await db.run(
    sql(
      'insert into seller (seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, created_at, updated_at) ' +
        'values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)',
      [
        seller.seller_id,
        seller.business_name,
        seller.tax_id,
        seller.tax_id_check,
        seller.status,
        seller.verified,
        seller.api_access,
        seller.plan,
        new Date(now).toISOString(),
      ],
    ),
  );
}

/** Takes a tax identifier for a seller; waits for a concurrent registration; false when it is taken. */
export async function claimTaxId(db: Db, taxId: string, sellerId: string): Promise<boolean> {
  const claimed = await db.run(
    sql('insert into seller_tax_id (tax_id, seller_id) values ($1, $2) on conflict do nothing', [
      taxId,
      sellerId,
    ]),
  );
  return claimed === 1;
}

export interface Owner {
  readonly seller_id: string;
  readonly member_id: string;
  readonly subject: string;
  readonly email: string | null;
}

export async function insertOwner(db: Db, owner: Owner, now: number): Promise<void> {
  await db.run(
    sql(
      'insert into team_member (seller_id, member_id, subject, email, roles, status, created_at, updated_at) ' +
        "values ($1, $2, $3, $4, array['owner'], 'active', $5, $5)",
      [owner.seller_id, owner.member_id, owner.subject, owner.email, new Date(now).toISOString()],
    ),
  );
}
