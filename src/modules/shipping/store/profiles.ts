import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StoredContent } from '../schemas/read-profile.ts';

/** A profile as stored; instants are RFC 3339. */
export interface ProfileRow extends StoredContent {
  readonly profile_id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

const COLUMNS =
  'profile_id, name, is_default, handling_days, cut_off, timezone, working_days, zones, version, created_at, updated_at';

/** One more than the limit, newest first. */
export function listProfiles(
  db: Db,
  sellerId: string,
  { before = null, limit }: { readonly before: string | null; readonly limit: number },
): Promise<ProfileRow[]> {
  return db.all<ProfileRow>(
    sql(
      `select ${COLUMNS} from shipping_profile where seller_id = $1 and ($2::text is null or profile_id < $2) ` +
        'order by profile_id desc limit $3',
      [sellerId, before, limit + 1],
    ),
  );
}

export function findProfile(db: Db, sellerId: string, profileId: string): Promise<ProfileRow | undefined> {
  return db.one<ProfileRow>(
    sql(`select ${COLUMNS} from shipping_profile where seller_id = $1 and profile_id = $2`, [
      sellerId,
      profileId,
    ]),
  );
}

/** Profiles of a seller change one after the other: which of them is the default is a fact about all of them. */
export async function lockProfiles(db: Db, sellerId: string): Promise<ProfileRow[]> {
  await db.run(
    sql("select pg_advisory_xact_lock(hashtextextended('shipping_profile/' || $1, 0))", [sellerId]),
  );
  return db.all<ProfileRow>(
    sql(`select ${COLUMNS} from shipping_profile where seller_id = $1 order by profile_id`, [sellerId]),
  );
}

/** Writes a new profile, or the next version of one. */
export async function writeProfile(db: Db, sellerId: string, row: ProfileRow): Promise<void> {
  await db.run(
    sql(
      'insert into shipping_profile (seller_id, profile_id, name, is_default, handling_days, cut_off, timezone, working_days, zones, version, created_at, updated_at) ' +
        'values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12) ' +
        'on conflict (seller_id, profile_id) do update set name = excluded.name, is_default = excluded.is_default, ' +
        'handling_days = excluded.handling_days, cut_off = excluded.cut_off, timezone = excluded.timezone, ' +
        'working_days = excluded.working_days, zones = excluded.zones, version = excluded.version, updated_at = excluded.updated_at',
      [
        sellerId,
        row.profile_id,
        row.name,
        row.is_default,
        row.handling_days,
        row.cut_off,
        row.timezone,
        row.working_days,
        JSON.stringify(row.zones),
        row.version,
        row.created_at,
        row.updated_at,
      ],
    ),
  );
}

/** The default of before is one no longer: a new version of it. */
export async function clearDefault(db: Db, sellerId: string, but: string, at: string): Promise<void> {
  await db.run(
    sql(
      'update shipping_profile set is_default = false, version = version + 1, updated_at = $3 ' +
        'where seller_id = $1 and is_default and profile_id <> $2',
      [sellerId, but, at],
    ),
  );
}

export async function deleteProfile(db: Db, sellerId: string, profileId: string): Promise<void> {
  await db.run(
    sql('delete from shipping_profile where seller_id = $1 and profile_id = $2', [sellerId, profileId]),
  );
}
