/**
 * The only way to change a ticket: lock it, apply the deadlines that have passed, and write a move with its
 * entry, clocks, events and next timer. All of it runs in the caller's transaction.
 */
import type { BusinessCalendar } from '../../../kernel/australia/business-time.ts';
import type { Acting } from '../../../kernel/context.ts';
import { isoOf } from '../../../kernel/instant.ts';
import { type Attachment, findAttachments } from '../../../platform/attachments/attachments.ts';
import { buyersOf } from '../../../platform/buyers/buyers.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import { policiesOf, policyAt } from '../../../platform/service-policy/policies.ts';
import type { ServicePolicy } from '../../../platform/service-policy/policy.ts';
import {
  type ClockTerms,
  isOverdue,
  isWarned,
  moveClocks,
  nextInstant,
  openClocks,
  passTime,
} from '../domain/clocks.ts';
import type { Author, TicketPriority, TicketStatus } from '../domain/ticket.ts';
import type { TicketMove } from '../domain/ticket-machine.ts';
import { type TicketEventName, ticketEvents } from '../events.ts';
import { clockToWire, entryToWire, type Shown, ticketToWire } from '../schemas.ts';
import {
  type ClockRow,
  clocks,
  clocksOf,
  type EntryRow,
  entries,
  findTicket,
  type TicketRow,
  tickets,
} from '../store/tables.ts';

export const TIMER_JOB = 'customer_service.timers';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A locked ticket, after the deadlines that have passed. */
export interface Held {
  /** The instant at which it is judged: what is changed meanwhile has this instant. Milliseconds. */
  readonly now: number;
  readonly row: TicketRow;
  readonly clocks: readonly ClockRow[];
  readonly policy: ServicePolicy;
  readonly calendars: ReadonlyMap<string, BusinessCalendar>;
  /** The entry that was written last. */
  readonly entry?: EntryRow;
}

export function termsOf({ version, tickets: rules }: ServicePolicy, priority: TicketPriority): ClockTerms {
  const { response, resolution } = rules.targets[priority];
  return {
    policy_version: version,
    calendar: rules.calendar,
    response_ms: response * MINUTE_MS,
    resolution_ms: resolution * MINUTE_MS,
    claim_response_ms: rules.claim_response_minutes * MINUTE_MS,
  };
}

/** The hours of the policies of some clocks. */
export async function calendarsOf(
  { db }: Pick<Acting, 'db'>,
  rows: readonly Pick<ClockRow, 'policy_version'>[],
): Promise<ReadonlyMap<string, BusinessCalendar>> {
  const policies = await policiesOf(
    db,
    rows.map(({ policy_version }) => policy_version),
  );
  return new Map([...policies].map(([version, policy]) => [version, policy.tickets.calendar]));
}

async function shownOf(ctx: Acting, { row, clocks: rows, calendars, now }: Held): Promise<Shown> {
  const buyers = await buyersOf(ctx, [row.buyer_id]);
  return { clocks: rows, calendars, buyer: buyers.get(row.buyer_id ?? '') ?? null, now };
}

/** The ticket as answers show it. */
export const showHeld = async (ctx: Acting, held: Held) => ticketToWire(held.row, await shownOf(ctx, held));

async function emit(
  ctx: Acting,
  held: Held,
  name: TicketEventName,
  about: { readonly entry?: EntryRow; readonly clock?: ClockRow } = {},
): Promise<void> {
  const { entry, clock } = about;
  const shown = await shownOf(ctx, held);
  const files = entry === undefined ? [] : await findAttachments(ctx, entry.attachment_ids);
  const calendar = clock && held.calendars.get(clock.policy_version);
  const object = {
    ...ticketToWire(held.row, shown),
    entry: entry === undefined ? null : entryToWire(entry, byId(files)),
    clock: clock === undefined || calendar === undefined ? null : clockToWire(clock, calendar, shown.now),
  };
  await ctx.emit(ticketEvents[name].of(object, { object_id: held.row.ticket_id }));
}

export const byId = (files: readonly Attachment[]): ReadonlyMap<string, Attachment> =>
  new Map(files.map((file) => [file.attachment_id, file]));

/** Plans a job for the next instant at which time changes the ticket. A job that runs too early does nothing. */
async function schedule(ctx: Acting, { row, clocks: rows }: Held): Promise<void> {
  // A resolved ticket is closed after its last instant.
  const closes =
    row.status === 'resolved' && row.closes_at !== null ? Date.parse(row.closes_at) + 1 : undefined;
  const due = nextInstant(rows) ?? closes;
  if (due === undefined) return;
  await ctx.jobs.add({
    kind: TIMER_JOB,
    payload: { ticket_id: row.ticket_id },
    uniqueKey: `${ctx.seller_id} ${row.ticket_id} ${due} ${row.version}`,
    dueAt: due,
  });
}

/** Gives the warnings that are due, breaches what is overdue, and closes what was resolved long enough ago. */
async function advance(ctx: Acting, held: Held): Promise<Held> {
  const { row, now } = held;
  const passed = passTime(held.clocks, now) as ClockRow[];
  const changed = passed.filter((clock, index) => clock !== held.clocks[index]);
  if (changed.length > 0) {
    const next = await writeVersion(tickets, ctx, row, {});
    const after = { ...held, row: next, clocks: passed };
    await clocks.upsertMany(ctx, changed);
    for (const clock of held.clocks) {
      const { metric, round } = clock;
      const told = passed.find((one) => one.metric === metric && one.round === round) ?? clock;
      if (isOverdue(clock, now)) await emit(ctx, after, 'slaBreached', { clock: told });
      else if (isWarned(clock, now)) await emit(ctx, after, 'slaDue', { clock: told });
    }
    return after;
  }
  const closes = row.status === 'resolved' && row.closes_at !== null && now > Date.parse(row.closes_at);
  return closes
    ? writeMove(ctx, held, { name: 'close', author: 'system', status: 'closed', events: ['closed'] })
    : held;
}

/** The ticket as it is stored; undefined if the seller has none of this id. */
export async function readTicket(ctx: Acting, id: string, lock = false): Promise<Held | undefined> {
  const row = await findTicket(ctx, id, lock);
  if (row === undefined) return undefined;
  const now = ctx.now();
  const [rows, policy] = await Promise.all([clocksOf(ctx, [row.ticket_id]), policyAt(ctx.db, now)]);
  const calendars = await calendarsOf(ctx, [...rows, { policy_version: policy.version }]);
  return { now, row, clocks: rows, policy, calendars };
}

/** Locks a ticket, and applies the deadlines that have passed. */
export async function holdTicket(ctx: Acting, id: string): Promise<Held | undefined> {
  const held = await readTicket(ctx, id, true);
  return held && advance(ctx, held);
}

/** Applies the deadlines that have passed, and plans the next timer. */
export async function passTicketTime(ctx: Acting, ticketId: string): Promise<void> {
  const held = await holdTicket(ctx, ticketId);
  if (held !== undefined) await schedule(ctx, held);
}

/** A text that is checked, or was masked. */
export interface EntryText {
  readonly text: string | null;
  readonly masked?: readonly string[];
  readonly attachment_ids?: readonly string[];
  readonly external_entry_id?: string;
  readonly content_digest?: string;
  readonly redacted?: EntryRow['redacted'];
}

export interface Move {
  readonly name: TicketMove;
  readonly author: Author;
  /** The status after the move. */
  readonly status: TicketStatus;
  readonly written?: EntryText;
  readonly change?: Partial<TicketRow>;
  /** The text is older than the state of the ticket, so it meets no clock. */
  readonly isLate?: true;
  readonly events: readonly TicketEventName[];
}

function entryOf(
  ctx: Acting,
  ticket_id: string,
  now: number,
  { name, author, written }: Omit<Move, 'status' | 'events'>,
): EntryRow {
  return {
    entry_id: ctx.ids.next('tcm_'),
    ticket_id,
    external_entry_id: written?.external_entry_id ?? null,
    author,
    member_id: author === 'seller' ? ctx.by.id : null,
    move: name,
    text: written?.text ?? null,
    masked: [...(written?.masked ?? [])],
    redacted: written?.redacted ?? null,
    attachment_ids: [...(written?.attachment_ids ?? [])],
    content_digest: written?.content_digest ?? null,
    recorded_at: isoOf(now),
  };
}

/** What resolving and reopening set. */
function ending({ row, policy, now }: Held, status: TicketStatus): Partial<TicketRow> {
  const ends = status === 'resolved' || status === 'closed';
  if (!ends) return { resolved_at: null, resolution: null, closes_at: null };
  if (row.resolved_at !== null) return {};
  return {
    resolved_at: isoOf(now),
    closes_at: isoOf(now + policy.tickets.close_after_days * DAY_MS),
  };
}

/** Writes a move that the rules allow. */
export async function writeMove(ctx: Acting, held: Held, move: Move): Promise<Held> {
  const { status, author, written, change, isLate = false } = move;
  const { row, now } = held;
  const entry = entryOf(ctx, row.ticket_id, now, move);
  const next = await writeVersion(tickets, ctx, row, {
    status,
    ...ending(held, status),
    reply_count: row.reply_count + (written?.text == null ? 0 : 1),
    file_count: row.file_count + entry.attachment_ids.length,
    ...change,
  });
  const writes = !isLate && (written !== undefined || move.name === 'claim_accept');
  const moved = moveClocks(
    held.clocks,
    { kind: row.kind, author, status, writes },
    termsOf(held.policy, next.priority),
    held.calendars,
    now,
  ).map((clock) => ({ ...clock, ticket_id: row.ticket_id }));
  await entries.insert(ctx, entry);
  await clocks.upsertMany(ctx, moved);
  const after = { ...held, row: next, clocks: moved, entry };
  for (const name of move.events) await emit(ctx, after, name, { entry });
  await schedule(ctx, after);
  return after;
}

export type NewTicket = Pick<
  TicketRow,
  | 'ticket_id'
  | 'external_ticket_id'
  | 'kind'
  | 'topic'
  | 'subject'
  | 'priority'
  | 'status'
  | 'buyer_id'
  | 'links'
  | 'state_at'
  | 'priority_at'
  | 'erased_at'
> & {
  readonly claim: Omit<NonNullable<TicketRow['claim']>, 'respond_by'> | null;
  /** The deadline that the marketplace has set, RFC 3339. */
  readonly respondBy?: string | undefined;
};

/** Opens a ticket with its first text and its clocks. */
export async function openTicket(
  ctx: Acting,
  { respondBy, claim, ...given }: NewTicket,
  move: Omit<Move, 'status' | 'change' | 'events'>,
): Promise<Held> {
  const now = ctx.now();
  const policy = await policyAt(ctx.db, now);
  const opened = openClocks(
    { ...given, respondBy: respondBy === undefined ? undefined : Date.parse(respondBy) },
    termsOf(policy, given.priority),
    now,
  ).map((clock) => ({ ...clock, ticket_id: given.ticket_id }));
  const entry = entryOf(ctx, given.ticket_id, now, move);
  const row: TicketRow = {
    ...given,
    claim: claim && { ...claim, respond_by: opened[0]?.due_at ?? isoOf(now) },
    ...{ escalated_at: null, resolved_at: null, resolution: null, closes_at: null },
    ...{ reply_count: 0, file_count: entry.attachment_ids.length, opened_at: isoOf(now) },
    ...firstVersion(isoOf(now)),
  };
  await tickets.insert(ctx, row);
  await entries.insert(ctx, entry);
  await clocks.upsertMany(ctx, opened);
  const calendars = new Map([[policy.version, policy.tickets.calendar]]);
  const held: Held = { now, row, clocks: opened, policy, calendars };
  await emit(ctx, held, 'opened', { entry });
  await schedule(ctx, held);
  return held;
}

/** Writes other targets of the clocks, and the ticket that they belong to. */
export async function writeTicket(
  ctx: Acting,
  held: Held,
  change: Partial<TicketRow>,
  changed: readonly ClockRow[] = held.clocks,
): Promise<Held> {
  const row = await writeVersion(tickets, ctx, held.row, change);
  await clocks.upsertMany(ctx, changed);
  const after = { ...held, row, clocks: changed };
  await schedule(ctx, after);
  return after;
}
