/**
 * Erases a buyer at a seller: the pseudonym, and what every module stores of the buyer. An order that is still to be
 * delivered keeps what its delivery needs, until a job finishes the erasure. Source: docs/design/buyers.md#erasure.
 */
import type { Acting, Db } from '../../kernel/context.ts';
import type { Eraser, Erasing } from '../../kernel/eraser.ts';
import { boolean, text } from '../db/columns.ts';
import { command, part, statement } from '../db/statement.ts';
import { buyerErased } from './buyer-erased.ts';
import { buyers, lockRef, refDigests } from './buyers.ts';
import { type ErasureRow, erasures, lockErasures } from './erasures.ts';

/** An open order is erased after so many days, wherever its units are. */
const OPEN_DAYS_MAX = 90;
const DAY_MS = 86_400_000;
/** The most orders that the event lists. */
const LISTED_MAX = 500;

const ordersOf = ({ db, seller_id }: Acting, buyerId: string | null, customerRef: string) =>
  db.all(statement({ order_id: text, is_open: boolean })`
    select order_id, is_open
      from v_orders_buyer
     where seller_id = ${seller_id}
       and (buyer_id = ${buyerId} or (buyer_id is null and customer_ref = ${customerRef}))
       and erased_at is null
     order by order_id`);

/**
 * Erases in every module, in which an eraser may no longer find what another one has erased.
 *
 * @returns the objects that a repeated erasure looks at again
 */
async function eraseEverywhere(
  ctx: Acting,
  erasers: readonly Eraser[],
  erasing: Omit<Erasing, 'thread_ids'>,
): Promise<string[]> {
  const threads = await ctx.db.all(statement({ thread_id: text })`
    select thread_id
      from v_messages_thread
     where seller_id = ${ctx.seller_id}
       and buyer_id = ${erasing.buyer_id}
     order by thread_id`);
  const thread_ids = [...threads.map(({ thread_id }) => thread_id), ...erasing.earlier_ids];
  const reached = new Set(erasing.earlier_ids);
  for (const { erase } of erasers)
    for (const id of await erase(ctx, { ...erasing, thread_ids })) reached.add(id);
  return [...reached];
}

interface Erased {
  readonly buyer_id: string;
  readonly order_ids: readonly string[];
  readonly open_order_ids: readonly string[];
}

async function tell(ctx: Acting, { buyer_id, order_ids, open_order_ids }: Erased): Promise<void> {
  await ctx.emit(
    buyerErased.of({
      buyer_id,
      order_ids: order_ids.slice(0, LISTED_MAX),
      more: order_ids.length > LISTED_MAX,
      status: open_order_ids.length > 0 ? 'partly_done' : 'done',
      open_order_ids: open_order_ids.slice(0, LISTED_MAX),
    }),
  );
}

/**
 * Writes down the erasure of a reference. Orders that are open since an earlier request keep the 90 days of that request,
 * in a row of their own.
 */
async function noteErasure(
  { db, seller_id, at }: Acting,
  digest: string,
  { erased_at, buyer_id, open_order_ids }: Pick<ErasureRow, 'erased_at' | 'buyer_id' | 'open_order_ids'>,
): Promise<void> {
  await db.run(command`
    insert into buyer_erasure (seller_id, ref_digest, erased_at, buyer_id, open_order_ids, recorded_at)
    select seller_id, ref_digest || ' ' || open_order_ids[1], erased_at, buyer_id, open_order_ids, recorded_at
      from buyer_erasure
     where seller_id = ${seller_id}
       and ref_digest = ${digest}
       and open_order_ids <> '{}'
       for update`);
  await db.run(command`
    insert into buyer_erasure (seller_id, ref_digest, erased_at, buyer_id, open_order_ids, recorded_at)
    values (${seller_id}, ${digest}, ${erased_at}, ${buyer_id}, ${open_order_ids}, ${at()})
        on conflict (seller_id, ref_digest) do update
       set erased_at = greatest(buyer_erasure.erased_at, excluded.erased_at),
           buyer_id = coalesce(excluded.buyer_id, buyer_erasure.buyer_id),
           open_order_ids = excluded.open_order_ids,
           recorded_at = excluded.recorded_at`);
}

/** Writes down what an erasure has reached. */
async function noteReached(
  { db, seller_id }: Acting,
  ref_digest: string,
  ids: readonly string[],
): Promise<void> {
  await db.run(command`
    update buyer_erasure
       set object_ids = ${ids}::text[]
     where seller_id = ${seller_id}
       and ref_digest = ${ref_digest}`);
}

/** What earlier erasures of a reference have reached, and which orders still keep what their delivery needs. */
function earlierOf(rows: readonly ErasureRow[]) {
  return {
    buyer_id: rows.find(({ buyer_id }) => buyer_id !== null)?.buyer_id ?? null,
    earlier_ids: [...new Set(rows.flatMap(({ object_ids }) => object_ids))],
    open: [...new Set(rows.flatMap(({ open_order_ids }) => open_order_ids))],
  };
}

/**
 * Erases what the seller has of a reference. A repeated erasure also takes what has come without the reference to the
 * objects that the earlier ones have reached.
 *
 * @param requestedAt RFC 3339; what the marketplace tells later of an earlier time is not stored
 */
export async function eraseBuyer(
  ctx: Acting,
  erasers: readonly Eraser[],
  customerRef: string,
  requestedAt: string,
): Promise<'unknown' | 'done' | 'partly_done'> {
  await lockRef(ctx, customerRef, 'alone');
  const erased_at = new Date(requestedAt).toISOString();
  const buyer = await buyers.one(ctx, part`customer_ref = ${customerRef}`);
  const buyer_id = buyer?.buyer_id ?? null;
  const { open, earlier_ids, ...earlier } = earlierOf(await lockErasures(ctx, customerRef));
  const orders = await ordersOf(ctx, buyer_id, customerRef);
  const open_order_ids = orders.filter(({ is_open }) => is_open).map(({ order_id }) => order_id);
  const order_ids = orders.filter(({ is_open }) => !is_open).map(({ order_id }) => order_id);
  const [digest = ''] = refDigests(ctx, customerRef);
  await noteErasure(ctx, digest, { erased_at, buyer_id, open_order_ids });
  if (buyer === undefined && orders.length + earlier_ids.length === 0) return 'unknown';
  if (buyer !== undefined)
    await buyers.replace(ctx, { ...buyer, customer_ref: null, alias: null, erased_at });
  const erasing = { buyer_id, order_ids, open_order_ids, earlier_ids, erased_at };
  await noteReached(ctx, digest, await eraseEverywhere(ctx, erasers, erasing));
  const left = [...new Set([...open_order_ids, ...open])];
  const known = buyer_id ?? earlier.buyer_id;
  if (known !== null) await tell(ctx, { buyer_id: known, order_ids, open_order_ids: left });
  return left.length > 0 ? 'partly_done' : 'done';
}

const PENDING = { seller_id: text, ref_digest: text };
type Pending = { readonly seller_id: string; readonly ref_digest: string };

/** Erasures with orders that may be erased now. In the system's scope. */
export const erasuresToFinish = (db: Db, now: number, limit: number): Promise<Pending[]> =>
  db.all(statement(PENDING)`
    select e.seller_id, e.ref_digest
      from buyer_erasure e
     where e.open_order_ids <> '{}'
       and (e.recorded_at <= ${new Date(now - OPEN_DAYS_MAX * DAY_MS).toISOString()}::timestamptz
            or exists (
               select from v_orders_buyer o
                where o.seller_id = e.seller_id
                  and o.order_id = any(e.open_order_ids)
                  and not o.is_open))
     order by e.recorded_at
     limit ${limit}`);

/** Erases those orders of an erasure that have arrived or end, or all of them after 90 days. */
export async function finishErasure(
  ctx: Acting,
  erasers: readonly Eraser[],
  ref_digest: string,
): Promise<void> {
  const row = await erasures.find(ctx, { ref_digest }, 'for update');
  if (row === undefined) return;
  const isOver = Date.parse(row.recorded_at) + OPEN_DAYS_MAX * DAY_MS <= ctx.now();
  const stillOpen = await ctx.db.all(statement({ order_id: text })`
    select order_id
      from v_orders_buyer
     where seller_id = ${ctx.seller_id}
       and order_id = any(${row.open_order_ids})
       and is_open`);
  const open = new Set(isOver ? [] : stillOpen.map(({ order_id }) => order_id));
  const open_order_ids = row.open_order_ids.filter((id) => open.has(id));
  const order_ids = row.open_order_ids.filter((id) => !open.has(id));
  const { buyer_id } = row;
  // What came about an order while it had to arrive goes with the order, so late events are compared with this instant.
  const erasing = { buyer_id, order_ids, open_order_ids: [], earlier_ids: [], erased_at: ctx.at() };
  const reached = await eraseEverywhere(ctx, erasers, erasing);
  const object_ids = [...new Set([...row.object_ids, ...reached])];
  await erasures.replace(ctx, { ...row, open_order_ids, object_ids });
  if (buyer_id !== null) await tell(ctx, { buyer_id, order_ids, open_order_ids });
}
