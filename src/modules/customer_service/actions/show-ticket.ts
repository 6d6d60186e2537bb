import type { Static } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { buyersOf } from '../../../platform/buyers/buyers.ts';
import { type Facts, ticketToWire, type WireTicket } from '../schemas.ts';
import { findOrder, responseTurns } from '../store/links.ts';
import { clocksOf, type TicketRow } from '../store/tables.ts';
import { calendarsOf, type Held, showHeld } from './change-ticket.ts';
import { allowedMoves } from './seller-moves.ts';

/** The facts of the order of a claim; null for other tickets. */
async function factsOf(ctx: Acting, { claim, links }: TicketRow): Promise<Static<typeof Facts> | null> {
  if (claim === null || links.order_id === undefined) return null;
  const [order, turns] = await Promise.all([
    findOrder(ctx, links.order_id),
    responseTurns(ctx, links.order_id),
  ]);
  if (order === undefined) return null;
  const { dispatch_by, delivered_at, shipments, refunds, returns } = order;
  const iso = (at: string | null): string | null => (at === null ? null : new Date(at).toISOString());
  return {
    ...{ dispatch_by, delivered_at },
    shipments: shipments.map((parcel) => ({
      ...parcel,
      dispatched_at: iso(parcel.dispatched_at),
      delivered_at: iso(parcel.delivered_at),
      steps: parcel.steps.map(({ status, at }) => ({ status, at: new Date(at).toISOString() })),
    })),
    refunds: refunds.map((one) => ({ ...one, created_at: new Date(one.created_at).toISOString() })),
    returns: returns.map((one) => ({ ...one, requested_at: new Date(one.requested_at).toISOString() })),
    response_turns: turns.map((turn) => ({
      ...turn,
      opened_at: new Date(turn.opened_at).toISOString(),
      respond_by: new Date(turn.respond_by).toISOString(),
      ended_at: iso(turn.ended_at),
    })),
  };
}

/** The ticket with its facts and what the seller can do now. */
export async function viewTicket(ctx: Acting, held: Held) {
  const [ticket, facts] = await Promise.all([showHeld(ctx, held), factsOf(ctx, held.row)]);
  return { ...ticket, facts, allowed_actions: allowedMoves(held) };
}

/** Tickets of a list. */
export async function showTickets(ctx: Acting, rows: readonly TicketRow[]): Promise<WireTicket[]> {
  const clocks = await clocksOf(
    ctx,
    rows.map(({ ticket_id }) => ticket_id),
  );
  const [calendars, buyers] = await Promise.all([
    calendarsOf(ctx, clocks),
    buyersOf(
      ctx,
      rows.map(({ buyer_id }) => buyer_id),
    ),
  ]);
  const byTicket = Map.groupBy(clocks, ({ ticket_id }) => ticket_id);
  return rows.map((row) =>
    ticketToWire(row, {
      clocks: byTicket.get(row.ticket_id) ?? [],
      calendars,
      buyer: buyers.get(row.buyer_id ?? '') ?? null,
      now: ctx.now(),
    }),
  );
}
