/** Deletes files that have expired, and files of deleted records. */
import type { Db } from '../../kernel/context.ts';
import { textArray } from '../db/arrays.ts';
import { command } from '../db/statement.ts';
import type { NewFile } from './files.ts';

/**
 * Sets when files of the seller of the scope expire.
 *
 * @param at RFC 3339; `null` keeps them
 */
export async function expireFiles(
  db: Db,
  purpose: NewFile['purpose'],
  fileIds: readonly string[],
  at: string | null,
): Promise<void> {
  if (fileIds.length === 0) return;
  await db.run(command`
    update file
       set expires_at = ${at}
     where file_id = any(${textArray(fileIds)}::text[])
       and purpose = ${purpose}`);
}

/** Deletes the expired files of all sellers, in the system's scope. @returns their number */
export function purgeExpiredFiles(db: Db, purpose: NewFile['purpose'], at: string): Promise<number> {
  return db.run(command`
    delete from file
     where purpose = ${purpose}
       and expires_at <= ${at}`);
}

/** Deletes files of many sellers, in the system's scope. Nulls in the list are ignored. */
export async function deleteFiles(
  db: Db,
  files: readonly { readonly seller_id: string; readonly file_id: string | null }[],
): Promise<void> {
  await db.run(command`
    delete from file
     where (seller_id, file_id) in (
       select *
         from unnest(
           ${textArray(files.map(({ seller_id }) => seller_id))}::text[],
           ${textArray(files.map(({ file_id }) => file_id))}::text[]
         )
     )`);
}
