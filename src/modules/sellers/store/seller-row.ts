import type { Db, SellerStatus } from '../../../kernel/context.ts';
import type { Plan } from '../../../kernel/plans.ts';
import { sql } from '../../../platform/db/sql.ts';

export type Section = Readonly<Record<string, unknown>>;

/** A seller as stored; instants are RFC 3339. */
export interface SellerRow {
  readonly seller_id: string;
  readonly business_name: string;
  readonly tax_id: string;
  readonly tax_id_check: 'abn_valid' | 'abn_invalid' | 'not_abn';
  readonly status: SellerStatus;
  readonly verified: boolean;
  readonly api_access: boolean;
  readonly plan: Plan;
  readonly account_flags: readonly string[];
  readonly currency: string;
  readonly hold_days: number | null;
  readonly min_payout_minor: bigint | null;
  readonly profile: Section;
  readonly settings: Section;
  readonly business: Section;
  readonly holiday: Section | null;
  readonly standing_at: string | null;
  readonly standing_version: bigint | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What the seller itself may change. */
export type SellerChange = Partial<
  Pick<SellerRow, 'business_name' | 'profile' | 'settings' | 'business' | 'holiday'>
>;

const COLUMNS =
  'seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, account_flags, currency, hold_days, ' +
  'min_payout_minor, profile, settings, business, holiday, standing_at, standing_version, version, created_at, updated_at';

export function findSeller(db: Db, sellerId: string): Promise<SellerRow | undefined> {
  return db.one<SellerRow>(sql(`select ${COLUMNS} from seller where seller_id = $1`, [sellerId]));
}

/** The row, held until the end of the transaction; rows that refer to it can still be written meanwhile. */
export function lockSeller(db: Db, sellerId: string): Promise<SellerRow | undefined> {
  return db.one<SellerRow>(
    sql(`select ${COLUMNS} from seller where seller_id = $1 for no key update`, [sellerId]),
  );
}

/** Writes what the seller changed of itself; the row must be held. */
export async function writeSeller(db: Db, row: SellerRow, change: SellerChange, now: number): Promise<void> {
  const next = { ...row, ...change };
  await db.run(
    sql(
      'update seller set business_name = $2, profile = $3, settings = $4, business = $5, holiday = $6, ' +
        'version = version + 1, updated_at = $7 where seller_id = $1',
      [
        row.seller_id,
        next.business_name,
        JSON.stringify(next.profile),
        JSON.stringify(next.settings),
        JSON.stringify(next.business),
        next.holiday === null ? null : JSON.stringify(next.holiday),
        new Date(now).toISOString(),
      ],
    ),
  );
}

/** What the marketplace decides about a seller. */
export type Standing = Pick<
  SellerRow,
  'status' | 'verified' | 'api_access' | 'plan' | 'account_flags' | 'hold_days' | 'min_payout_minor'
>;

/** Writes the marketplace's decision and its place in the order of decisions; the row must be held. */
export async function writeStanding(
  db: Db,
  sellerId: string,
  standing: Standing,
  order: { readonly at: string; readonly version: bigint | null },
  now: number,
): Promise<void> {
  await db.run(
    sql(
      'update seller set status = $2, verified = $3, api_access = $4, plan = $5, account_flags = $6, hold_days = $7, ' +
        'min_payout_minor = $8, standing_at = $9, standing_version = coalesce($10, standing_version), ' +
        'version = version + 1, updated_at = $11 where seller_id = $1',
      [
        sellerId,
        standing.status,
        standing.verified,
        standing.api_access,
        standing.plan,
        standing.account_flags,
        standing.hold_days,
        standing.min_payout_minor,
        order.at,
        order.version,
        new Date(now).toISOString(),
      ],
    ),
  );
}
