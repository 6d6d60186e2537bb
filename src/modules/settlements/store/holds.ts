/** Reasons to hold one settlement, or all settlements of a seller (an empty `settlement_id`). */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
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
type HoldRow = RowIn<typeof holds>;

/** Finds a reason, active or not; undefined if it was never reported. */
export const findHold = (at: SellerDb, key: Pick<HoldRow, 'settlement_id' | 'reason'>) => holds.find(at, key);

/** Writes a reason. A reason that is still active keeps its `since`. */
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

/** Who holds money back. The ledger's own reasons count as the marketplace's. */
export const HOLD_SOURCES = ['marketplace', 'provider', 'kyc'] as const;
export type HoldSource = (typeof HOLD_SOURCES)[number];

const active = {
  settlement_id: text,
  reason: textOf<HoldReason>(),
  source: textOf<HoldSource>(),
  note: nullable(text),
  since: instant,
};
export type ActiveHold = RowOf<typeof active>;

export const activeHolds = ({ db, seller_id }: SellerDb): Promise<ActiveHold[]> =>
  db.all(statement(active)`
    select settlement_id, reason, source, note, since
      from v_settlements_hold h
     where seller_id = ${seller_id}
     order by since, settlement_id, reason, source`);

/** Sets all reasons of a source to hold the settlements of a seller. @returns whether one begins or ends */
export async function setSourceHolds(
  { db, seller_id, at }: SellerDb & { at(): string },
  source: Exclude<HoldSource, 'marketplace'>,
  reasons: readonly HoldReason[],
): Promise<boolean> {
  let changed = await db.run(command`
    delete from settlement_source_hold
     where seller_id = ${seller_id}
       and source = ${source}
       and reason <> all(${textArray(reasons)}::text[])`);
  for (const reason of reasons)
    changed += await db.run(command`
      insert into settlement_source_hold (seller_id, source, reason, since)
      values (${seller_id}, ${source}, ${reason}, ${at()})
          on conflict do nothing`);
  return changed > 0;
}

/** The sellers whose settlements a source holds. It runs in the system's scope. */
export const sellersHeldBy = (db: Db, source: HoldSource): Promise<{ readonly seller_id: string }[]> =>
  db.all(statement({ seller_id: text })`
    select distinct seller_id
      from settlement_source_hold
     where source = ${source}`);

/** The reasons that hold a settlement, each once. */
export const reasonsFor = (settlementId: string, holds: readonly ActiveHold[]): HoldReason[] => {
  const own = holds.filter(({ settlement_id }) => [ALL_SETTLEMENTS, settlementId].includes(settlement_id));
  return [...new Set(own.map(({ reason }) => reason))].sort();
};

/** Whether the last closed period of a currency has carried out a debt. */
const lastIsNegative = (sellerId: string, currency: string) => part`
  coalesce((select l.closing_balance_minor < 0
              from settlement l
             where l.seller_id = ${sellerId} and l.currency = ${currency}
             order by l.period_start desc
             limit 1), false)`;

/**
 * Holds the unpaid settlements if the last closed period has carried out a debt, because a payout would increase the
 * debt. Releases them after a close without a debt.
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
/** The seller's own terms. A field is null if the general rule applies. Undefined if the seller does not exist. */
export const sellerTerms = ({ db, seller_id }: SellerDb): Promise<RowOf<typeof terms> | undefined> =>
  db.one(statement(terms)`
    select currency, hold_days, min_payout_minor
      from v_sellers_payout_terms
     where seller_id = ${seller_id}`);
