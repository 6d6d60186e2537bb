/** Why money is kept back: of one settlement, or of all of a seller's (an empty `settlement_id`). */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { HoldReason } from '../domain/settlement.ts';

/** Of all of a seller's settlements. */
export const ALL_SETTLEMENTS = '';

export interface HoldKey {
  readonly settlement_id: string;
  readonly reason: HoldReason;
}

export interface HoldRow extends HoldKey {
  readonly note: string | null;
  readonly since: string;
  readonly active: boolean;
  readonly ordered_at: string | null;
  readonly ordered_version: bigint | null;
}

const COLUMNS = 'settlement_id, reason, note, since, active, ordered_at, ordered_version';

/** A reason that stands or has gone; undefined when nobody ever spoke of it. */
export function findHold(
  db: Db,
  sellerId: string,
  { settlement_id, reason }: HoldKey,
): Promise<HoldRow | undefined> {
  const text = `select ${COLUMNS} from settlement_hold where seller_id = $1 and settlement_id = $2 and reason = $3`;
  return db.one<HoldRow>(sql(text, [sellerId, settlement_id, reason]));
}

const WRITE =
  'insert into settlement_hold (seller_id, settlement_id, reason, note, since, active, ordered_at, ordered_version) ' +
  'values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (seller_id, settlement_id, reason) do update set ' +
  'note = excluded.note, active = excluded.active, ordered_at = excluded.ordered_at, ordered_version = excluded.ordered_version, ' +
  'since = case when settlement_hold.active and excluded.active then settlement_hold.since else excluded.since end';

export async function writeHold(db: Db, sellerId: string, row: HoldRow): Promise<void> {
  const { settlement_id, reason, note, since, active, ordered_at, ordered_version } = row;
  await db.run(
    sql(WRITE, [sellerId, settlement_id, reason, note, since, active, ordered_at, ordered_version]),
  );
}

const ACTIVE = `select ${COLUMNS} from settlement_hold where seller_id = $1 and active order by since, settlement_id, reason`;

export function activeHolds(db: Db, sellerId: string): Promise<HoldRow[]> {
  return db.all<HoldRow>(sql(ACTIVE, [sellerId]));
}

const LAST_NEGATIVE =
  'coalesce((select l.closing_balance_minor < 0 from settlement l where l.seller_id = $1 and l.currency = $2 ' +
  'order by l.period_start desc limit 1), false)';
const HOLD_UNPAID =
  'insert into settlement_hold (seller_id, settlement_id, reason, since) ' +
  "select $1::text, s.settlement_id, 'negative_balance', $3 from settlement s where s.seller_id = $1 and s.currency = $2 " +
  `and s.status in ('ready', 'on_hold', 'payment_failed') and ${LAST_NEGATIVE} ` +
  'on conflict (seller_id, settlement_id, reason) do update set active = true, since = excluded.since where not settlement_hold.active';
const LET_GO =
  "update settlement_hold h set active = false where h.seller_id = $1 and h.reason = 'negative_balance' and h.active " +
  'and h.settlement_id in (select s.settlement_id from settlement s where s.seller_id = $1 and s.currency = $2) ' +
  `and not ${LAST_NEGATIVE}`;

/**
 * Holds what is unpaid while the last closed period carried a debt out: paid first, it would only be lost. Lets it
 * go once a period closes without one.
 */
export async function followBalance(db: Db, sellerId: string, currency: string, at: string): Promise<void> {
  await db.run(sql(HOLD_UNPAID, [sellerId, currency, at]));
  await db.run(sql(LET_GO, [sellerId, currency]));
}

const TERMS = 'select min_payout_minor from v_sellers_payout_terms where seller_id = $1';

/** The seller's own smallest payout, null where the general one holds; undefined: there is no such seller. */
export async function ownMinimum(db: Db, sellerId: string): Promise<bigint | null | undefined> {
  const row = await db.one<{ min_payout_minor: bigint | null }>(sql(TERMS, [sellerId]));
  return row?.min_payout_minor ?? (row === undefined ? undefined : null);
}

const HOLD_DAYS = 'select hold_days from v_sellers_payout_terms where seller_id = $1';

/** The seller's own number of days; null where the general rule holds. */
export async function ownHoldDays(db: Db, sellerId: string): Promise<number | null> {
  return (await db.one<{ hold_days: number | null }>(sql(HOLD_DAYS, [sellerId])))?.hold_days ?? null;
}
