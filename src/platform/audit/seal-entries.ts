/**
 * Seals committed entries of the activity log: numbers them per seller without gaps and chains their hashes. One
 * transaction at a time over all workers, as the sequencer of events does, so no request waits for another.
 * Source: docs/design/activity-log.md#the-chain.
 */
import type { Db } from '../../kernel/context.ts';
import type { WorkLoop } from '../../kernel/route.ts';
import { bigintArray, textArray } from '../db/arrays.ts';
import { BY_INDEX } from '../db/by-index.ts';
import { bigint, boolean, text } from '../db/columns.ts';
import { command, raw, statement } from '../db/statement.ts';
import { repeat } from '../jobs/repeat.ts';
import type { Services } from '../services.ts';
import { type ChainPlace, hashOf, NO_HASH } from './chain.ts';
import { type EntryContent, listOf, UNSEALED } from './entries.ts';

/** An entry is sealed within a second. A round of this size takes a fraction of it. */
const SELLERS_AT_ONCE = 50;
const ENTRIES_EACH = 500;
const IDLE_MS = 250;

/** The sealer's lock, until the transaction ends. A process that does not get it skips the round. */
const HOLD = statement({ held: boolean })`
  select held
    from (select pg_try_advisory_xact_lock(hashtextextended('audit-sealer', 0)) as held,
                 ${raw(BY_INDEX)}) taken (held)`;

/** The oldest entries of the sellers after one, with the ends of their chains. */
const waiting = (after: string) => statement({ ...UNSEALED, head_seq: bigint, head_hash: text })`
  with recursive busy as (
       (select seller_id from audit_entry
         where seq is null and seller_id > ${after}
         order by seller_id
         limit 1)
       union all
       select (select n.seller_id from audit_entry n
                where n.seq is null and n.seller_id > busy.seller_id
                order by n.seller_id
                limit 1)
         from busy
        where busy.seller_id is not null),
  sellers as (select seller_id from busy where seller_id is not null limit ${SELLERS_AT_ONCE})
  select ${listOf('e', UNSEALED)}, coalesce(h.seq, 0) as head_seq, coalesce(h.hash, ${NO_HASH}) as head_hash
    from sellers s
    left join audit_head h on h.seller_id = s.seller_id
   cross join lateral (
         select * from audit_entry o
          where o.seller_id = s.seller_id and o.seq is null
          order by o.audit_id
          limit ${ENTRIES_EACH}) e
   order by e.seller_id, e.audit_id`;

type SealedRow = ChainPlace & Pick<EntryContent, 'seller_id' | 'audit_id'> & { readonly prev_hash: string };

const writeSealed = (rows: readonly SealedRow[]) => command`
  with sealed as (
       select *
         from unnest(${textArray(rows.map(({ seller_id }) => seller_id))}::text[],
                     ${textArray(rows.map(({ audit_id }) => audit_id))}::text[],
                     ${bigintArray(rows.map(({ seq }) => BigInt(seq)))}::bigint[],
                     ${textArray(rows.map(({ prev_hash }) => prev_hash))}::text[],
                     ${textArray(rows.map(({ hash }) => hash))}::text[])
           as s (seller_id, audit_id, seq, prev_hash, hash)),
  heads as (
       insert into audit_head (seller_id, seq, hash)
       select distinct on (seller_id) seller_id, seq, hash
         from sealed
        order by seller_id, seq desc
           on conflict (seller_id) do update
          set seq = excluded.seq, hash = excluded.hash)
  update audit_entry e
     set seq = s.seq, prev_hash = s.prev_hash, hash = s.hash
    from sealed s
   where e.seller_id = s.seller_id
     and e.audit_id = s.audit_id`;

/** Seals what has been committed. @returns the number of entries */
export function createSealer({ withSystemLong, log }: Services): WorkLoop & { round(): Promise<number> } {
  /** The round begins with the sellers after this one. */
  let after = '';
  const inside = async (db: Db): Promise<number> => {
    if ((await db.one(HOLD))?.held !== true) return 0;
    const found = await db.all(waiting(after));
    const ends = new Map<string, ChainPlace>();
    const rows = found.map(({ head_seq, head_hash, ...entry }): SealedRow => {
      const { seller_id, audit_id } = entry;
      const { seq, hash: prev_hash } = ends.get(seller_id) ?? { seq: Number(head_seq), hash: head_hash };
      const open = { ...entry, seq: seq + 1, prev_hash };
      const sealed = { seller_id, audit_id, seq: open.seq, prev_hash, hash: hashOf(open) };
      ends.set(seller_id, sealed);
      return sealed;
    });
    if (rows.length > 0) await db.run(writeSealed(rows));
    after = ends.size === SELLERS_AT_ONCE ? (rows.at(-1)?.seller_id ?? '') : '';
    return rows.length;
  };
  const round = (): Promise<number> => withSystemLong('seal-activity', 'write', inside);
  const more = async (): Promise<boolean> => {
    const wasBehind = after !== '';
    const sealed = await round();
    return wasBehind || after !== '' || sealed >= ENTRIES_EACH;
  };
  return { ...repeat({ name: 'audit.sealer', log, idleMs: IDLE_MS, round: more }), round };
}
