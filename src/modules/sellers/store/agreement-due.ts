/** What the marketplace's terms ask of sellers. It is a part of the standing, because every request reads it. */
import type { Db, SellerStatus } from '../../../kernel/context.ts';
import { type Columns, instant, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation } from '../../../platform/db/table.ts';

const due = {
  seller_id: text,
  agreement_version: text,
  agreement_due_at: nullable(instant),
  agreement_notice_at: nullable(instant),
};
export type AgreementDue = RowOf<typeof due>;
const notice = { seller_id: text, agreement_notice_at: nullable(instant) };
export type NextNotice = RowOf<typeof notice>;

/** Writes the columns of a shape. */
const writer =
  <C extends Columns>(shape: C) =>
  async (db: Db, rows: readonly RowOf<C>[]): Promise<void> => {
    const names = Object.keys(shape);
    const { from, element } = asRelation(shape, rows);
    const set = names.slice(1).map((name) => `${name} = ${element(name)}`);
    await db.run(command`
      update seller s
         set ${raw(set.join(', '))}
        from ${from} as u (${raw(names.join(', '))})
       where s.seller_id = u.seller_id`);
  };

/** In the scope of one seller, or of the system. */
export const writeAgreementDue = writer(due);
export const writeNextNotice = writer(notice);

const behind = { seller_id: text, status: textOf<SellerStatus>(), registered_at: instant };

/** Sellers that were not asked about a version yet, locked until the transaction ends. In the system's scope. */
export function lockSellersBehind(db: Db, version: string, limit: number): Promise<RowOf<typeof behind>[]> {
  return db.all(statement(behind)`
    select seller_id, status, coalesce(registered_at, created_at) as registered_at
      from seller
     where agreement_version < ${version}
        or agreement_version > ${version}
        or agreement_version is null
     limit ${limit}
       for no key update skip locked`);
}

const noticed = { seller_id: text, status: textOf<SellerStatus>(), agreement_due_at: instant };

/** Sellers that were asked about the version and whose reminder is due, locked until the transaction ends. In the system's scope. */
export function lockSellersToRemind(
  db: Db,
  version: string,
  now: string,
  limit: number,
): Promise<RowOf<typeof noticed>[]> {
  return db.all(statement(noticed)`
    select seller_id, status, agreement_due_at
      from seller
     where agreement_notice_at <= ${now}
       and agreement_version = ${version}
     order by agreement_notice_at
     limit ${limit}
       for no key update skip locked`);
}

/** When the next seller is reminded, RFC 3339. In the system's scope. */
export async function nextAgreementNotice(db: Db): Promise<string | undefined> {
  const row = await db.one(statement({ seller_id: text, at: instant })`
    select seller_id, agreement_notice_at as at
      from seller
     where agreement_notice_at is not null
     order by agreement_notice_at
     limit 1`);
  return row?.at;
}
