import { isDeepStrictEqual } from 'node:util';
import type { SellerStatus } from '../../../kernel/context.ts';
import { requireFound } from '../../../kernel/errors.ts';
import type { Plan } from '../../../kernel/plans.ts';
import {
  bigint,
  boolean,
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
} from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { businessNumbers } from '../domain/business-numbers.ts';
import type { TaxIdCheck } from '../domain/classify-tax-id.ts';
import { deleteVerification } from './verification.ts';

type Section = Readonly<Record<string, unknown>>;

/** The fields of a seller at registration. */
export const profileColumns = {
  seller_id: text,
  business_name: text,
  tax_id: text,
  tax_id_check: textOf<TaxIdCheck>(),
  status: textOf<SellerStatus>(),
  verified: boolean,
  api_access: boolean,
  plan: textOf<Plan>(),
};

const columns = {
  ...profileColumns,
  account_flags: texts,
  currency: text,
  hold_days: nullable(integer),
  min_payout_minor: nullable(money),
  profile: json<Section>(),
  settings: json<Section>(),
  business: json<Section>(),
  holiday: nullable(json<Section>()),
  standing_at: nullable(instant),
  standing_version: nullable(bigint),
  version: integer,
  created_at: instant,
  /** Null while the seller waits for its owner. */
  registered_at: nullable(instant),
  updated_at: instant,
};

/** A seller as stored. */
export type SellerRow = RowOf<typeof columns>;

/** The sections that the seller itself changes. */
export type SellerChange = Partial<
  Pick<SellerRow, 'business_name' | 'profile' | 'settings' | 'business' | 'holiday'>
>;

const LIST = raw(Object.keys(columns).join(', '));
/** This lock lets other transactions write rows that refer to the seller. */
const LOCK = raw('for no key update');

/** @param lock whether to lock the row until the transaction ends */
export function findSeller({ db, seller_id }: SellerDb, lock = false): Promise<SellerRow | undefined> {
  return db.one(statement(columns)`
    select ${LIST}
      from seller
     where seller_id = ${seller_id}
           ${lock ? LOCK : raw('')}`);
}

/** @throws ApiError 404 `not_found` */
export async function requireSeller(ctx: SellerDb, lock = false): Promise<SellerRow> {
  return requireFound(await findSeller(ctx, lock));
}

/**
 * Writes a change of the seller. The row must be locked. What the register has said is about the numbers and the name of
 * then, so another number or name clears it.
 */
export async function writeSeller(
  { db, at }: SellerDb & { at(): string },
  row: SellerRow,
  change: SellerChange,
): Promise<void> {
  const after = { ...row, ...change };
  const { business_name, profile, settings, business, holiday } = after;
  if (!isDeepStrictEqual(businessNumbers(row), businessNumbers(after)))
    await deleteVerification({ db, seller_id: row.seller_id });
  await db.run(command`
    update seller
       set business_name = ${business_name},
           profile = ${JSON.stringify(profile)},
           settings = ${JSON.stringify(settings)},
           business = ${JSON.stringify(business)},
           holiday = ${holiday === null ? null : JSON.stringify(holiday)},
           version = version + 1,
           updated_at = ${at()}
     where seller_id = ${row.seller_id}`);
}

/** The marketplace's decision about a seller. */
export type Standing = Pick<
  SellerRow,
  'status' | 'verified' | 'api_access' | 'plan' | 'account_flags' | 'hold_days' | 'min_payout_minor'
>;

/** The place of a decision in the order of the marketplace's decisions about a seller. */
export interface StandingOrder {
  /** By the marketplace's clock. */
  readonly at: string;
  readonly version: bigint | null;
}

/** Writes the marketplace's decision and its place in the order of decisions; the row must be locked. */
export async function writeStanding(
  { db, seller_id, at }: SellerDb & { at(): string },
  standing: Standing,
  order: StandingOrder,
): Promise<void> {
  await db.run(command`
    update seller
       set status = ${standing.status},
           verified = ${standing.verified},
           api_access = ${standing.api_access},
           plan = ${standing.plan},
           account_flags = ${standing.account_flags},
           hold_days = ${standing.hold_days},
           min_payout_minor = ${standing.min_payout_minor},
           standing_at = ${order.at},
           closed_at = case when ${standing.status} = 'closed' then coalesce(closed_at, ${order.at}) end,
           standing_version = coalesce(${order.version}, standing_version),
           version = version + 1,
           updated_at = ${at()}
     where seller_id = ${seller_id}`);
}
