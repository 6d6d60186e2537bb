import { boolean, integer, json, text, textsOf } from '../../../platform/db/columns.ts';
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

/** Locks the seller's profiles for the transaction: which of them is the default is a fact about all of them. */
export async function lockProfiles({ db, seller_id }: SellerDb): Promise<ProfileRow[]> {
  await db.run(statement({})`
    select from pg_advisory_xact_lock(hashtextextended('shipping_profile/' || ${seller_id}, 0))`);
  return db.all(shippingProfiles.select(seller_id, part`true order by profile_id`));
}

/** Makes the default profile an ordinary one, as its next version. */
export async function clearDefault({ db, seller_id }: SellerDb, but: string, at: string): Promise<void> {
  await db.run(command`
    update shipping_profile
       set is_default = false, version = version + 1, updated_at = ${at}
     where seller_id = ${seller_id}
       and is_default
       and profile_id <> ${but}`);
}
