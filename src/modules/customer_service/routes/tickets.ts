import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { moveErrors } from '../../../kernel/moves.ts';
import { described, Instant, StringEnum } from '../../../kernel/schema.ts';
import { AttachmentIds } from '../../../platform/attachments/attachment-schema.ts';
import { findAttachments } from '../../../platform/attachments/attachments.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { byId, type Held, holdTicket, readTicket } from '../actions/change-ticket.ts';
import { editRequest, openRequest } from '../actions/seller-moves.ts';
import { showTickets, viewTicket } from '../actions/show-ticket.ts';
import { ticketErrors } from '../errors.ts';
import {
  ENTRY_EXAMPLE,
  Entry,
  entryToWire,
  Kind,
  Links,
  Priority,
  Status,
  TICKET_EXAMPLE,
  Ticket,
  TicketView,
  Topic,
  VIEW_EXAMPLE,
} from '../schemas.ts';
import { listEntries, listTickets } from '../store/list-tickets.ts';

export const ticketParams = Type.Object({
  ticket_id: Type.String({ maxLength: 64, description: 'Id of the ticket, `tkt_…`' }),
});
export const Text = Type.String({ minLength: 1, maxLength: 4_000, description: 'Plain text' });
/** Priorities that a seller may set. */
const OwnPriority = StringEnum(['low', 'normal', 'high'], {
  title: 'OwnPriority',
  description: 'Priority of a request; default `normal`',
});

const tagOf = ({ row: { ticket_id, version } }: Held): string => `${ticket_id}.${version}`;

/** The ticket of a path, locked; only its own id names it. @throws ApiError 404, 412 */
export async function requireTicket(
  ctx: HandlerCtx,
  id: string,
  headers: Parameters<typeof checkIfMatch>[0],
): Promise<Held> {
  const found = id.startsWith('tkt_') ? await holdTicket(ctx, id) : undefined;
  const held = requireFound(found?.row.ticket_id === id ? found : undefined);
  checkIfMatch(headers, tagOf(held));
  return held;
}

/** The answer with a ticket. */
export async function ticketAnswer(ctx: HandlerCtx, held: Held) {
  const body = await viewTicket(ctx, held);
  return { body, etag: shownTag(tagOf(held), body) };
}

const list = pageRoute({
  id: 'customer_service.tickets.list',
  path: '/tickets',
  summary: 'List tickets',
  description: 'Newest first.',
  access: reads('support'),
  cache: 'no-store',
  filters: {
    status: Type.Optional(
      Type.Array(Status, {
        maxItems: 5,
        description: 'Tickets in any of these states; repeat the parameter',
      }),
    ),
    kind: Type.Optional(described('Tickets of this kind', Kind)),
    topic: Type.Optional(described('Tickets about this topic', Topic)),
    priority: Type.Optional(described('Tickets of this priority', Priority)),
    breached: Type.Optional(Type.Boolean({ description: 'Tickets with a deadline that has passed' })),
    order_id: Type.Optional(Type.String({ maxLength: 100, description: 'Tickets about this order' })),
    updated_since: Type.Optional(Instant({ description: 'Tickets changed at or after this instant' })),
  },
  schema: Ticket,
  example: TICKET_EXAMPLE,
  read: async (ctx, { filters, after, limit }) =>
    showTickets(ctx, await listTickets(ctx, filters, after, limit)),
  position: ({ ticket_id }) => [ticket_id],
  view: (ticket) => ticket,
});

const create = defineRoute({
  id: 'customer_service.tickets.create',
  method: 'POST',
  path: '/tickets',
  summary: 'Ask the marketplace for something',
  description:
    'Opens a ticket of the kind `seller_request`. The marketplace gets it with its links, and its clocks run. The text may have contact data, but no card numbers.',
  access: writes('support'),
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        topic: Topic,
        subject: Type.String({ minLength: 1, maxLength: 200, description: 'Subject in a few words' }),
        text: Text,
        priority: Type.Optional(OwnPriority),
        links: Type.Optional(Links),
        attachment_ids: AttachmentIds,
      },
      { title: 'TicketInput', description: 'A request to the marketplace.' },
    ),
    example: {
      topic: 'settlement',
      subject: 'An order is missing',
      text: 'The settlement of June lacks order 1002.',
      links: { order_id: 'ord_1002' },
    },
  },
  ok: okJson('The ticket', TicketView, VIEW_EXAMPLE, 201),
  errors: [coreErrors.not_found, ticketErrors.ticket_limit],
  handler: async (ctx, { body, path }) => {
    const held = await openRequest(ctx, body);
    const headers = { location: `${path}/${held.row.ticket_id}` };
    return { ...(await ticketAnswer(ctx, held)), status: 201, headers };
  },
});

const get = defineRoute({
  id: 'customer_service.tickets.get',
  method: 'GET',
  path: '/tickets/{ticket_id}',
  summary: 'Read a ticket',
  description: 'With its clocks, the facts of the order of a claim, and what the seller can do now.',
  access: reads('support'),
  cache: 'no-store',
  params: ticketParams,
  ok: okJson('The ticket', TicketView, VIEW_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params }) => {
    const held = await readTicket(ctx, params.ticket_id);
    return ticketAnswer(ctx, requireFound(held?.row.ticket_id === params.ticket_id ? held : undefined));
  },
});

const update = defineRoute({
  id: 'customer_service.tickets.update',
  method: 'PATCH',
  path: '/tickets/{ticket_id}',
  summary: 'Change priority or links of a request',
  description:
    'Only of an own request that is not resolved. Another priority sets new deadlines: the time that was used counts, and at least an hour is left.',
  access: writes('support'),
  params: ticketParams,
  body: {
    kind: 'json',
    schema: Type.Object(
      { priority: Type.Optional(OwnPriority), links: Type.Optional(Links) },
      { title: 'TicketChange', description: 'What to change; `links` replaces all links.' },
    ),
    example: { priority: 'high' },
  },
  ok: okJson('The ticket', TicketView, VIEW_EXAMPLE),
  errors: [coreErrors.not_found, coreErrors.precondition_failed, moveErrors.invalid_transition],
  handler: async (ctx, { params, headers, body }) => {
    const held = await requireTicket(ctx, params.ticket_id, headers);
    const after = await editRequest(ctx, held, body);
    ctx.audit({ changed_fields: Object.keys(body) });
    return ticketAnswer(ctx, after);
  },
});

const history = pageRoute({
  id: 'customer_service.entries.list',
  path: '/tickets/{ticket_id}/entries',
  summary: 'Read the conversation and history of a ticket',
  description: 'Texts and moves, oldest first.',
  access: reads('support'),
  cache: 'no-store',
  params: ticketParams,
  schema: Entry,
  example: ENTRY_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, { after, limit }, { ticket_id = '' }) => {
    const held = await readTicket(ctx, ticket_id);
    requireFound(held?.row.ticket_id === ticket_id ? held : undefined);
    const rows = await listEntries(ctx, ticket_id, after, limit);
    const files = byId(
      await findAttachments(
        ctx,
        rows.flatMap(({ attachment_ids }) => attachment_ids),
      ),
    );
    return rows.map((row) => entryToWire(row, files));
  },
  position: ({ entry_id }) => [entry_id],
  view: (entry) => entry,
});

export const ticketRoutes = [list, create, get, update, history];
