/** What the marketplace decides about a ticket: its name, priority, escalation and end, and claims. */
import Type, { type Static } from 'typebox';
import { dayOf } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import {
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { isoOf } from '../../../kernel/instant.ts';
import { Instant, StringEnum } from '../../../kernel/schema.ts';
import { type Held, type Move, writeMove } from '../actions/change-ticket.ts';
import { setPriority, sydneyDayAfter } from '../actions/seller-moves.ts';
import {
  CLAIM_DECISIONS,
  type Claim,
  isUndecided,
  RESOLUTIONS,
  TICKET_PRIORITIES,
} from '../domain/ticket.ts';
import { type TicketMove, ticketMachine } from '../domain/ticket-machine.ts';
import { findTicket, type TicketRow } from '../store/tables.ts';
import {
  Amount,
  APPLIED,
  actingFor,
  DAY_MS,
  isOlder,
  iso,
  Name,
  optional,
  requireHeld,
} from './ticket-event.ts';

export const Updated = Type.Object({
  external_ticket_id: optional(Name),
  status: Type.Optional(StringEnum(['resolved', 'reopened'])),
  resolution: Type.Optional(StringEnum(RESOLUTIONS)),
  priority: Type.Optional(StringEnum(TICKET_PRIORITIES)),
  escalated: Type.Optional(Type.Boolean()),
  claim: Type.Optional(
    Type.Object({
      decision: StringEnum(CLAIM_DECISIONS),
      granted_minor: optional(Amount),
      funded_by: optional(StringEnum(['seller', 'marketplace'])),
      decided_at: Type.Optional(Instant()),
    }),
  ),
});
type UpdatedData = Static<typeof Updated>;
type Decision = NonNullable<UpdatedData['claim']>;

function requireState({ row }: Held, move: TicketMove): void {
  if (!ticketMachine.allows(move, row.status))
    throw new IntakeRejection('invalid_transition', `The ticket is ${row.status}.`);
}

/**
 * Whether a decision older than the state counts: the first one does, and so does the answer to an appeal.
 */
const decidesLate = (claim: Claim | null, time: string): boolean =>
  claim !== null && isUndecided(claim) && !isOlder(time, claim.appeal?.at ?? null);

/** What an update changes. A name, the escalation and decisions are set once, so no newer event makes them stale. */
function effectsOf({ row }: Held, data: UpdatedData, time: string) {
  const isPast = isOlder(time, row.state_at);
  return {
    names: data.external_ticket_id != null && row.external_ticket_id === null,
    ranks: data.priority !== undefined && !isOlder(time, row.priority_at),
    escalates: data.escalated === true && row.escalated_at === null,
    decides: data.claim !== undefined && (!isPast || decidesLate(row.claim, time)),
    moves: data.claim === undefined && data.status !== undefined && !isPast,
  };
}

/** The claim after a decision of the marketplace: the first one, or that of an appeal. */
function decided(claim: Claim, given: Decision, { now, policy }: Held): Claim {
  const { decision, granted_minor = null, funded_by = null } = given;
  const decided_at = iso(given.decided_at ?? isoOf(now));
  const money = { granted_minor, funded_by };
  if (claim.appeal !== null) return { ...claim, ...money, appeal: { ...claim.appeal, decision, decided_at } };
  const last = dayOf(sydneyDayAfter(now, policy.tickets.appeal_days));
  const appeal_by = new Date(last.next - 1).toISOString();
  return { ...claim, ...money, decision, decided_at, appeal_by };
}

/** The instant of the state after an event that may be late. */
const stateAt = ({ state_at }: TicketRow, time: string): string =>
  state_at !== null && isOlder(time, state_at) ? state_at : iso(time);

async function decide(ctx: Acting, held: Held, given: Decision, time: string): Promise<void> {
  const { claim } = held.row;
  if (claim === null) throw new IntakeRejection('data_invalid', 'data/claim: the ticket is not a claim');
  if (!isUndecided(claim))
    throw new IntakeRejection('invalid_transition', `The claim was decided: ${claim.decision}.`);
  requireState(held, 'claim_decide');
  const after = decided(claim, given, held);
  const closes = held.now + held.policy.tickets.close_after_days * DAY_MS;
  // The ticket stays resolved at least as long as the seller can appeal.
  const closes_at = new Date(Math.max(closes, Date.parse(after.appeal_by ?? '') || 0)).toISOString();
  const state_at = stateAt(held.row, time);
  await writeMove(ctx, held, {
    ...{ name: 'claim_decide', author: 'marketplace', status: 'resolved' },
    change: { claim: after, resolution: given.decision, state_at, closes_at },
    events: ['claimDecided'],
  });
}

/** Names the ticket and sets its priority. @throws IntakeRejection `id_reused` */
async function nameAndRank(ctx: Acting, held: Held, data: UpdatedData, change: Partial<TicketRow>) {
  const { external_ticket_id } = change;
  if (external_ticket_id != null && (await findTicket(ctx, external_ticket_id)) !== undefined)
    throw new IntakeRejection('id_reused', `Another ticket of the seller is ${external_ticket_id}.`);
  const isRanked = change.priority_at !== undefined;
  return setPriority(ctx, held, (isRanked ? data.priority : undefined) ?? held.row.priority, change);
}

async function escalate(ctx: Acting, held: Held, time: string): Promise<Held> {
  // A late event was made before the ticket was resolved.
  if (!isOlder(time, held.row.state_at)) requireState(held, 'escalate_by_marketplace');
  return writeMove(ctx, held, {
    ...{ name: 'escalate_by_marketplace', author: 'marketplace', status: held.row.status },
    change: { escalated_at: isoOf(held.now) },
    events: ['escalated'],
  });
}

async function moveTo(ctx: Acting, held: Held, { status, resolution = 'solved' }: UpdatedData, time: string) {
  const resolves = status === 'resolved';
  const name = resolves ? 'resolve_by_marketplace' : 'reopen_by_marketplace';
  requireState(held, name);
  if (!resolves && held.row.kind === 'claim')
    throw new IntakeRejection('invalid_transition', 'A claim is reopened by an appeal only.');
  const move: Move = {
    ...{ name, author: 'marketplace', status: resolves ? 'resolved' : 'pending_seller' },
    change: { state_at: iso(time), ...(resolves && { resolution }) },
    events: [resolves ? 'resolved' : 'reopened'],
  };
  await writeMove(ctx, held, move);
}

export async function applyUpdated(
  intake: IntakeCtx,
  event: MarketplaceEvent<UpdatedData>,
): Promise<IntakeOutcome> {
  const ctx = await actingFor(intake, event);
  const { data, time } = event;
  let held = await requireHeld(ctx, event.subject);
  const { names, ranks, escalates, decides, moves } = effectsOf(held, data, time);
  if (names || ranks)
    held = await nameAndRank(ctx, held, data, {
      ...(names && { external_ticket_id: data.external_ticket_id ?? null }),
      ...(ranks && { priority_at: iso(time) }),
    });
  if (escalates) held = await escalate(ctx, held, time);
  if (decides && data.claim !== undefined) await decide(ctx, held, data.claim, time);
  if (moves) await moveTo(ctx, held, data, time);
  return names || ranks || escalates || decides || moves ? APPLIED : { status: 'stale' };
}
