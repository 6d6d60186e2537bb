/** What a seller does with its tickets, and why it may not. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { checkSellerText } from '../../../kernel/contact-data/conversation-text.ts';
import type { Acting } from '../../../kernel/context.ts';
import { type ApiError, fail, missing } from '../../../kernel/errors.ts';
import { moveRefused } from '../../../kernel/moves.ts';
import { useAttachments } from '../../../platform/attachments/attachments.ts';
import { policiesOf } from '../../../platform/service-policy/policies.ts';
import type { ServicePolicy } from '../../../platform/service-policy/policy.ts';
import { readKnown } from '../../messages/index.ts';
import { type Clock, changeTargets } from '../domain/clocks.ts';
import type { LinkName, Links } from '../domain/links.ts';
import {
  afterSeller,
  lastDecision,
  type TicketKind,
  type TicketPriority,
  type TicketTopic,
} from '../domain/ticket.ts';
import { type TicketMove, ticketMachine } from '../domain/ticket-machine.ts';
import { ticketErrors } from '../errors.ts';
import { hasLinked } from '../store/links.ts';
import { countOpenRequests, lockRequests, type TicketRow } from '../store/tables.ts';
import { type Held, type Move, openTicket, termsOf, writeMove, writeTicket } from './change-ticket.ts';

const OPEN_REQUESTS_MAX = 100;

type Guard = (held: Held) => ApiError | undefined;
const refuse = (held: Held, move: TicketMove): ApiError => moveRefused(ticketMachine, move, held.row.status);

const undecided: Guard = ({ row }) =>
  row.claim !== null && row.claim.decision !== null
    ? fail(ticketErrors.claim_decided, { facts: { decision: lastDecision(row.claim) } })
    : undefined;

const appealable: Guard = ({ row: { claim }, now }) => {
  if (claim === null || claim.decision === null) return undefined;
  if (claim.appeal !== null) return fail(ticketErrors.appeal_used);
  const { appeal_by } = claim;
  return appeal_by !== null && now > Date.parse(appeal_by)
    ? fail(ticketErrors.appeal_window_passed, { facts: { appeal_by } })
    : undefined;
};

const breachedByMarketplace: Guard = ({ row, clocks }) =>
  row.escalated_at === null &&
  clocks.some(({ obligated, outcome }) => obligated === 'marketplace' && outcome === 'breached')
    ? undefined
    : fail(ticketErrors.escalation_not_due);

const isAgainstSeller = ({ claim }: TicketRow): boolean =>
  claim !== null && (claim.decision === 'granted' || claim.decision === 'partly_granted');

/** Which tickets a move is for, and reasons for a refusal that precede those of the state. */
const RULES: Readonly<
  Partial<
    Record<
      TicketMove,
      { readonly of?: (row: TicketRow) => boolean; readonly first?: Guard; readonly last?: Guard }
    >
  >
> = {
  reply: {},
  resolve: { of: ({ kind }) => kind === 'seller_request' || kind === 'enquiry' },
  reopen: { of: ({ kind }) => kind !== 'claim' },
  escalate: { last: breachedByMarketplace },
  claim_respond: { of: ({ claim }) => claim !== null, first: undecided },
  claim_accept: { of: ({ claim }) => claim !== null, first: undecided },
  claim_appeal: { of: isAgainstSeller, first: appealable },
};

/** Why the seller cannot do it now; undefined if it can. */
function refusalOf(held: Held, move: TicketMove): ApiError | undefined {
  const { of, first, last } = RULES[move] ?? {};
  if (of?.(held.row) === false) return refuse(held, move);
  const refused = first?.(held);
  if (refused !== undefined) return refused;
  return ticketMachine.allows(move, held.row.status) ? last?.(held) : refuse(held, move);
}

/** What the seller can do now. */
export const allowedMoves = (held: Held): TicketMove[] =>
  (Object.keys(RULES) as TicketMove[]).filter((move) => refusalOf(held, move) === undefined);

interface Written {
  readonly text: string;
  readonly attachment_ids?: readonly string[];
}

/**
 * Checks a text of the seller and takes its files. A buyer reads texts of an enquiry, so they have no contact data.
 *
 * @throws ApiError 422
 */
async function checked(
  ctx: Acting,
  { kind, links, used }: { kind: TicketKind; links: Links; used: number },
  policy: Pick<ServicePolicy, 'allowed_hosts'>,
  { text, attachment_ids = [] }: Written,
) {
  const known = await readKnown(ctx, links, policy);
  const clean = checkSellerText(text, ['body', 'text'], {
    known,
    ...(kind !== 'enquiry' && { kinds: ['payment_card' as const] }),
  });
  const files = await useAttachments(ctx, attachment_ids, { used });
  return { text: clean, attachment_ids: files.map(({ attachment_id }) => attachment_id) };
}

/**
 * Does a move of the seller.
 *
 * @throws ApiError 409, 422
 */
export async function moveTicket(
  ctx: Acting,
  held: Held,
  move: Omit<Move, 'author' | 'written'>,
  given?: Written,
): Promise<Held> {
  const refused = refusalOf(held, move.name);
  if (refused !== undefined) throw refused;
  const { row, policy } = held;
  const used = row.file_count;
  const written = given && (await checked(ctx, { ...row, used }, policy, given));
  return writeMove(ctx, held, { ...move, author: 'seller', ...(written && { written }) });
}

export const replyTicket = (ctx: Acting, held: Held, given: Written): Promise<Held> =>
  moveTicket(ctx, held, { name: 'reply', status: afterSeller(held.row.kind), events: ['replied'] }, given);

/** @throws ApiError 404 for an object that the seller does not have */
async function requireLinks(ctx: Acting, links: Links): Promise<void> {
  for (const [name, id] of Object.entries(links) as [LinkName, string][])
    if (!(await hasLinked(ctx, name, id)))
      throw missing(`${name.replace(/_id$/, '').replace('_', ' ')} ${id}`);
}

interface Request extends Written {
  readonly topic: TicketTopic;
  readonly subject: string;
  readonly priority?: TicketPriority;
  readonly links?: Links;
}

/** Opens a request of the seller to the marketplace. @throws ApiError 404, 409 `ticket_limit`, 422 */
export async function openRequest(
  ctx: Acting,
  { topic, subject, priority = 'normal', links = {}, ...given }: Request,
): Promise<Held> {
  await lockRequests(ctx);
  const used = await countOpenRequests(ctx);
  if (used >= OPEN_REQUESTS_MAX)
    throw fail(ticketErrors.ticket_limit, { facts: { limit: OPEN_REQUESTS_MAX, used } });
  await requireLinks(ctx, links);
  const kind = 'seller_request';
  const known = { strings: [], hosts: [] };
  const rules = { known, kinds: ['payment_card' as const], charsMax: 200 };
  return openTicket(
    ctx,
    {
      ...{ ticket_id: ctx.ids.next('tkt_'), external_ticket_id: null, kind, topic, priority, links },
      subject: checkSellerText(subject, ['body', 'subject'], rules),
      ...{ status: 'pending_marketplace', buyer_id: null, claim: null },
      ...{ state_at: null, priority_at: null, erased_at: null },
    },
    {
      name: 'open',
      author: 'seller',
      written: await checked(ctx, { kind, links, used: 0 }, { allowed_hosts: [] }, given),
    },
  );
}

/** Changes priority and links of a request of the seller. @throws ApiError 404, 409 `invalid_transition` */
export async function editRequest(
  ctx: Acting,
  held: Held,
  { priority = held.row.priority, links }: { readonly priority?: TicketPriority; readonly links?: Links },
): Promise<Held> {
  if (held.row.kind !== 'seller_request' || !ticketMachine.allows('reply', held.row.status))
    throw refuse(held, 'reply');
  if (links !== undefined) await requireLinks(ctx, links);
  return setPriority(ctx, held, priority, links === undefined ? {} : { links });
}

/** Writes another priority. The time that the clocks have used counts. */
export async function setPriority(
  ctx: Acting,
  held: Held,
  priority: TicketPriority,
  more: Partial<TicketRow> = {},
): Promise<Held> {
  const versions = held.clocks.map(({ policy_version }) => policy_version);
  const policies = await policiesOf(ctx.db, versions);
  const ofClock = ({ policy_version }: Clock) =>
    termsOf(policies.get(policy_version) ?? held.policy, priority);
  const changed =
    priority === held.row.priority
      ? held.clocks
      : changeTargets(held.clocks, ofClock, held.now).map((clock) => ({
          ...clock,
          ticket_id: held.row.ticket_id,
        }));
  return writeTicket(ctx, held, { priority, ...more }, changed);
}

/** The Sydney day of an instant and some days later, for people and for deadlines. */
export const sydneyDayAfter = (now: number, days: number): string =>
  sydneyDate(Date.parse(`${sydneyDate(now)}T12:00:00Z`) + days * 86_400_000);
