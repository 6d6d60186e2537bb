import { boolean, integer, json, text, textsOf } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { part } from '../../../platform/db/statement.ts';
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
