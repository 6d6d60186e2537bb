/** Reads the entries of a seller's activity log. */
import type { CursorDb } from '../../kernel/context.ts';
import { idsFrom } from '../../kernel/ids.ts';
import { bigint, instant, integer, json, nullable, type RowOf, text, textOf, texts } from '../db/columns.ts';
import { allOf, type Part, param, part, raw, statement } from '../db/statement.ts';
import type { SellerDb } from '../db/table.ts';
import { type ChainPlace, NO_HASH } from './chain.ts';
import { ACTOR_KINDS, RESULTS } from './record-activity.ts';

const CONTENT = {
  seller_id: text,
  audit_id: text,
  at: instant,
  actor_kind: textOf<(typeof ACTOR_KINDS)[number]>(),
  actor_id: nullable(text),
  roles: nullable(texts),
  aal: nullable(text),
  action: text,
  target_type: nullable(text),
  target_id: nullable(text),
  result: textOf<(typeof RESULTS)[number]>(),
  status: nullable(integer),
  code: nullable(text),
  changed_fields: nullable(texts),
  counts: nullable(json<Readonly<Record<string, number>>>()),
  request_id: nullable(text),
  ip_prefix: nullable(text),
  user_agent_family: nullable(text),
};
const ROW = { ...CONTENT, seq: nullable(bigint), prev_hash: nullable(text), hash: nullable(text) };
/** A statement's columns of an entry, for an alias. */
export const listOf = (alias: string, shape: object = ROW): Part =>
  raw(
    Object.keys(shape)
      .map((name) => `${alias}.${name}`)
      .join(', '),
  );

/** An entry without its place in the chain, as it is sealed. */
export const UNSEALED = CONTENT;
export type EntryContent = RowOf<typeof CONTENT>;
/** An entry; its number and its hashes are null until it is sealed. */
type Entry = EntryContent & {
  readonly seq: number | null;
  readonly prev_hash: string | null;
  readonly hash: string | null;
};
export type SealedEntry = EntryContent & ChainPlace & { readonly prev_hash: string };

interface EntryFilter {
  /** RFC 3339; the entries at this instant or later. */
  readonly from?: string | undefined;
  /** RFC 3339; the entries before this instant. */
  readonly to?: string | undefined;
  readonly audit_id?: string | undefined;
  readonly actor_kind?: Entry['actor_kind'] | undefined;
  readonly actor_id?: string | undefined;
  readonly action?: string | undefined;
  readonly target_id?: string | undefined;
  readonly result?: Entry['result'] | undefined;
  readonly request_id?: string | undefined;
}

/** An id begins with the time of its process; the clocks of two processes may differ. */
const DRIFT_MS = 3_600_000;
const KIND = 'aud_';

/** The entries of a span of time, found by their ids, which begin with the time. */
function during({ from, to }: EntryFilter): Part {
  const first = from === undefined ? undefined : idsFrom(KIND, Date.parse(from) - DRIFT_MS);
  const last = to === undefined ? undefined : idsFrom(KIND, Date.parse(to) + DRIFT_MS);
  return allOf(
    from !== undefined && part`e.audit_id >= ${first} and e.at >= ${from}::timestamptz`,
    to !== undefined && part`e.audit_id < ${last} and e.at < ${to}::timestamptz`,
  );
}

const EQUAL = ['audit_id', 'actor_id', 'action', 'target_id', 'request_id'] as const;

/**
 * The condition on a word of a closed list. The word is part of the statement's text, because rare words have
 * an index of their own.
 */
function isWord<T extends string>(name: string, words: readonly T[], given: T | undefined): Part | false {
  const known = words.find((word) => word === given);
  return known !== undefined && raw(`e.${name} = '${known}'`);
}

function chosen(filter: EntryFilter): Part {
  const equal = EQUAL.map((name) => filter[name] !== undefined && part`e.${raw(name)} = ${filter[name]}`);
  const kind = isWord('actor_kind', ACTOR_KINDS, filter.actor_kind);
  return allOf(during(filter), ...equal, kind, isWord('result', RESULTS, filter.result));
}

const numbered = <Row extends { readonly seq: bigint | null }>(row: Row) => ({
  ...row,
  seq: row.seq === null ? null : Number(row.seq),
});

/**
 * Entries, the newest first, with the e-mail addresses that members have now. Entries of the last second may not be
 * sealed yet; only sealed ones are in the indexes of the filters.
 */
export async function listEntries(
  { db, seller_id }: SellerDb,
  filter: EntryFilter,
  after: string | undefined,
  limit: number,
): Promise<(Entry & { readonly actor_email: string | null })[]> {
  const seller = param(seller_id);
  const where = allOf(chosen(filter), after !== undefined && part`e.audit_id < ${after}`);
  const newest = (isSealed: string): Part => part`
    (select ${listOf('e')}
       from audit_entry e
      where e.seller_id = ${seller}
        and e.seq is ${raw(isSealed)}
        and ${where}
      order by e.audit_id desc
      limit ${limit})`;
  const rows = await db.all(statement({ ...ROW, actor_email: nullable(text) })`
    select ${listOf('e')}, m.email as actor_email
      from (${newest('null')} union all ${newest('not null')}) e
      left join v_sellers_contact m
        on m.seller_id = e.seller_id
       and m.member_id = e.actor_id
     order by e.audit_id desc
     limit ${limit}`);
  return rows.map(numbered);
}

/** The chain's places before its first entry and at its last one. */
export async function chainEnds({
  db,
  seller_id,
}: SellerDb): Promise<{ readonly anchor: ChainPlace; readonly head: ChainPlace }> {
  const row = await db.one(statement({ seq: bigint, hash: text, anchor_seq: bigint, anchor_hash: text })`
    select seq, hash, anchor_seq, anchor_hash
      from audit_head
     where seller_id = ${seller_id}`);
  const { seq = 0n, hash = NO_HASH, anchor_seq = 0n, anchor_hash = NO_HASH } = row ?? {};
  return { anchor: { seq: Number(anchor_seq), hash: anchor_hash }, head: { seq: Number(seq), hash } };
}

const ROWS_AT_ONCE = 1_000;
const SEALED = { ...CONTENT, seq: bigint, prev_hash: text, hash: text };

/**
 * Sealed entries in the order of the chain, without a gap: all from the first to the last one of the time. An entry may
 * be sealed some seconds later than a younger one, so a few may lie outside of the time.
 */
export async function* sealedEntries(
  { db, seller_id }: { readonly db: CursorDb; readonly seller_id: string },
  { from, to }: Pick<EntryFilter, 'from' | 'to'> = {},
): AsyncGenerator<SealedEntry[]> {
  const range = await db.one(statement({ low: nullable(bigint), high: nullable(bigint) })`
    select min(e.seq) as low, max(e.seq) as high
      from audit_entry e
     where e.seller_id = ${seller_id}
       and e.seq is not null
       and ${during({ from, to })}`);
  const rows = statement(SEALED)`
    select ${listOf('e', SEALED)}
      from audit_entry e
     where e.seller_id = ${seller_id}
       and e.seq between ${range?.low ?? 1n} and ${range?.high ?? 0n}
     order by e.seq`;
  for await (const batch of db.cursor(rows, ROWS_AT_ONCE))
    yield batch.map((row) => ({ ...row, seq: Number(row.seq) }));
}
