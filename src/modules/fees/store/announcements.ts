import type { Db } from '../../../kernel/context.ts';
import { text } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import type { FeeSchedule } from '../domain/schedule.ts';
import { scheduleOfVersion } from './schedules.ts';

interface Announcement {
  readonly schedule: FeeSchedule;
  /** The last seller who was told. */
  readonly through: string;
}

/** The oldest schedule that not all sellers know, locked until the transaction ends. */
export async function nextToAnnounce(db: Db): Promise<Announcement | undefined> {
  const row = await db.one(statement({ version: text, through: text })`
    select version, announced_through as through
      from fee_schedule
     where announced_at is null
     order by published_at, version
     limit 1
       for update`);
  const schedule = row && (await scheduleOfVersion(db, row.version));
  return row && schedule && { schedule, through: row.through };
}

/** The next sellers whose currency the rates are in; closed accounts are left out. */
export async function sellersToTell(
  db: Db,
  currency: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select seller_id
      from v_sellers_standing
     where seller_id > ${after}
       and currency = ${currency}
       and status <> 'closed'
     order by seller_id
     limit ${limit}`);
  return rows.map(({ seller_id }) => seller_id);
}

/** @param at when the last seller was told, RFC 3339; null: some are left */
export async function writeAnnounced(
  db: Db,
  version: string,
  { through, at }: { readonly through: string; readonly at: string | null },
): Promise<void> {
  await db.run(command`
    update fee_schedule
       set announced_through = ${through}, announced_at = ${at}::timestamptz
     where version = ${version}`);
}
