import { textArray } from '../../../platform/db/arrays.ts';
import { boolean, integer, json, nullable, text, texts, textsOf } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { Handling } from '../domain/profile.ts';
import type { ZoneWire } from '../schemas/profile.ts';

export const shippingProfiles = defineTable('shipping_profile', 'profile_id', {
  name: text,
  is_default: boolean,
  handling_days: integer,
  cut_off: text,
  timezone: text,
  working_days: textsOf<Handling['working_days'][number]>(),
  zones: json<readonly ZoneWire[]>(),
});
export type ProfileRow = RowIn<typeof shippingProfiles>;

/** Locks all profiles of the seller until the transaction ends, because only one of them may be the default. */
export async function lockProfiles({ db, seller_id }: SellerDb): Promise<ProfileRow[]> {
  await lockName(db, `shipping_profile/${seller_id}`);
  return db.all(shippingProfiles.select(seller_id, part`true order by profile_id`));
}

/** Keeps profiles from being deleted until the transaction ends. @returns the ids of those that exist */
export async function holdProfiles(
  { db, seller_id }: SellerDb,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.all(statement({ profile_id: text })`
    select profile_id
      from shipping_profile
     where seller_id = ${seller_id}
       and profile_id = any(${textArray(ids)}::text[])
     order by profile_id
       for key share`);
  return new Set(rows.map(({ profile_id }) => profile_id));
}

/** Products of a deletion that are shown; the count says how many there are. */
const SHOWN_MAX = 10;

/**
 * The products that name a profile. It first locks the profile, so that requests which would name it wait for the
 * deletion, and those that have named it are counted.
 */
export async function productsOfProfile(
  { db, seller_id }: SellerDb,
  profileId: string,
): Promise<{ readonly count: number; readonly ids: readonly string[] }> {
  await db.run(command`
    select profile_id
      from shipping_profile
     where seller_id = ${seller_id}
       and profile_id = ${profileId}
       for update`);
  const row = await db.one(statement({ count: integer, ids: nullable(texts) })`
    select count(*)::int as count,
           (array_agg(product_id::text order by product_id))[:${SHOWN_MAX}] as ids
      from v_products_own_profile
     where seller_id = ${seller_id}
       and profile_id = ${profileId}`);
  return { count: row?.count ?? 0, ids: row?.ids ?? [] };
}

/** How many products name a profile; archived products are not counted. */
export async function countByProduct({ db, seller_id }: SellerDb, profileId: string): Promise<number> {
  const row = await db.one(statement({ count: integer })`
    select count(*)::int as count
      from v_products_own_profile
     where seller_id = ${seller_id}
       and profile_id = ${profileId}
       and not archived`);
  return row?.count ?? 0;
}
