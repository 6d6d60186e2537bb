/** Bytes of uploaded images live as long as a product shows them, and a while longer so that a change can be undone. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

const EXPIRE = "update file set expires_at = $2 where file_id = any($1) and purpose = 'image'";
const PURGE = "delete from file where purpose = 'image' and expires_at <= $1";

/**
 * Sets when files go.
 *
 * @param at RFC 3339; `null`: they stay
 */
export async function expireImageFiles(db: Db, fileIds: readonly string[], at: string | null): Promise<void> {
  if (fileIds.length > 0) await db.run(sql(EXPIRE, [fileIds, at]));
}

/** Deletes the files of all sellers whose time is over; returns how many. */
export async function purgeImageFiles(db: Db, at: string): Promise<number> {
  return db.run(sql(PURGE, [at]));
}
