/** Lists of threads and messages. */
import Type from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { described, Instant, StringEnum } from '../../../kernel/schema.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { lineOf, showMessages, showThreads } from '../actions/show.ts';
import {
  MESSAGE_EXAMPLE,
  Message,
  THREAD_EXAMPLE,
  Thread,
  ThreadStatus,
  ThreadWaitingOn,
} from '../schemas.ts';
import { pageMessages, pageOfThread, pageThreads } from '../store/lists.ts';
import { type MessageRow, threads } from '../store/tables.ts';

const common = { access: reads('support'), cache: 'no-store' } as const;

const Id = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }));
const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const Since = (description: string) => Type.Optional(Instant({ description }));

/** Messages with their wire forms, which are made for a whole page at once. */
async function shown(ctx: Acting, rows: readonly MessageRow[]) {
  const wires = await showMessages(ctx, rows);
  return rows.flatMap((row, index) => {
    const wire = wires[index];
    return wire === undefined ? [] : [{ row, wire }];
  });
}

const listThreads = pageRoute({
  ...common,
  id: 'messages.threads.list',
  path: '/threads',
  summary: 'List threads',
  description: 'Those with the newest message first.',
  filters: {
    status: Type.Optional(described('Threads with this status', ThreadStatus)),
    waiting_on: Type.Optional(described('Threads that wait for this party', ThreadWaitingOn)),
    unread: Flag('Threads with unread messages, or those without'),
    overdue: Flag('Threads whose answer is overdue now, or the others'),
    missed: Flag('Threads in which an answer was late or is overdue, or the others'),
    order_id: Id('Threads about this order, `ord_…`'),
    product_id: Id('Threads about this product, `prd_…`'),
    buyer_id: Id('Threads with this buyer, `byr_…`'),
    topic: Type.Optional(Type.String({ maxLength: 200, description: 'Threads with this topic' })),
    updated_since: Since('Threads that changed at or after this instant'),
  },
  schema: Thread,
  example: THREAD_EXAMPLE,
  read: async (ctx, { filters, ...page }) =>
    showThreads(
      ctx,
      pageThreads(ctx, filters, ctx.at(), page).then((rows) => rows.map(lineOf)),
    ),
  position: ({ row }) => [row.last_message_at, row.thread_id],
  view: ({ wire }) => wire,
});

const list = pageRoute({
  ...common,
  id: 'messages.list',
  path: '',
  summary: 'List messages of all threads',
  description: 'Newest first.',
  filters: {
    since: Since('Messages recorded at or after this instant'),
    until: Since('Messages recorded before this instant'),
    direction: Type.Optional(StringEnum(['in', 'out'], { description: '`out`: written by the seller' })),
    order_id: Id('Messages about this order, `ord_…`'),
    product_id: Id('Messages about this product, `prd_…`'),
    buyer_id: Id('Messages of threads with this buyer, `byr_…`'),
    unread: Flag('Unread messages, or the others'),
  },
  schema: Message,
  example: MESSAGE_EXAMPLE,
  read: async (ctx, { filters, ...page }) => shown(ctx, await pageMessages(ctx, filters, page)),
  position: ({ row }) => [row.recorded_at, row.message_id],
  view: ({ wire }) => wire,
});

const listOfThread = pageRoute({
  ...common,
  id: 'messages.thread_messages.list',
  path: '/threads/{thread_id}/messages',
  summary: 'List the messages of a thread',
  description: 'Newest first.',
  params: Type.Object({ thread_id: Type.String({ description: 'Id of the thread, `thr_…`' }) }),
  schema: Message,
  example: MESSAGE_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, page, { thread_id = '' }) => {
    const rows = await pageOfThread(ctx, thread_id, page);
    // A thread that has messages exists.
    if (rows.length === 0) requireFound(await threads.find(ctx, { thread_id }));
    return shown(ctx, rows);
  },
  position: ({ row }) => [row.message_id],
  view: ({ wire }) => wire,
});

export const listRoutes = [list, listThreads, listOfThread];
