import type { Db } from '../../kernel/context.ts';
import { bigint, instant, integer, json, money, nullable, text, textOf } from '../../platform/db/columns.ts';
import { lockName } from '../../platform/db/lock-name.ts';
import { part, statement } from '../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../platform/db/table.ts';
import type { ContestedKind, ContestStatus } from './domain/contest-machine.ts';
import type { Facts } from './domain/facts.ts';

export const contests = defineTable('contest', 'contest_id', {
  target_kind: textOf<ContestedKind>(),
  target_id: text,
  target_revision: integer,
  reason: text,
  detail: nullable(text),
  facts: json<Facts>(),
  status: textOf<ContestStatus>(),
  decided_at: nullable(instant),
  decision_code: nullable(text),
  decision_detail: nullable(text),
  /** The newest event about it. */
  known_at: nullable(instant),
  known_version: nullable(bigint),
});
export type ContestRow = RowIn<typeof contests>;

export const ofKinds = (kinds: readonly ContestedKind[]) => part`target_kind = any(${kinds})`;

/** Serialises the submissions of a seller, so that a count of them holds until the transaction ends. */
export async function lockContests({ db, seller_id }: SellerDb): Promise<void> {
  await lockName(db, `contests/${seller_id}`);
}

/** The contest of a revision of a target, unless it was withdrawn. */
export const standingContest = (
  { db, seller_id }: SellerDb,
  { kind, id, revision }: { readonly kind: ContestedKind; readonly id: string; readonly revision: number },
): Promise<ContestRow | undefined> =>
  db.one(
    contests.select(
      seller_id,
      part`target_kind = ${kind} and target_id = ${id} and target_revision = ${revision}
           and status <> 'withdrawn'`,
    ),
  );

export async function countUndecided({ db, seller_id }: SellerDb): Promise<number> {
  const row = await db.one(statement({ undecided: integer })`
    select count(*)::integer as undecided
      from contest
     where seller_id = ${seller_id}
       and status in ('submitted', 'under_review')`);
  return row?.undecided ?? 0;
}

/** The newest contest of each target. */
export async function newestContests(
  { db, seller_id }: SellerDb,
  kind: ContestedKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ContestRow>> {
  const rows = await db.all(
    contests.select(seller_id, part`target_kind = ${kind} and target_id = any(${ids}) order by contest_id`),
  );
  return new Map(rows.map((row) => [row.target_id, row]));
}

const parcel = {
  shipment_id: text,
  carrier: text,
  label_id: nullable(text),
  dispatched_at: nullable(instant),
  delivered_at: nullable(instant),
  dispatch_by: nullable(instant),
};
const step = { shipment_id: text, status: text, at: instant };
const back = { kind: text, id: text, status: text, reason: nullable(text), amount_minor: nullable(money) };

/** What the seller's order has to say about its delivery. */
export async function orderParts(db: Db, sellerId: string, orderId: string) {
  const [parcels, steps, returned] = await Promise.all([
    db.all(statement(parcel)`
      select shipment_id, carrier, label_id, dispatched_at, delivered_at, dispatch_by
        from v_orders_parcel
       where seller_id = ${sellerId}
         and order_id = ${orderId}
         and dispatched_at is not null
       order by shipment_id`),
    db.all(statement(step)`
      select t.shipment_id, t.status, t.at
        from v_orders_shipment s
        join v_orders_tracking t
          on t.seller_id = s.seller_id
         and t.shipment_id = s.shipment_id
       where s.seller_id = ${sellerId}
         and s.order_id = ${orderId}
       order by t.at, t.shipment_id, t.position`),
    db.all(statement(back)`
      select kind, id, status, reason, amount_minor
        from v_orders_back
       where seller_id = ${sellerId}
         and order_id = ${orderId}
       order by kind, id`),
  ]);
  return { parcels, steps, returned };
}

/** Deletes the texts of contests about some targets. @returns their ids */
export async function eraseTexts(
  { db, seller_id }: SellerDb,
  kind: ContestedKind,
  targetIds: readonly string[],
): Promise<string[]> {
  const rows = await db.all(statement({ contest_id: text })`
    update contest
       set detail = null, decision_detail = null
     where seller_id = ${seller_id}
       and target_kind = ${kind}
       and target_id = any(${targetIds})
    returning contest_id`);
  return rows.map(({ contest_id }) => contest_id);
}
