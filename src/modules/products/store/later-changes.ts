import { textArray } from '../../../platform/db/arrays.ts';
import { boolean, integer, nullable, text } from '../../../platform/db/columns.ts';
import { raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { RESTORED } from './feed-runs.ts';

const LATER_CHANGE = { product_id: text, version: integer, content: boolean, stock: boolean };

export interface LaterChange {
  readonly product_id: string;
  readonly version: number;
  readonly content: boolean;
  readonly stock: boolean;
}

/**
 * The products of a list that the seller changed after an instant. A change by a file counts from the instant at
 * which the file was received, so files that wait for each other do not overtake each other. A decision of the
 * marketplace changes nothing that a file says. Orders move stock without setting it. Each product is a separate
 * look-up, as in `load-products.ts`.
 *
 * @param since RFC 3339
 */
export async function changedSince(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
  since: string,
): Promise<LaterChange[]> {
  if (productIds.length === 0) return [];
  return db.all(statement(LATER_CHANGE)`
    select f.*
      from unnest(${textArray(productIds)}::text[]) as k (id)
     cross join lateral (
       select p.product_id,
              p.version,
              coalesce(r.received_at, p.updated_at) > ${since}::timestamptz
                and (r.run_id is not null or exists (
                  select from product_change c
                   where c.seller_id = ${seller_id}
                     and c.product_id = k.id
                     and c.changed_at > ${since}::timestamptz
                     and c.actor_kind <> 'marketplace')) as content,
              coalesce(i.set_at > ${since}::timestamptz, false) as stock
         from product p
         left join feed_run r
           on r.seller_id = p.seller_id
          and r.run_id = p.source_run_id
         left join inventory i
           on i.seller_id = p.seller_id
          and i.product_id = p.product_id
        where p.seller_id = ${seller_id}
          and p.product_id = k.id
       offset 0) as f
     where f.content or f.stock`);
}

/**
 * The products of a list that were changed by anybody but a connected store: by an order, or by the seller. A decision of
 * the marketplace does not count.
 */
export async function changedByOthers(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (productIds.length === 0) return new Set();
  const rows = await db.all(statement({ product_id: text })`
    select k.id as product_id
      from unnest(${textArray(productIds)}::text[]) as k (id)
     where exists (
       select from product_change c
        where c.seller_id = ${seller_id}
          and c.product_id = k.id
          and c.actor_kind <> 'channel'
          and c.action <> 'curation_decided')`);
  return new Set(rows.map(({ product_id }) => product_id));
}

/** The versions of products that decisions of the marketplace made: a decision changes nothing that a seller says. */
export async function decidedVersions(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(statement({ product_id: text, version: integer })`
    select f.*
      from unnest(${textArray(productIds)}::text[]) as k (id)
     cross join lateral (
       select c.product_id, c.version
         from product_change c
        where c.seller_id = ${seller_id}
          and c.product_id = k.id
          and c.action = 'curation_decided'
       offset 0) as f`);
  const grouped = Map.groupBy(rows, ({ product_id }) => product_id);
  return new Map([...grouped].map(([id, decisions]) => [id, decisions.map(({ version }) => version)]));
}

const UNDONE = { product_id: text, applied: nullable(integer), stock: boolean };

/** A change by a run that a later run has reverted: the product is as it was before both. */
export interface UndoneChange {
  readonly product_id: string;
  /** The version that the change made; null if it changed only stock. */
  readonly applied: number | null;
  readonly stock: boolean;
}

/** The stored form of `setsStock`, for the row `f`: evidence is packed, so the names of the fields stand in its text. */
const SETS_STOCK = raw(
  `(f.changes::text like '%"quantity_on_hand"%' or f.changes::text like '%"reorder_point"%')`,
);

/** The changes of products that later runs have reverted. A row that a revert has skipped is none of them. */
export async function undoneChanges(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<UndoneChange[]> {
  if (productIds.length === 0) return [];
  return db.all(statement(UNDONE)`
    select u.*
      from unnest(${textArray(productIds)}::text[]) as k (id)
     cross join lateral (
       select f.product_id,
              a.product_version + 1 as applied,
              ${SETS_STOCK} as stock
         from feed_row f
         join feed_run v
           on v.seller_id = ${seller_id}
          and v.run_id = f.run_id
         join feed_row a
           on a.seller_id = ${seller_id}
          and a.run_id = v.reverts_run_id
          and a.row_number = f.row_number
        where f.seller_id = ${seller_id}
          and f.product_id = k.id
          and f.changes is not null
          and v.status = 'succeeded'
       offset 0) as u`);
}

/**
 * Which products of a list have stock that was set since an instant by a request, or by a run that was not reverted.
 *
 * @param since RFC 3339
 */
export async function stockSetSince(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
  since: string,
): Promise<string[]> {
  if (productIds.length === 0) return [];
  const rows = await db.all(statement({ product_id: text })`
    select k.id as product_id
      from unnest(${textArray(productIds)}::text[]) as k (id)
     cross join lateral (
       (select true as found
          from product_change f
         where f.seller_id = ${seller_id}
           and f.product_id = k.id
           and f.changed_at > ${since}::timestamptz
           and ${SETS_STOCK}
         limit 1)
        union all
       (select true
          from feed_row f
          join feed_run r
            on r.seller_id = ${seller_id}
           and r.run_id = f.run_id
         where f.seller_id = ${seller_id}
           and f.product_id = k.id
           and ${SETS_STOCK}
           and r.finished_at > ${since}::timestamptz
           and r.status in ('succeeded', 'succeeded_with_errors')
           and not r.dry_run
           and not exists (
             select from feed_run o
              where o.seller_id = ${seller_id}
                and o.run_id = r.reverts_run_id
                and o.finished_at > ${since}::timestamptz)
           and not exists (
             select from feed_row u
              where u.seller_id = ${seller_id}
                and u.run_id = (
                  select v.run_id
                    from feed_run v
                   where v.seller_id = ${seller_id}
                     and v.reverts_run_id = r.run_id
                     and v.status = 'succeeded'
                     and ${RESTORED('v')}
                   limit 1)
                and u.row_number = f.row_number
                and u.changes is not null
             offset 0)
         limit 1)
       limit 1) as stock`);
  return rows.map(({ product_id }) => product_id);
}
