/** Routes of one thread: what the seller reads, writes and decides. */

import Type from 'typebox';
import { checkDetail } from '../../../kernel/contact-data/conversation-text.ts';
import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, type ErrorDef, requireFound } from '../../../kernel/errors.ts';
import { moveErrors } from '../../../kernel/moves.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { buyerErrors } from '../../../platform/buyers/errors.ts';
import { rehearse } from '../../../platform/db/savepoint.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { NoFields } from '../../../platform/rest/resource.ts';
import { reply, startThread } from '../actions/send.ts';
import { close, endWithoutReply, read, reopen, report } from '../actions/settle.ts';
import { lineOf, showThread, showThreads } from '../actions/show.ts';
import { messageErrors } from '../errors.ts';
import {
  Message,
  ReplyInput,
  SENT_EXAMPLE,
  StartInput,
  THREAD_EXAMPLE,
  Thread,
  ThreadStarted,
} from '../schemas.ts';
import { listedThread } from '../store/lists.ts';
import type { ThreadRow } from '../store/tables.ts';
import { lockThread } from '../store/threads.ts';

const ONE = '/threads/{thread_id}';
const thread_id = Type.String({ description: 'Id of the thread, `thr_…`' });
const params = Type.Object({ thread_id });
const DETAIL_CHARS_MAX = 2_000;

const dryRun = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Checks the request and answers it, and changes nothing' }),
  ),
});

/** Runs an effect, or only rehearses it. */
const perform = <T>(
  ctx: Acting,
  { dry_run }: { readonly dry_run?: boolean },
  effect: () => Promise<T>,
): Promise<T> => (dry_run === true ? rehearse(ctx.db, effect) : effect());

const tagOf = ({ thread_id: id, version }: Pick<ThreadRow, 'thread_id' | 'version'>): string =>
  `${id}.${version}`;

const answer = async (ctx: Acting, row: ThreadRow) => {
  const body = await showThread(ctx, row);
  return { body, etag: shownTag(tagOf(row), body) };
};

/** Locks the thread of a decision, so that it is about the messages that its maker has seen. @throws ApiError 404, 412 */
async function requireMatch(
  ctx: Acting,
  id: string,
  headers: Parameters<typeof checkIfMatch>[0],
): Promise<void> {
  checkIfMatch(headers, tagOf(requireFound(await lockThread(ctx, id))));
}
const ok = [{ status: 200, description: 'The thread', schema: Thread, example: THREAD_EXAMPLE }] as const;

const get = defineRoute({
  id: 'messages.threads.get',
  method: 'GET',
  path: ONE,
  summary: 'Read a thread',
  description: '`turn` is the newest obligation to answer, with its clock.',
  access: reads('support'),
  cache: 'no-store',
  params,
  ok,
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: named }) => {
    const reading = listedThread(ctx, named.thread_id).then((rows) => rows.map(lineOf));
    const { row, wire } = requireFound((await showThreads(ctx, reading))[0]);
    return { body: wire, etag: shownTag(tagOf(row), wire) };
  },
});

const start = defineRoute({
  id: 'messages.threads.create',
  method: 'POST',
  path: '/threads',
  summary: 'Write to the buyer of an order',
  description:
    'Begins a thread, if none with the buyer of the order is open. A text with contact data is refused with the place of each finding in `ctx`.',
  access: writes('support'),
  cache: 'no-store',
  query: dryRun,
  rehearsable: true,
  body: {
    kind: 'json',
    schema: StartInput,
    example: { order_id: 'ord_1002', topic: 'delay', text: 'Your mug leaves tomorrow.' },
  },
  ok: okJson(
    'The thread with its message',
    ThreadStarted,
    {
      ...THREAD_EXAMPLE,
      waiting_on: 'buyer',
      respond_by: null,
      turn: null,
      message: SENT_EXAMPLE,
    },
    201,
  ),
  errors: [
    ...[coreErrors.not_found, buyerErrors.buyer_erased],
    ...[messageErrors.thread_exists, messageErrors.contact_window_passed],
  ],
  handler: async (ctx, { body, query }) =>
    perform(ctx, query, async () => {
      const { thread, message } = await startThread(ctx, body);
      const shown = await showThread(ctx, thread);
      return { status: 201, body: { ...shown, message } };
    }),
});

const send = defineRoute({
  id: 'messages.thread_messages.create',
  method: 'POST',
  path: `${ONE}/messages`,
  summary: 'Reply in a thread',
  description:
    'Ends the open turn. At most three messages in a row without one of the buyer. A text with contact data is refused with the place of each finding in `ctx`; the order number, its amounts and tracking numbers are allowed.',
  access: writes('support'),
  cache: 'no-store',
  params,
  query: dryRun,
  rehearsable: true,
  body: { kind: 'json', schema: ReplyInput, example: { text: 'It left today.' } },
  ok: okJson('The message', Message, SENT_EXAMPLE, 201),
  errors: [
    ...[coreErrors.not_found, coreErrors.conflict, coreErrors.precondition_failed],
    ...[messageErrors.thread_locked, messageErrors.awaiting_buyer_reply],
    messageErrors.contact_window_passed,
  ],
  handler: async (ctx, { params: named, body, query, headers }) =>
    perform(ctx, query, async () => {
      await requireMatch(ctx, named.thread_id, headers);
      const { message } = await reply(ctx, named.thread_id, body);
      return { status: 201, body: message };
    }),
});

const move = (
  id: string,
  path: string,
  summary: string,
  effect: (ctx: Acting, threadId: string) => Promise<ThreadRow>,
  errors: readonly ErrorDef[],
) =>
  defineRoute({
    id,
    method: 'POST',
    path: `${ONE}/${path}`,
    summary,
    description:
      'The body is an empty object. With `If-Match`, the answer is 412 if a message has arrived since.',
    access: writes('support'),
    cache: 'no-store',
    params,
    body: { kind: 'json', schema: NoFields, example: {} },
    ok,
    errors: [
      ...[coreErrors.not_found, coreErrors.precondition_failed, moveErrors.invalid_transition],
      ...errors,
    ],
    handler: async (ctx, { params: named, headers }) => {
      await requireMatch(ctx, named.thread_id, headers);
      return answer(ctx, await effect(ctx, named.thread_id));
    },
  });

const markRead = defineRoute({
  id: 'messages.threads.acknowledge',
  method: 'POST',
  path: `${ONE}/read`,
  summary: 'Mark messages as read',
  description: 'Marks the messages up to one as read, or all.',
  access: writes('support'),
  cache: 'no-store',
  params,
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        up_to_message_id: Nullable(
          Type.String({ maxLength: 64, description: 'The newest message that was read; null: all' }),
        ),
      },
      { title: 'MarkReadInput', description: 'Which messages were read.' },
    ),
    example: { up_to_message_id: null },
  },
  ok,
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: named, body }) =>
    answer(ctx, await read(ctx, named.thread_id, body.up_to_message_id)),
});

const reportMessage = defineRoute({
  id: 'messages.thread_messages.report',
  method: 'POST',
  path: `${ONE}/messages/{message_id}/report`,
  summary: 'Report a message to the marketplace',
  description: 'Once for each message; the marketplace decides what follows.',
  access: writes('support'),
  cache: 'no-store',
  params: Type.Object({
    thread_id,
    message_id: Type.String({ description: 'Id of the message, `msg_…`' }),
  }),
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        reason: StringEnum(['abuse', 'threat', 'spam', 'off_platform', 'personal_data'], {
          description: 'Why it is reported',
        }),
        detail: Type.Optional(
          Type.String({ maxLength: DETAIL_CHARS_MAX, description: 'What the marketplace should know' }),
        ),
      },
      { title: 'ReportInput', description: 'Why a message is reported.' },
    ),
    example: { reason: 'abuse' },
  },
  ok: okJson(
    'Reported',
    Type.Object(
      {
        message_id: Type.String({ description: 'Id of the message' }),
        reported_at: Instant({ description: 'When' }),
      },
      { title: 'MessageReported', description: 'A message that was reported.' },
    ),
    { message_id: 'msg_01j0000000000000000000000', reported_at: '2026-06-28T01:00:00.000Z' },
    202,
  ),
  errors: [coreErrors.not_found, messageErrors.already_reported],
  handler: async (ctx, { params: named, body: { reason, detail } }) => {
    const reported_at = await report(ctx, named, { reason, detail: checkDetail(detail) });
    return { status: 202, body: { message_id: named.message_id, reported_at } };
  },
});

export const threadRoutes = [
  start,
  get,
  send,
  markRead,
  move('messages.threads.settle', 'no-reply-needed', 'Say that no reply is needed', endWithoutReply, []),
  move('messages.threads.close', 'close', 'Close a thread', close, [messageErrors.reply_expected]),
  move('messages.threads.reopen', 'reopen', 'Open a closed thread again', reopen, [
    messageErrors.thread_locked,
    messageErrors.contact_window_passed,
  ]),
  reportMessage,
];
