/**
 * Buyers under pseudonyms, one for each seller. An event names a buyer by the marketplace's reference, and the service
 * shows the seller its own id. Source: docs/design/buyers.md.
 */
import { hash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { inspect } from '../../kernel/contact-data/inspect-text.ts';
import type { Acting } from '../../kernel/context.ts';
import { instant, nullable, text } from '../db/columns.ts';
import { command, part, raw, statement } from '../db/statement.ts';
import { defineTable, type SellerDb } from '../db/table.ts';

export const buyers = defineTable('buyer', ['buyer_id'], {
  buyer_id: text,
  customer_ref: nullable(text),
  alias: nullable(text),
  first_seen_at: instant,
  erased_at: nullable(instant),
});

export const Buyer = Type.Object(
  {
    buyer_id: Type.String({ description: 'Id of the buyer at this seller, `byr_…`' }),
    alias: Type.String({ description: 'Name under which the buyer is shown; not their real name' }),
  },
  { title: 'Buyer', description: 'A buyer, under a pseudonym that only this seller sees.' },
);
export type Buyer = Static<typeof Buyer>;
export const BUYER_EXAMPLE: Buyer = { buyer_id: 'byr_01j0000000000000000000000', alias: 'buyer_9f2' };

/** How the marketplace names a buyer. */
interface NamedBuyer {
  readonly customer_ref?: string | null | undefined;
  readonly alias?: string | null | undefined;
}

/** A buyer whom an event names; without a name, and for an erased buyer, id and alias are null. */
export interface ResolvedBuyer {
  readonly buyer_id: string | null;
  readonly alias: string | null;
  /** The event tells of a time before the buyer was erased: what it says of the buyer is not stored. */
  readonly erased: boolean;
}

const NONE: ResolvedBuyer = { buyer_id: null, alias: null, erased: false };
const PSEUDONYM_CHARS = 4;

/** An alias that holds no contact data; else null. Source: docs/design/conversations.md#contact-data. */
export const cleanAlias = (alias: string | null | undefined): string | null =>
  alias == null || alias === '' || inspect(alias, { strings: [], hosts: [] }).length > 0 ? null : alias;

/** What a reference begins with that is made of an alias. */
const ALIAS = 'alias:';

/** The name under which a buyer is stored: the reference, or the alias if there is none. */
function refOf({ customer_ref, alias }: NamedBuyer): string | undefined {
  if (customer_ref != null) return customer_ref;
  if (alias == null || alias === '') return undefined;
  return `${ALIAS}${cleanAlias(alias) ?? hash('sha256', alias, 'hex')}`;
}

/** The digests under which an erased reference is remembered, that of the present key first. */
export const refDigests = ({ digests }: Pick<Acting, 'digests'>, ref: string): readonly string[] =>
  digests('erased buyers', ref);

/** Puts the events that name a buyer and an erasure of the buyer in order, until the transaction ends. */
export async function lockRef(
  { db, seller_id }: SellerDb,
  ref: string,
  how: 'shared' | 'alone',
): Promise<void> {
  const lock = raw(how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
  await db.run(command`
    select ${lock}(hashtextextended(${`buyer ${seller_id} ${ref}`}, 0))`);
}

const found = { buyer_id: nullable(text), alias: nullable(text), erased_at: nullable(instant) };

/** The buyer under a reference, and the last erasure of this reference. */
const find = ({ db, seller_id }: SellerDb, ref: string, digests: readonly string[]) =>
  db.one(statement(found)`
    select b.buyer_id, b.alias, e.erased_at
      from (select max(erased_at) as erased_at
              from buyer_erasure
             where seller_id = ${seller_id}
               and ref_digest = any(${digests})) e
      left join buyer b
        on b.seller_id = ${seller_id}
       and b.customer_ref = ${ref}`);

/**
 * The seller's buyer whom an event names, made when it is seen first.
 *
 * @param time when it happened, RFC 3339: what happened before the erasure of the buyer has no buyer
 */
export async function resolveBuyer(ctx: Acting, named: NamedBuyer, time: string): Promise<ResolvedBuyer> {
  const ref = refOf(named);
  if (ref === undefined) return NONE;
  const digests = refDigests(ctx, ref);
  const [, known] = await Promise.all([lockRef(ctx, ref, 'shared'), find(ctx, ref, digests)]);
  const erasedAt = known?.erased_at;
  if (erasedAt != null && Date.parse(time) <= Date.parse(erasedAt)) return { ...NONE, erased: true };
  if (known?.buyer_id != null) return { buyer_id: known.buyer_id, alias: known.alias, erased: false };
  const buyer_id = ctx.ids.next('byr_');
  const alias = cleanAlias(named.alias) ?? `buyer_${buyer_id.slice(-PSEUDONYM_CHARS)}`;
  const row = { buyer_id, customer_ref: ref, alias, first_seen_at: ctx.at(), erased_at: null };
  if (await buyers.insert(ctx, row)) return { buyer_id, alias, erased: false };
  // Another event made the buyer meanwhile.
  const other = await find(ctx, ref, digests);
  return { buyer_id: other?.buyer_id ?? null, alias: other?.alias ?? null, erased: false };
}

/**
 * Puts an event that names no reference and the erasure of the buyers whom it is about in order, until the transaction
 * ends. What was read before is to be read again. It comes before locks of rows, as the erasure does it.
 */
export async function holdBuyers(
  { db, seller_id }: SellerDb,
  order_ids: readonly string[],
  buyer_id: string | null = null,
): Promise<void> {
  await db.run(command`
    select pg_advisory_xact_lock_shared(hashtextextended(${`buyer ${seller_id} `} || r.customer_ref, 0))
      from (select customer_ref
              from v_orders_buyer
             where seller_id = ${seller_id}
               and order_id = any(${order_ids})
               and customer_ref is not null
             union
            select customer_ref
              from buyer
             where seller_id = ${seller_id}
               and buyer_id = ${buyer_id}
               and customer_ref is not null
             order by customer_ref) r`);
}

/** How a thread or a ticket knows its buyer. */
export type Knowledge = 'none' | 'by_alias' | 'by_reference' | 'as_another';

/** Whether a buyer is the one of a reference, or is known by an alias only. */
export async function knowledgeOf(
  at: SellerDb,
  buyer_id: string | null,
  customerRef: string,
): Promise<Knowledge> {
  const buyer = buyer_id === null ? undefined : await buyers.find(at, { buyer_id });
  if (buyer === undefined || buyer.customer_ref === null) return 'none';
  if (buyer.customer_ref === customerRef) return 'by_reference';
  return buyer.customer_ref.startsWith(ALIAS) ? 'by_alias' : 'as_another';
}

/** What has a pseudonym, and has another one or none now. */
interface Left {
  readonly buyer_id: string | null;
  readonly thread_id?: string;
}

/**
 * Deletes the pseudonyms that an alias has made and that nothing has any more. An event that names the alias at this
 * moment keeps it.
 *
 * @param left what had them; a thread does not count, also if its row is not written yet
 */
export async function dropAliases({ db, seller_id }: SellerDb, left: readonly Left[]): Promise<void> {
  const ids = left.flatMap(({ buyer_id }) => buyer_id ?? []);
  if (ids.length === 0) return;
  const threads = left.flatMap(({ thread_id }) => thread_id ?? []);
  // The lock is taken first: the deletion then sees what an event has stored that had the lock.
  const free = await db.all(statement({ buyer_id: text })`
    select b.buyer_id
      from buyer b
     where b.seller_id = ${seller_id}
       and b.buyer_id = any(${ids})
       and starts_with(b.customer_ref, ${ALIAS})
       and pg_try_advisory_xact_lock(hashtextextended(${`buyer ${seller_id} `} || b.customer_ref, 0))`);
  if (free.length === 0) return;
  await db.run(command`
    delete from buyer b
     where b.seller_id = ${seller_id}
       and b.buyer_id = any(${free.map(({ buyer_id }) => buyer_id)})
       and not exists (
           select from v_orders_buyer o
            where o.seller_id = ${seller_id}
              and o.buyer_id = b.buyer_id)
       and not exists (
           select from v_messages_thread h
            where h.seller_id = ${seller_id}
              and h.buyer_id = b.buyer_id
              and h.thread_id <> all(${threads}))
       and not exists (
           select from v_customer_service_buyer t
            where t.seller_id = ${seller_id}
              and t.buyer_id = b.buyer_id)`);
}

/** Buyers as answers show them, by their ids. Erased ones are left out. */
export async function buyersOf(
  { db, seller_id }: SellerDb,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, Buyer>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const [first] = wanted;
  if (first === undefined) return new Map();
  // PostgreSQL plans a search for a list anew each time.
  const which = wanted.length === 1 ? part`buyer_id = ${first}` : part`buyer_id = any(${wanted})`;
  const rows = await db.all(buyers.select(seller_id, which));
  return new Map(
    rows.flatMap(({ buyer_id, alias }) => (alias === null ? [] : [[buyer_id, { buyer_id, alias }]])),
  );
}
