/** Lists and counts of tickets. */
import { dayOf } from '../../../kernel/australia/sydney.ts';
import { float, integer, nullable, type RowOf, textOf } from '../../../platform/db/columns.ts';
import { allOf, part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Clock } from '../domain/clocks.ts';
import type { TicketStatus } from '../domain/ticket.ts';
import { entries, tickets } from './tables.ts';

interface TicketFilter {
  readonly status?: readonly string[] | undefined;
  readonly kind?: string | undefined;
  readonly topic?: string | undefined;
  readonly priority?: string | undefined;
  readonly breached?: boolean | undefined;
  readonly order_id?: string | undefined;
  readonly updated_since?: string | undefined;
}

/** Newest first, one row more than the limit. */
export function listTickets(
  at: SellerDb,
  filter: TicketFilter,
  after: readonly (string | number)[] | undefined,
  limit: number,
) {
  const { status, kind, topic, priority, breached, order_id, updated_since } = filter;
  const isBreached = part`exists (
             select from sla_clock c
              where c.seller_id = ticket.seller_id
                and c.ticket_id = ticket.ticket_id
                and c.outcome = 'breached')`;
  return tickets.page(at, {
    where: allOf(
      status !== undefined && part`status = any(${status})`,
      kind !== undefined && part`kind = ${kind}`,
      topic !== undefined && part`topic = ${topic}`,
      priority !== undefined && part`priority = ${priority}`,
      breached !== undefined && (breached ? isBreached : part`not ${isBreached}`),
      order_id !== undefined && part`links->>'order_id' = ${order_id}`,
      updated_since !== undefined && part`updated_at >= ${updated_since}`,
    ),
    order: ['ticket_id'],
    descending: true,
    after,
    limit,
  });
}

/** Oldest first, one row more than the limit. */
export const listEntries = (
  at: SellerDb,
  ticketId: string,
  after: readonly (string | number)[] | undefined,
  limit: number,
) => entries.page(at, { where: part`ticket_id = ${ticketId}`, order: ['entry_id'], after, limit });

const OPEN = { status: textOf<TicketStatus>(), tickets: integer };
/** The tickets that are not resolved, by status. */
export const countOpen = ({ db, seller_id }: SellerDb): Promise<RowOf<typeof OPEN>[]> =>
  db.all(statement(OPEN)`
    select status, count(*)::integer as tickets
      from ticket
     where seller_id = ${seller_id}
       and status in ('pending_seller', 'pending_marketplace', 'pending_buyer')
     group by status`);

const WAITING = {
  due_within_4h: integer,
  breached_by_seller: integer,
  breached_by_marketplace: integer,
  claims_to_answer: integer,
};
/** What is due, overdue and unanswered in tickets that are not resolved. */
export async function countWaiting(
  { db, seller_id }: SellerDb,
  until: string,
): Promise<RowOf<typeof WAITING>> {
  const row = await db.one(statement(WAITING)`
    select (count(distinct t.ticket_id) filter (
             where c.outcome = 'running'
               and c.obligated = 'seller'
               and c.due_at <= ${until}))::integer as due_within_4h,
           (count(distinct t.ticket_id) filter (
             where c.outcome = 'breached'
               and c.stopped_at is null
               and c.obligated = 'seller'))::integer as breached_by_seller,
           (count(distinct t.ticket_id) filter (
             where c.outcome = 'breached'
               and c.stopped_at is null
               and c.obligated = 'marketplace'))::integer as breached_by_marketplace,
           (count(distinct t.ticket_id) filter (
             where t.kind = 'claim'
               and t.claim->>'response' is null
               and t.status = 'pending_seller'))::integer as claims_to_answer
      from ticket t
      join sla_clock c
        on c.seller_id = t.seller_id
       and c.ticket_id = t.ticket_id
     where t.seller_id = ${seller_id}
       and t.status in ('pending_seller', 'pending_marketplace', 'pending_buyer')`);
  if (row === undefined) throw new Error('a count has no row');
  return row;
}

const FIGURES = {
  metric: textOf<Clock['metric']>(),
  obligated: textOf<Clock['obligated']>(),
  met: integer,
  breached: integer,
  running: integer,
  median_ms: nullable(float),
};
export type Figures = RowOf<typeof FIGURES>;

/** How the clocks that began on some Sydney days ended, by metric and side. Both days are counted. */
export const countClocks = (
  { db, seller_id }: SellerDb,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Figures[]> =>
  db.all(statement(FIGURES)`
    select metric, obligated,
           (count(*) filter (where outcome = 'met'))::integer as met,
           (count(*) filter (where outcome = 'breached'))::integer as breached,
           (count(*) filter (where outcome in ('running', 'paused')))::integer as running,
           percentile_disc(0.5) within group (order by used_ms)
             filter (where stopped_at is not null and outcome in ('met', 'breached')) as median_ms
      from sla_clock
     where seller_id = ${seller_id}
       and started_at >= ${new Date(dayOf(from).start).toISOString()}
       and started_at < ${new Date(dayOf(to).next).toISOString()}
     group by metric, obligated
     order by metric, obligated`);
