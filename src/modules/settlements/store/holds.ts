/** Reasons to keep money back: for one settlement, or for all of a seller's (an empty `settlement_id`). */
import {
  bigint,
  boolean,
  instant,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { command, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { HoldReason } from '../domain/settlement.ts';

/** Stands for all settlements of a seller. */
export const ALL_SETTLEMENTS = '';

const holds = defineTable('settlement_hold', ['settlement_id', 'reason'], {
  settlement_id: text,
  reason: textOf<HoldReason>(),
  note: nullable(text),
  since: instant,
  active: boolean,
  ordered_at: nullable(instant),
  ordered_version: nullable(bigint),
});
export type HoldRow = RowIn<typeof holds>;
export type HoldKey = Pick<HoldRow, 'settlement_id' | 'reason'>;

/** A reason that is active or was; undefined when it was never reported. */
export const findHold = (at: SellerDb, { settlement_id, reason }: HoldKey): Promise<HoldRow | undefined> =>
  holds.find(at, { settlement_id, reason });

/** Writes a reason; one that stays active keeps its `since`. */
export async function writeHold({ db, seller_id }: SellerDb, row: HoldRow): Promise<void> {
  const { settlement_id, reason, note, since, active, ordered_at, ordered_version } = row;
  await db.run(command`
    insert into settlement_hold (seller_id, ${holds.list})
    values (${seller_id}, ${settlement_id}, ${reason}, ${note}, ${since}, ${active}, ${ordered_at},
            ${ordered_version})
        on conflict (seller_id, settlement_id, reason) do update
       set note = excluded.note, active = excluded.active, ordered_at = excluded.ordered_at,
           ordered_version = excluded.ordered_version,
           since = case when settlement_hold.active and excluded.active
                        then settlement_hold.since else excluded.since end`);
}

export const activeHolds = ({ db, seller_id }: SellerDb): Promise<HoldRow[]> =>
  db.all(holds.select(seller_id, part`active order by since, settlement_id, reason`));

/** Whether the last closed period of a currency carried a debt out. */
const lastIsNegative = (sellerId: string, currency: string) => part`
  coalesce((select l.closing_balance_minor < 0
              from settlement l
             where l.seller_id = ${sellerId} and l.currency = ${currency}
             order by l.period_start desc
             limit 1), false)`;

/**
 * Holds the unpaid settlements while the last closed period carried a debt out: a payout would only increase the
 * debt. Releases them when a period closes without a debt.
 */
export async function holdForDebt(
  { db, seller_id }: SellerDb,
  currency: string,
  since: string,
): Promise<void> {
  await db.run(command`
    insert into settlement_hold (seller_id, settlement_id, reason, since)
    select s.seller_id, s.settlement_id, 'negative_balance', ${since}::timestamptz
      from settlement s
     where s.seller_id = ${seller_id}
       and s.currency = ${currency}
       and s.status in ('ready', 'on_hold', 'payment_failed')
       and ${lastIsNegative(seller_id, currency)}
        on conflict (seller_id, settlement_id, reason) do update
       set active = true, since = excluded.since
     where not settlement_hold.active`);
  await db.run(command`
    update settlement_hold h
       set active = false
     where h.seller_id = ${seller_id}
       and h.reason = 'negative_balance'
       and h.active
       and h.settlement_id in (select s.settlement_id
                                 from settlement s
                                where s.seller_id = ${seller_id} and s.currency = ${currency})
       and not ${lastIsNegative(seller_id, currency)}`);
}

const terms = { currency: text, hold_days: nullable(integer), min_payout_minor: nullable(bigint) };
/** What the marketplace agreed with a seller; null where the general rule holds. */
export type SellerTerms = RowOf<typeof terms>;

/** Undefined when there is no such seller. */
export const sellerTerms = ({ db, seller_id }: SellerDb): Promise<SellerTerms | undefined> =>
  db.one(statement(terms)`
    select currency, hold_days, min_payout_minor
      from v_sellers_payout_terms
     where seller_id = ${seller_id}`);
