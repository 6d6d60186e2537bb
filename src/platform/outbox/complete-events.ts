import { type Part, part } from '../db/statement.ts';

/**
 * Rows of the outbox with their objects, which are in the row or in `event_object` (ADR 0009).
 *
 * @param rows a query of whole rows, already limited. Run `LOOK_UP` before it, so that PostgreSQL finds each object by
 *   its key
 * @returns a query of `seller_id`, `event_id`, `type`, `sequence`, `position`, `object_id`, `object_version`,
 *   `created_at`, `data` (null while the object has not been loaded) and `correlation`, in no order
 */
export const completeEventsOf = (rows: Part): Part => part`
  select o.seller_id, o.event_id, o.type, o.sequence, o.position, o.object_id, o.created_at, o.correlation,
         coalesce(x.object_version, o.object_version) as object_version, coalesce(o.data, x.data) as data
    from (${rows}) o
    left join lateral (
         select k.object_version, k.data
           from event_object k
          where k.seller_id = o.seller_id and k.object_id = o.object_id and k.sequence = o.sequence
         offset 0) x on true`;
