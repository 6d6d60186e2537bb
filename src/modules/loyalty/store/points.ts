import { bigint, date, instant, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, command, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import { ORDER_KINDS, type PointKind } from '../domain/points.ts';

export const journals = defineTable('points_journal', ['journal_id'], {
  journal_id: text,
  transaction_id: text,
  kind: textOf<PointKind>(),
  member_id: text,
  order_id: nullable(text),
  refund_id: nullable(text),
  redemption_transaction_id: nullable(text),
  points: bigint,
  funded_minor: bigint,
  currency: text,
  occurred_at: instant,
  posted_on: date,
  recorded_at: instant,
  digest: text,
});
export type Journal = RowIn<typeof journals>;

export const journalNamed = (at: SellerDb, transactionId: string) =>
  journals.one(at, part`transaction_id = ${transactionId}`);

/** The id of a member, made when it is seen first. */
export async function memberOf({ db, seller_id }: SellerDb, ref: string, fresh: string): Promise<string> {
  await db.run(command`
    insert into loyalty_member (seller_id, member_id, member_ref)
    values (${seller_id}, ${fresh}, ${ref})
        on conflict do nothing`);
  const row = await db.one(statement({ member_id: text })`
    select member_id
      from loyalty_member
     where seller_id = ${seller_id}
       and member_ref = ${ref}`);
  return row?.member_id ?? fresh;
}

const sum = { points: bigint };
const sumWhere = async ({ db, seller_id }: SellerDb, value: Part, where: Part): Promise<bigint> => {
  const row = await db.one(statement(sum)`
    select coalesce(sum(${value}), 0)::bigint as points
      from points_journal
     where seller_id = ${seller_id}
       and ${where}`);
  return row?.points ?? 0n;
};

/** Points that a member can still redeem: all that came, less what was redeemed and not restored, or has expired. */
export const spendable = (at: SellerDb, memberId: string): Promise<bigint> =>
  sumWhere(
    at,
    part`case when kind in ('redeemed', 'expired') then -points
              when kind = 'adjusted' then greatest(points, 0)
              else points end`,
    part`member_id = ${memberId} and kind <> 'reversed'`,
  );

/** Points of a redemption that were not restored. */
export const redeemedBy = (at: SellerDb, memberId: string, transactionId: string): Promise<bigint> =>
  sumWhere(
    at,
    part`case when kind = 'redeemed' then points else -points end`,
    part`member_id = ${memberId}
         and (kind = 'redeemed' and transaction_id = ${transactionId}
              or kind = 'restored' and redemption_transaction_id = ${transactionId})`,
  );

/** Points that an order has earned and that were not reversed. */
export const earnedBy = (at: SellerDb, orderId: string): Promise<bigint> =>
  sumWhere(
    at,
    part`case when kind = 'earned' then points else -points end`,
    part`order_id = ${orderId} and kind in ('earned', 'reversed')`,
  );

const currency = { currency: text };
/** The currency of an order that an event names by our id or by the marketplace's, with our id. */
export const findOrder = ({ db, seller_id }: SellerDb, named: string) =>
  db.one(statement({ order_id: text, ...currency })`
    select order_id, currency
      from v_orders_named
     where seller_id = ${seller_id}
       and (order_id = ${named} or external_order_id = ${named})
     limit 1`);

export const sellerCurrency = ({ db, seller_id }: SellerDb) =>
  db.one(statement(currency)`
    select currency
      from v_sellers_standing
     where seller_id = ${seller_id}`);

/** What the sums of a day are about: a kind of points, or the balances of members above or below zero together. */
type PointSum = PointKind | 'outstanding' | 'deficit';

/** The sums up to the end of a Sydney day. A trigger keeps them by day (db/migrations). */
export async function sumsOn(
  { db, seller_id }: SellerDb,
  through: string,
): Promise<(kind: PointSum) => bigint> {
  const rows = await db.all(statement({ kind: textOf<PointSum>(), points: bigint })`
    select kind,
           sum(points)::bigint as points
      from points_day
     where seller_id = ${seller_id}
       and posted_on <= ${through}::date
     group by kind`);
  return (kind) => rows.find((row) => row.kind === kind)?.points ?? 0n;
}

/** What was redeemed and has expired, by month. */
export const spentByMonth = ({ db, seller_id }: SellerDb, through: string) =>
  db.all(statement({ month: text, redeemed: bigint, expired: bigint })`
    select to_char(posted_on, 'YYYY-MM') as month,
           coalesce(sum(points) filter (where kind = 'redeemed'), 0)::bigint as redeemed,
           coalesce(sum(points) filter (where kind = 'expired'), 0)::bigint as expired
      from points_day
     where seller_id = ${seller_id}
       and posted_on <= ${through}::date
       and kind in ('redeemed', 'expired')
     group by month
     order by month`);

interface Asked {
  readonly kind?: string | undefined;
  readonly order_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
/** Journals with an order of this seller, newest first. */
export const pageOfTransactions = (
  at: SellerDb,
  { kind, order_id, from, to }: Asked,
  page: Pick<Parameters<typeof journals.page>[1], 'after' | 'limit'>,
): Promise<Journal[]> =>
  journals.page(at, {
    ...page,
    where: allOf(
      part`order_id is not null and kind = any(${ORDER_KINDS})`,
      kind !== undefined && part`kind = ${kind}`,
      order_id !== undefined && part`order_id = ${order_id}`,
      from !== undefined && part`posted_on >= ${from}::date`,
      to !== undefined && part`posted_on <= ${to}::date`,
    ),
    order: ['journal_id'],
    descending: true,
  });
