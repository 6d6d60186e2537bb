/** Which seller holds which tax identifier; in the system's scope. */

import type { Db } from '../../../kernel/context.ts';
import { instant, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, statement } from '../../../platform/db/statement.ts';

const columns = {
  tax_id: text,
  seller_id: text,
  unclaimed_since: nullable(instant),
  owner_subject: nullable(text),
  provisioned_at: nullable(instant),
  released_at: nullable(instant),
};
export type TaxIdRow = RowOf<typeof columns>;

/** Locks a tax identifier until the transaction ends, and reads who holds it. */
export async function lockTaxId(db: Db, taxId: string): Promise<TaxIdRow | undefined> {
  await lockName(db, `tax_id:${taxId}`);
  return db.one(statement(columns)`
    select tax_id, seller_id, unclaimed_since, owner_subject, provisioned_at, released_at
      from seller_tax_id
     where tax_id = ${taxId}`);
}

/** Gives a seller an identifier that is new or was freed; false when another process was first. */
export async function takeTaxId(
  db: Db,
  { tax_id, seller_id, unclaimed_since, owner_subject, provisioned_at }: Omit<TaxIdRow, 'released_at'>,
): Promise<boolean> {
  const taken = await db.run(command`
    insert into seller_tax_id as held (tax_id, seller_id, unclaimed_since, owner_subject, provisioned_at)
    values (${tax_id}, ${seller_id}, ${unclaimed_since}, ${owner_subject}, ${provisioned_at})
        on conflict (tax_id) do update
       set seller_id = excluded.seller_id,
           unclaimed_since = excluded.unclaimed_since,
           owner_subject = excluded.owner_subject,
           provisioned_at = excluded.provisioned_at,
           released_at = null
     where held.released_at is not null`);
  return taken === 1;
}

/** Changes who may claim the seller of an identifier, or frees the identifier; it must be locked. */
export async function writeTaxId(
  db: Db,
  { tax_id, seller_id, unclaimed_since, owner_subject, provisioned_at, released_at }: TaxIdRow,
): Promise<void> {
  await db.run(command`
    update seller_tax_id
       set unclaimed_since = ${unclaimed_since},
           owner_subject = ${owner_subject},
           provisioned_at = ${provisioned_at},
           released_at = ${released_at}
     where tax_id = ${tax_id}
       and seller_id = ${seller_id}`);
}
