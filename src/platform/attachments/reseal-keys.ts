/** Seals the keys of files again, so that the operator can remove an older key of SECRETS_KEY. */
import { type RowOf, text } from '../db/columns.ts';
import { command, statement } from '../db/statement.ts';
import type { Services } from '../services.ts';
import { contextOf } from './attachments.ts';

const PAGE = 500;
const sealedKey = { seller_id: text, attachment_id: text, key_sealed: text };
type SealedKey = RowOf<typeof sealedKey>;

/** The keys of the files after one, of all sellers. */
const keysAfter = ({ seller_id, attachment_id }: Omit<SealedKey, 'key_sealed'>) => statement(sealedKey)`
  select seller_id, attachment_id, key_sealed
    from attachment
   where key_sealed is not null
     and (seller_id, attachment_id) > (${seller_id}, ${attachment_id})
   order by seller_id, attachment_id
   limit ${PAGE}`;

/** A key that was deleted meanwhile stays deleted. */
const replaceKey = ({ seller_id, attachment_id, key_sealed }: SealedKey, next: string) => command`
  update attachment
     set key_sealed = ${next}
   where seller_id = ${seller_id}
     and attachment_id = ${attachment_id}
     and key_sealed = ${key_sealed}`;

type Resealing = Pick<Services, 'secrets' | 'withSystem' | 'log'>;

/** @returns the number of keys that were sealed again; one that cannot be opened is logged and left as it is */
export async function resealKeys(
  { secrets, withSystem, log }: Resealing,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let after = { seller_id: '', attachment_id: '' }; !signal.aborted; ) {
    const rows = await withSystem('jobs', 'read', (db) => db.all(keysAfter(after)));
    for (const row of rows.filter(({ key_sealed }) => secrets.isStale(key_sealed))) {
      const context = contextOf(row.attachment_id);
      try {
        const next = secrets.seal(secrets.open(row.key_sealed, context), context);
        count += await withSystem('jobs', 'single', (db) => db.run(replaceKey(row, next)));
      } catch (err) {
        log.error({ err, attachment_id: row.attachment_id }, 'the key of a file cannot be sealed again');
      }
    }
    after = rows.at(-1) ?? after;
    if (rows.length < PAGE) break;
  }
  return count;
}
