import type { Db } from '../../../kernel/context.ts';
import type { Erasing } from '../../../kernel/eraser.ts';
import {
  boolean,
  float,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
} from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { Clock } from '../domain/clocks.ts';
import type { Links } from '../domain/links.ts';
import type {
  Author,
  Claim,
  TicketKind,
  TicketPriority,
  TicketStatus,
  TicketTopic,
} from '../domain/ticket.ts';

export const tickets = defineTable('ticket', 'ticket_id', {
  external_ticket_id: nullable(text),
  kind: textOf<TicketKind>(),
  topic: textOf<TicketTopic>(),
  subject: text,
  priority: textOf<TicketPriority>(),
  status: textOf<TicketStatus>(),
  escalated_at: nullable(instant),
  buyer_id: nullable(text),
  links: json<Links>(),
  claim: nullable(json<Claim>()),
  reply_count: integer,
  file_count: integer,
  opened_at: instant,
  resolved_at: nullable(instant),
  resolution: nullable(text),
  closes_at: nullable(instant),
  state_at: nullable(instant),
  priority_at: nullable(instant),
  erased_at: nullable(instant),
});
export type TicketRow = RowIn<typeof tickets>;

export const entries = defineTable('ticket_entry', ['entry_id'], {
  entry_id: text,
  ticket_id: text,
  external_entry_id: nullable(text),
  author: textOf<Author>(),
  member_id: nullable(text),
  move: text,
  text: nullable(text),
  masked: texts,
  redacted: nullable(json<{ readonly reason: string; readonly at: string }>()),
  attachment_ids: texts,
  content_digest: nullable(text),
  recorded_at: instant,
});
export type EntryRow = RowIn<typeof entries>;

export const clocks = defineTable('sla_clock', ['ticket_id', 'metric', 'round'], {
  ticket_id: text,
  metric: textOf<Clock['metric']>(),
  round: integer,
  obligated: textOf<Clock['obligated']>(),
  policy_version: text,
  target_ms: float,
  fixed: boolean,
  started_at: instant,
  used_ms: float,
  running_since: nullable(instant),
  warn_at: nullable(instant),
  due_at: nullable(instant),
  stopped_at: nullable(instant),
  outcome: textOf<Clock['outcome']>(),
});
export type ClockRow = RowIn<typeof clocks>;

/** The ticket with an id of the service or of the marketplace. Locked, it puts everything that changes it in order. */
export const findTicket = (
  { db, seller_id }: SellerDb,
  id: string,
  lock = false,
): Promise<TicketRow | undefined> =>
  db.one(
    tickets.select(
      seller_id,
      lock
        ? part`(ticket_id = ${id} or external_ticket_id = ${id}) for update`
        : part`(ticket_id = ${id} or external_ticket_id = ${id})`,
    ),
  );

/** Puts events that open a ticket under one name in order, until the transaction ends. */
export async function lockTicketName({ db, seller_id }: SellerDb, name: string): Promise<void> {
  await lockName(db, `ticket ${seller_id} ${name}`);
}

export const clocksOf = (at: SellerDb, ticketIds: readonly string[]): Promise<ClockRow[]> =>
  clocks.all(at, part`ticket_id = any(${ticketIds}) order by ticket_id, metric, round`);

export const findEntry = (at: SellerDb, externalId: string): Promise<EntryRow | undefined> =>
  entries.one(at, part`external_entry_id = ${externalId}`);

/** The requests of the seller that are not resolved. */
export async function countOpenRequests(at: SellerDb): Promise<number> {
  return tickets.count(at, part`kind = 'seller_request' and status not in ('resolved', 'closed')`);
}

/** Puts the requests that a seller opens in order, so that they stay within the limit. */
export const lockRequests = (at: SellerDb): Promise<void> => lockTicketName(at, 'requests');

const OLD = { seller_id: text, id: text };
/** Tickets with texts whose last entry is from before an instant. In the system's scope. */
export const oldTickets = (db: Db, before: string, limit: number): Promise<RowOf<typeof OLD>[]> =>
  db.all(statement(OLD)`
    select distinct e.seller_id, e.ticket_id as id
      from ticket_entry e
     where e.text is not null
       and e.recorded_at <= ${before}::timestamptz
       and not exists (
           select from ticket_entry n
            where n.seller_id = e.seller_id
              and n.ticket_id = e.ticket_id
              and n.recorded_at > ${before}::timestamptz)
     limit ${limit}`);

/** Locks a ticket. Returns whether its last entry is from before an instant. */
export async function lockIfOld(at: SellerDb, ticketId: string, before: string): Promise<boolean> {
  await findTicket(at, ticketId, true);
  const newer = await at.db.one(
    entries.select(at.seller_id, part`ticket_id = ${ticketId} and recorded_at > ${before} limit 1`),
  );
  return newer === undefined;
}

const REDACTED = { ticket_id: text, attachment_ids: texts };
/**
 * Deletes the texts of tickets. The subject of a ticket with a buyer becomes its topic.
 *
 * @param author only the texts of this author; of the ticket itself only `updated_at` changes
 * @param erasedAt until when what has happened is erased, RFC 3339; null: the buyer is not erased
 * @returns the files of the texts
 */
export async function redactTickets(
  { db, seller_id }: SellerDb,
  ticketIds: readonly string[],
  redacted: { readonly reason: 'erasure' | 'retention'; readonly at: string },
  erasedAt: string | null,
  author?: Author,
): Promise<readonly string[]> {
  const rows = await db.all(statement(REDACTED)`
    update ticket_entry
       set text = null, content_digest = null, redacted = ${JSON.stringify(redacted)}::jsonb
     where seller_id = ${seller_id}
       and ticket_id = any(${ticketIds})
       and redacted is null
       and ${author === undefined ? part`true` : part`author = ${author}`}
       and (text is not null or attachment_ids <> '{}')
    returning ticket_id, attachment_ids`);
  const files = rows.flatMap(({ attachment_ids }) => attachment_ids);
  const whole = part`
           subject = case kind when 'seller_request' then subject else topic end,
           buyer_id = case ${redacted.reason}::text when 'erasure' then null else buyer_id end,
           erased_at = greatest(erased_at, ${erasedAt}::timestamptz),`;
  const changed = author === undefined ? ticketIds : rows.map(({ ticket_id }) => ticket_id);
  await db.run(command`
    update ticket
       set ${author === undefined ? whole : part``}
           updated_at = ${redacted.at}
     where seller_id = ${seller_id}
       and ticket_id = any(${changed})`);
  return files;
}

const OF_BUYER = { ticket_id: text, buyer_id: nullable(text), is_whole: boolean };
/**
 * Locks the tickets of a buyer, those about orders or threads of the buyer, and those that earlier erasures have reached.
 * Enquiries and claims are the buyer's as a whole; of other tickets only the buyer's texts are. A ticket about a thread
 * may know the buyer by an alias only.
 *
 * @param orderIds also those that earlier erasures have reached
 */
export const lockTicketsOf = (
  { db, seller_id }: SellerDb,
  { buyer_id, thread_ids, earlier_ids }: Pick<Erasing, 'buyer_id' | 'thread_ids' | 'earlier_ids'>,
  orderIds: readonly string[],
): Promise<RowOf<typeof OF_BUYER>[]> =>
  db.all(statement(OF_BUYER)`
    select ticket_id, buyer_id,
           (buyer_id is not null or kind in ('enquiry', 'claim')
            or (erased_at is not null and ticket_id = any(${earlier_ids}))) as is_whole
      from ticket
     where seller_id = ${seller_id}
       and (buyer_id = ${buyer_id}
            or (buyer_id is null
                and (ticket_id = any(${earlier_ids})
                     or links->>'thread_id' = any(${thread_ids})
                     or ticket_id in (
                          select ticket_id
                            from v_customer_service_order
                           where seller_id = ${seller_id}
                             and order_id = any(${orderIds}))))
            or (links->>'thread_id' = any(${thread_ids})
                and buyer_id in (
                      select buyer_id
                        from v_platform_buyer
                       where seller_id = ${seller_id}
                         and is_alias)))
     order by ticket_id
       for update`);
