/**
 * Events that an endpoint does not get because they are older than the endpoint, although they have no number yet. The
 * entry of a single event is its id; that of a bulk row with hundreds of events is the row's first and last id.
 */
import { textArray } from '../../../platform/db/arrays.ts';
import { type Part, part, raw } from '../../../platform/db/statement.ts';

/** The entries of a seller that have no number yet. */
export const UNNUMBERED_ENTRIES = (sellerId: Part): Part => part`
  select outbox_id, event_id::text as entry
    from v_platform_event
   where seller_id = ${sellerId}
     and sequence is null
   union all
  select outbox_id, event_ids[1] || ':' || event_ids[cardinality(event_ids)]
    from v_platform_bulk_event
   where seller_id = ${sellerId}`;

/**
 * SQL condition: the skipped entry `p` covers the entry `waiting`. Some events of a bulk row may already have numbers;
 * the ids that are left lie between those of the skipped entry.
 */
export const P_COVERS_WAITING = raw(`
  split_part(waiting.entry, ':', 1) collate "C"
    between split_part(p, ':', 1) and coalesce(nullif(split_part(p, ':', 2), ''), p)`);

/** SQL condition: the event `x` is in none of the entries. The ids of a bulk row are sorted as texts. */
export function notSkipped(entries: readonly string[]): Part {
  const ids = entries.filter((entry) => !entry.includes(':'));
  const ranges = entries.filter((entry) => entry.includes(':')).map((entry) => entry.split(':'));
  return part`
    x.event_id <> all(${textArray(ids)}::text[])
    and not exists (
        select from unnest(${textArray(ranges.map(([first = '']) => first))}::text[],
                           ${textArray(ranges.map(([, last = '']) => last))}::text[]) as r (first, last)
         where x.event_id collate "C" between r.first and r.last)`;
}
