/**
 * Events that an endpoint is not told of although they have no number yet when it begins: they happened before. One
 * that waits by itself is its id; those of a bulk write, hundreds to a row, are the first and the last id of the row.
 */

/** What waits of the seller $1. */
export const UNNUMBERED_ENTRIES =
  'select outbox_id, event_id::text as entry from v_platform_event where seller_id = $1::text and sequence is null union all ' +
  "select outbox_id, event_ids[1] || ':' || event_ids[cardinality(event_ids)] from v_platform_bulk_event where seller_id = $1::text";

/**
 * Whether an entry that was kept stands for one that still waits. Of a row of a bulk write some may have been
 * numbered before the others: what is left lies within what it was.
 */
export const COVERS = (kept: string, waiting: string): string =>
  `split_part(${waiting}, ':', 1) collate "C" between split_part(${kept}, ':', 1) ` +
  `and coalesce(nullif(split_part(${kept}, ':', 2), ''), ${kept})`;

export interface PassedOver {
  readonly ids: readonly string[];
  /** Ids of one row are made one after another, and their order is that of their text. */
  readonly first: readonly string[];
  readonly last: readonly string[];
}

/** Takes the entries apart. */
export function passedOver(entries: readonly string[]): PassedOver {
  const ranges = entries.filter((entry) => entry.includes(':')).map((entry) => entry.split(':'));
  return {
    ids: entries.filter((entry) => !entry.includes(':')),
    first: ranges.map(([first = '']) => first),
    last: ranges.map(([, last = '']) => last),
  };
}
