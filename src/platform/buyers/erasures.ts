/**
 * What the service remembers of an erasure for 90 days: a digest of the reference, when it was requested, and the
 * objects that it has reached. Source: docs/design/buyers.md#erasure.
 */
import type { Acting } from '../../kernel/context.ts';
import { instant, nullable, text, texts } from '../db/columns.ts';
import { command, part, statement } from '../db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../db/table.ts';
import { refDigests } from './buyers.ts';

export const erasures = defineTable('buyer_erasure', ['ref_digest'], {
  /** Of the reference; that of an earlier request with open orders also names the first of them. */
  ref_digest: text,
  erased_at: instant,
  buyer_id: nullable(text),
  open_order_ids: texts,
  object_ids: texts,
  recorded_at: instant,
});
export type ErasureRow = RowIn<typeof erasures>;

type Remembering = SellerDb & Pick<Acting, 'digests'>;

/** Locks the earlier erasures of a reference. What joins them later waits for the end of the transaction. */
export const lockErasures = (ctx: Remembering, customerRef: string): Promise<ErasureRow[]> =>
  erasures.all(
    ctx,
    part`split_part(ref_digest, ' ', 1) = any(${refDigests(ctx, customerRef)})
           order by ref_digest
             for update`,
  );

/** Adds an order to an erasure that came before it: it keeps what its delivery needs until it has arrived. */
export async function eraseLater(ctx: Remembering, customerRef: string, orderId: string): Promise<void> {
  await ctx.db.run(command`
    update buyer_erasure
       set open_order_ids = open_order_ids || ${[orderId]}::text[],
           object_ids = object_ids || ${[orderId]}::text[]
     where seller_id = ${ctx.seller_id}
       and ref_digest = any(${refDigests(ctx, customerRef)})`);
}

/** What ties a new object to erased buyers. */
interface Ties {
  readonly customer_ref?: string | null | undefined;
  readonly object_ids?: readonly (string | null | undefined)[];
}

/**
 * Adds a new object without a buyer to the erasures of a reference, and to those that have reached one of some objects,
 * so that a repeated erasure finds the object. It waits for an erasure that is not committed yet.
 *
 * @returns until when what has happened is erased, RFC 3339; null if there is no such erasure
 */
export async function joinErasures(
  { db, seller_id, digests }: Remembering,
  objectId: string,
  { customer_ref = null, object_ids = [] }: Ties,
): Promise<string | null> {
  const refs = customer_ref === null ? [] : refDigests({ digests }, customer_ref);
  const ids = object_ids.filter((id) => id != null);
  if (refs.length + ids.length === 0) return null;
  const rows = await db.all(statement({ erased_at: instant })`
    with found as materialized (
      select ref_digest
        from buyer_erasure
       where seller_id = ${seller_id}
         and (ref_digest = any(${refs}) or object_ids && ${ids}::text[])
       order by ref_digest
         for update)
    update buyer_erasure e
       set object_ids = array_append(array_remove(e.object_ids, ${objectId}::text), ${objectId}::text)
      from found f
     where e.seller_id = ${seller_id}
       and e.ref_digest = f.ref_digest
    returning e.erased_at`);
  return (
    rows
      .map(({ erased_at }) => erased_at)
      .toSorted()
      .at(-1) ?? null
  );
}

/** The objects that the erasures of a reference have reached. */
export async function reachedBy(ctx: Remembering, customerRef: string): Promise<string[]> {
  const rows = await ctx.db.all(
    erasures.select(ctx.seller_id, part`ref_digest = any(${refDigests(ctx, customerRef)})`),
  );
  return rows.flatMap(({ object_ids }) => object_ids);
}

/** Whether an object was that of another buyer, who is erased. */
export async function wasOfAnother(
  ctx: Remembering,
  objectId: string,
  customerRef: string,
): Promise<boolean> {
  const rows = await ctx.db.all(erasures.select(ctx.seller_id, part`object_ids && ${[objectId]}::text[]`));
  const own = refDigests(ctx, customerRef);
  return rows.length > 0 && !rows.some(({ ref_digest }) => own.includes(ref_digest));
}

/**
 * Until when what has happened about some objects is erased, RFC 3339; null if the buyer of none was erased. An order
 * counts also while units are still to be delivered.
 */
export async function erasedAtOf(
  { db, seller_id }: SellerDb,
  ids: readonly (string | null | undefined)[],
): Promise<string | null> {
  const named = ids.filter((id) => id != null);
  if (named.length === 0) return null;
  const row = await db.one(statement({ erased_at: nullable(instant) })`
    select greatest(
             (select max(erased_at)
                from v_orders_buyer
               where seller_id = ${seller_id}
                 and order_id = any(${named})),
             (select max(erased_at)
                from buyer_erasure
               where seller_id = ${seller_id}
                 and (open_order_ids && ${named}::text[] or object_ids && ${named}::text[]))) as erased_at`);
  return row?.erased_at ?? null;
}

/** Whether an event of a time is from before an erasure. */
export const isErasedBy = (time: string, erasedAt: string | null | undefined): boolean =>
  erasedAt != null && Date.parse(time) <= Date.parse(erasedAt);
