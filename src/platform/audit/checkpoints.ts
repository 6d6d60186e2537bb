/** The checkpoints of chains, which the service sends to sellers, and the deletion of old entries. */
import type { Db } from '../../kernel/context.ts';
import { textArray } from '../db/arrays.ts';
import { bigint, text } from '../db/columns.ts';
import type { WithSystem } from '../db/scope.ts';
import { command, statement } from '../db/statement.ts';
import type { SellerDb } from '../db/table.ts';

/** Chains that have grown since their last checkpoint, locked until the transaction ends. */
export const grownChains = (db: Db, limit: number) =>
  db.all(statement({ seller_id: text, seq: bigint, hash: text })`
    select seller_id, seq, hash
      from audit_head
     where seq > checkpoint_seq
     order by seller_id
     limit ${limit}
       for update`);

export const markCheckpoints = (db: Db, sellers: readonly string[]): Promise<number> =>
  db.run(command`
    update audit_head
       set checkpoint_seq = seq
     where seller_id = any(${textArray(sellers)}::text[])`);

/**
 * Takes the one verification of the hour.
 *
 * @param now RFC 3339
 * @param before RFC 3339, an hour earlier
 * @returns false if the chain was verified since `before`
 */
export async function takeVerification(
  { db, seller_id }: SellerDb,
  { now, before }: { readonly now: string; readonly before: string },
): Promise<boolean> {
  const taken = await db.run(command`
    insert into audit_head as h (seller_id, verified_at)
    values (${seller_id}, ${now})
        on conflict (seller_id) do update
       set verified_at = excluded.verified_at
     where h.verified_at is null or h.verified_at <= ${before}`);
  return taken === 1;
}

/** Sellers whose oldest entry is too old. */
const withOldEntries = (before: string, after: string, limit: number) =>
  statement({ seller_id: text })`
    select h.seller_id
      from audit_head h
      join audit_entry e
        on e.seller_id = h.seller_id
       and e.seq = h.anchor_seq + 1
     where h.seller_id > ${after}
       and e.at < ${before}
     order by h.seller_id
     limit ${limit}`;

/** Moves the anchor to the last of the oldest entries that are all too old. */
const moveAnchor = (sellerId: string, before: string, limit: number) => statement({ anchor_seq: bigint })`
  with oldest as (
       select e.seq, e.hash, e.at
         from audit_head h
         join audit_entry e
           on e.seller_id = h.seller_id
          and e.seq > h.anchor_seq
        where h.seller_id = ${sellerId}
        order by e.seq
        limit ${limit}),
  last as (
       select seq, hash
         from oldest
        where seq < coalesce((select min(seq) from oldest where at >= ${before}), 9223372036854775807)
        order by seq desc
        limit 1)
  update audit_head h
     set anchor_seq = last.seq, anchor_hash = last.hash
    from last
   where h.seller_id = ${sellerId}
  returning h.anchor_seq`;

const SELLERS_AT_ONCE = 100;
const ENTRIES_AT_ONCE = 5_000;

/**
 * Deletes entries from the beginning of each chain. The anchor keeps the hash of the last deleted one, so the rest of
 * the chain still verifies.
 *
 * @param before RFC 3339; older entries are deleted
 * @returns the number of deleted entries
 */
export async function deleteOldEntries(
  withSystem: WithSystem,
  before: string,
  signal: AbortSignal,
): Promise<number> {
  const deleteSome = (sellerId: string): Promise<number> =>
    withSystem('retention', 'write', async (db) => {
      await db.run(command`select set_config('app.audit_kept_since', ${before}, true)`);
      const anchor = await db.one(moveAnchor(sellerId, before, ENTRIES_AT_ONCE));
      if (anchor === undefined) return 0;
      return db.run(command`
        delete from audit_entry
         where seller_id = ${sellerId}
           and seq <= ${anchor.anchor_seq}`);
    });
  let total = 0;
  for (let after = ''; !signal.aborted; ) {
    const found = await withSystem('retention', 'read', (db) =>
      db.all(withOldEntries(before, after, SELLERS_AT_ONCE)),
    );
    for (const { seller_id } of found)
      for (let deleted = ENTRIES_AT_ONCE; deleted === ENTRIES_AT_ONCE && !signal.aborted; total += deleted)
        deleted = await deleteSome(seller_id);
    after = found.at(-1)?.seller_id ?? '';
    if (found.length < SELLERS_AT_ONCE) return total;
  }
  return total;
}
