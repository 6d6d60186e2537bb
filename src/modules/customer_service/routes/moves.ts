/** What a seller does with a ticket: answer, resolve, reopen, escalate, and answer or appeal a claim. */
import Type, { type Static, type TSchema } from 'typebox';
import { coreErrors, type ErrorDef, fail, requireFound } from '../../../kernel/errors.ts';
import { isoOf } from '../../../kernel/instant.ts';
import { moveErrors } from '../../../kernel/moves.ts';
import type { AnyRoute } from '../../../kernel/route.ts';
import { AttachmentIds } from '../../../platform/attachments/attachment-schema.ts';
import { findAttachments } from '../../../platform/attachments/attachments.ts';
import { rehearse } from '../../../platform/db/savepoint.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { writes } from '../../../platform/rest/access.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { byId, type Held } from '../actions/change-ticket.ts';
import { moveTicket, replyTicket } from '../actions/seller-moves.ts';
import { afterSeller } from '../domain/ticket.ts';
import { ticketErrors } from '../errors.ts';
import { ENTRY_EXAMPLE, Entry, entryToWire, Resolution, TicketView, VIEW_EXAMPLE } from '../schemas.ts';
import { requireTicket, Text, ticketAnswer, ticketParams } from './tickets.ts';

const Reply = Type.Object(
  { text: Text, attachment_ids: AttachmentIds },
  { title: 'TicketReply', description: 'A text of the seller.' },
);
const Reason = Type.Object({ text: Text }, { title: 'TicketReason', description: 'Why.' });
const Nothing = Type.Object({}, { title: 'NoFields', description: 'No fields.' });
const rehearsal = Type.Object({
  dry_run: Type.Optional(Type.Boolean({ description: 'Checks and answers, but changes and sends nothing' })),
});

type Rehearsal = Static<typeof rehearsal> | undefined;
/** With `dry_run` the effect is rolled back. */
const orRehearse = (ctx: HandlerCtx, query: Rehearsal, run: () => Promise<Held>): Promise<Held> =>
  query?.dry_run === true ? rehearse(ctx.db, run) : run();

interface MoveDef<B extends TSchema> {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly body: B;
  readonly example: Static<B>;
  readonly errors?: readonly ErrorDef[];
  readonly dryRun?: true;
  readonly run: (ctx: HandlerCtx, held: Held, body: Static<B>) => Promise<Held>;
}

/** A move that answers with the ticket. */
function moveRoute<B extends TSchema>({
  body,
  example,
  errors = [],
  dryRun,
  run,
  ...def
}: MoveDef<B>): AnyRoute {
  return defineRoute({
    ...def,
    method: 'POST',
    path: `/tickets/{ticket_id}/${def.path}`,
    access: writes('support'),
    params: ticketParams,
    ...(dryRun && { query: rehearsal, rehearsable: true as const }),
    body: { kind: 'json', schema: body, example },
    ok: okJson('The ticket', TicketView, VIEW_EXAMPLE),
    errors: [
      ...[coreErrors.not_found, coreErrors.precondition_failed, moveErrors.invalid_transition],
      ...errors,
    ],
    handler: async (ctx, request) =>
      ticketAnswer(
        ctx,
        await orRehearse(ctx, request.query as Rehearsal, async () =>
          run(
            ctx,
            await requireTicket(ctx, request.params.ticket_id, request.headers),
            request.body as Static<B>,
          ),
        ),
      ),
  });
}

const reply = defineRoute({
  id: 'customer_service.replies.create',
  method: 'POST',
  path: '/tickets/{ticket_id}/replies',
  summary: 'Answer in a ticket',
  description:
    'A buyer reads the texts of an enquiry: e-mail addresses, telephone numbers and links are refused with their place. `dry_run=true` only checks the text.',
  access: writes('support'),
  params: ticketParams,
  query: rehearsal,
  rehearsable: true,
  body: { kind: 'json', schema: Reply, example: { text: 'Your parcel left today.' } },
  ok: okJson('The entry', Entry, ENTRY_EXAMPLE, 201),
  errors: [coreErrors.not_found, coreErrors.precondition_failed, moveErrors.invalid_transition],
  handler: async (ctx, { params, query, body, headers }) => {
    const held = await orRehearse(ctx, query, async () =>
      replyTicket(ctx, await requireTicket(ctx, params.ticket_id, headers), body),
    );
    const entry = requireFound(held.entry);
    const files = await findAttachments(ctx, entry.attachment_ids);
    return { status: 201, body: entryToWire(entry, byId(files)) };
  },
});

const resolve = moveRoute({
  id: 'customer_service.tickets.resolve',
  path: 'resolve',
  summary: 'Resolve an own request or an enquiry',
  description: 'Until `closes_at` it can be reopened.',
  body: Type.Object(
    { resolution: Resolution, text: Type.Optional(Text) },
    { title: 'TicketResolved', description: 'How the ticket ended.' },
  ),
  example: { resolution: 'solved' },
  run: (ctx, held, { resolution, text }) =>
    moveTicket(
      ctx,
      held,
      { name: 'resolve', status: 'resolved', change: { resolution }, events: ['resolved'] },
      text === undefined ? undefined : { text },
    ),
});

const reopen = moveRoute({
  id: 'customer_service.tickets.reopen',
  path: 'reopen',
  summary: 'Reopen a resolved ticket',
  description: 'Until `closes_at`. A decided claim is reopened by an appeal only.',
  body: Reason,
  example: { text: 'The order is still missing.' },
  run: (ctx, held, given) =>
    moveTicket(
      ctx,
      held,
      {
        ...{ name: 'reopen', status: afterSeller(held.row.kind), events: ['reopened'] },
        change: { state_at: isoOf(held.now) },
      },
      given,
    ),
});

const escalate = moveRoute({
  id: 'customer_service.tickets.escalate',
  path: 'escalate',
  summary: 'Escalate a ticket whose deadline the marketplace has missed',
  description: 'Once for each ticket.',
  body: Reason,
  example: { text: 'The answer is two days late.' },
  errors: [ticketErrors.escalation_not_due],
  run: (ctx, held, given) =>
    moveTicket(
      ctx,
      held,
      {
        name: 'escalate',
        status: 'pending_marketplace',
        change: { escalated_at: isoOf(held.now) },
        events: ['escalated'],
      },
      given,
    ),
});

/** The answer of the seller to a claim. */
function answered({ row, now }: Held, kind: 'responded' | 'accepted', offer: number | null) {
  const { claim } = row;
  if (claim === null) return {};
  // The first answer decides whether the seller was late.
  const { at, late } = claim.response ?? { at: isoOf(now), late: now > Date.parse(claim.respond_by) };
  return { claim: { ...claim, response: { kind, at, late, offer_minor: offer } } };
}

const respond = moveRoute({
  id: 'customer_service.claims.respond',
  path: 'claim/respond',
  summary: 'Answer a claim',
  description:
    'Say what happened, with evidence. After `respond_by` the answer is taken and marked `late`, until the marketplace has decided.',
  dryRun: true,
  body: Type.Object(
    {
      ...Reply.properties,
      offer_minor: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: 'What to offer, in minor units' }),
      ),
    },
    { title: 'ClaimResponse', description: 'The seller’s answer to a claim.' },
  ),
  example: { text: 'The parcel was delivered on 30 June; see the proof.' },
  errors: [ticketErrors.claim_decided, ticketErrors.offer_exceeds_claim],
  run: (ctx, held, { offer_minor = null, ...given }) => {
    const { claim } = held.row;
    if (claim !== null && offer_minor !== null && offer_minor > claim.amount_minor)
      throw fail(ticketErrors.offer_exceeds_claim, { facts: { amount_minor: claim.amount_minor } });
    const change = answered(held, 'responded', offer_minor);
    const move = { name: 'claim_respond', status: 'pending_marketplace', change } as const;
    return moveTicket(ctx, held, { ...move, events: ['claimResponded'] }, given);
  },
});

const accept = moveRoute({
  id: 'customer_service.claims.accept',
  path: 'claim/accept',
  summary: 'Accept a claim',
  description: 'The marketplace decides then. The claim itself moves no money.',
  body: Nothing,
  example: {},
  errors: [ticketErrors.claim_decided],
  run: (ctx, held) => {
    const change = answered(held, 'accepted', null);
    const move = { name: 'claim_accept', status: 'pending_marketplace', change } as const;
    return moveTicket(ctx, held, { ...move, events: ['claimAccepted'] });
  },
});

const appeal = moveRoute({
  id: 'customer_service.claims.appeal',
  path: 'claim/appeal',
  summary: 'Appeal a decision about a claim',
  description: 'Once, until `appeal_by`, if the buyer was granted something.',
  body: Reply,
  example: { text: 'The proof of delivery was not considered.' },
  errors: [ticketErrors.appeal_used, ticketErrors.appeal_window_passed],
  run: (ctx, held, given) => {
    const { claim } = held.row;
    const at = isoOf(held.now);
    const change = claim && {
      claim: { ...claim, appeal: { at, decision: null, decided_at: null } },
      state_at: at,
    };
    const move = { name: 'claim_appeal', status: 'pending_marketplace', ...(change && { change }) } as const;
    return moveTicket(ctx, held, { ...move, events: ['claimAppealed'] }, given);
  },
});

export const moveRoutes = [reply, resolve, reopen, escalate, respond, accept, appeal];
