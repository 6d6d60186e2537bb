/** What the events about tickets share. */
import Type from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { type IntakeCtx, type IntakeOutcome, IntakeRejection } from '../../../kernel/events.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { type Held, holdTicket } from '../actions/change-ticket.ts';

export const APPLIED: IntakeOutcome = { status: 'applied' };
export const DAY_MS = 86_400_000;
export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const Amount = Type.Integer({ minimum: 0, maximum: 999_999_999_999 });
export const optional = <T extends Type.TSchema>(schema: T) => Type.Optional(Nullable(schema));
export const iso = (at: string): string => new Date(at).toISOString();

/** @throws IntakeRejection `seller_not_found` */
export const actingFor = (intake: IntakeCtx, { seller_id }: { seller_id: string | null }): Promise<Acting> =>
  actingForSeller(intake, seller_id, 'sellerid must name the seller of the ticket.');

/** The ticket of an event. @throws IntakeRejection `ticket_not_found` */
export async function requireHeld(ctx: Acting, subject: string | null): Promise<Held> {
  const held = subject === null ? undefined : await holdTicket(ctx, subject);
  if (held === undefined)
    throw new IntakeRejection('ticket_not_found', `The seller has no ticket ${subject}.`);
  return held;
}

/** Whether an event is older than the newest event that set a field; null: no event has set it. */
export const isOlder = (time: string, knownAt: string | null): boolean =>
  knownAt !== null && Date.parse(time) < Date.parse(knownAt);
