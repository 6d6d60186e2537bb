/** Threads and messages as the API shows them. Source: docs/design/conversations.md#threads. */
import Type, { type Static } from 'typebox';
import { CLOCK_EXAMPLE, clockFields } from '../../kernel/australia/service-clock.ts';
import { TEXT_CHARS_MAX } from '../../kernel/contact-data/conversation-text.ts';
import { Redacted } from '../../kernel/contact-data/redacted.ts';
import { described, Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { trackedExample, trackedSchema } from '../../kernel/tracked.ts';
import {
  ATTACHMENT_EXAMPLE,
  Attachment,
  AttachmentIds,
} from '../../platform/attachments/attachment-schema.ts';
import { BUYER_EXAMPLE, Buyer } from '../../platform/buyers/buyers.ts';
import { MESSAGE_STATUSES, ORIGINS } from './domain/machines.ts';
import { OUTCOMES } from './domain/turns.ts';

const TOPICS = ['delivery', 'item', 'return', 'invoice', 'delay', 'other'] as const;
const THREAD_ACTIONS = ['reply', 'no_reply_needed', 'close', 'reopen'] as const;
const ID = 64;

export const TurnOutcome = StringEnum(OUTCOMES, {
  title: 'TurnOutcome',
  description: 'How the turn ended',
});
const Turn = Type.Object(
  {
    turn_no: Type.Integer({ description: 'Number of the turn in its thread, from 1' }),
    opened_at: Instant({ description: 'When the message was recorded that the seller must answer' }),
    ended_at: Nullable(Instant({ description: 'When it was answered or ended; null: it is open' })),
    outcome: TurnOutcome,
    ...clockFields,
  },
  { title: 'MessageTurn', description: 'One obligation to answer, with its clock.' },
);

export const ThreadStatus = StringEnum(['open', 'closed'], {
  title: 'ThreadStatus',
  description: 'Whether it is closed',
});
export const ThreadWaitingOn = StringEnum(['seller', 'buyer', 'nobody'], {
  title: 'ThreadWaitingOn',
  description: '`seller`: a turn is open',
});
const ThreadAction = StringEnum(THREAD_ACTIONS, {
  title: 'ThreadAction',
  description: 'What the seller can do with a thread',
});

const threadFields = {
  subject: Type.Object(
    {
      kind: StringEnum(['order', 'product'], { description: 'What the thread is about' }),
      order_id: Nullable(Type.String({ description: 'Id of the order, `ord_…`' })),
      product_id: Nullable(Type.String({ description: 'Id of the product, `prd_…`' })),
    },
    { title: 'ThreadSubject', description: 'The order or product that the thread is about.' },
  ),
  buyer: Nullable(Buyer),
  topic: Type.String({ description: 'What the buyer or the seller has chosen' }),
  status: ThreadStatus,
  locked: Type.Boolean({ description: 'The marketplace lets the seller send nothing here' }),
  waiting_on: ThreadWaitingOn,
  unread_count: Type.Integer({ description: 'Messages that the seller has not read' }),
  message_count: Type.Integer({ description: 'All messages' }),
  last_message_at: Instant({ description: 'When the newest message was recorded' }),
  respond_by: Nullable(Instant({ description: 'Deadline of the open turn; null: none is open' })),
  turn: Nullable(Turn),
  previous_thread_id: Nullable(
    Type.String({ description: 'The thread that this one continues after its window; null: none' }),
  ),
  closed_at: Nullable(Instant({ description: 'When it was closed; null: it is open' })),
};
const NAMED = { kind: 'thr_', one: 'thread' } as const;
const ThreadFacts = trackedSchema('thread_id', { ...NAMED, title: 'ThreadFacts' }, threadFields);
export type ThreadFacts = Static<typeof ThreadFacts>;
export const Thread = trackedSchema(
  'thread_id',
  { ...NAMED, title: 'Thread', description: 'A conversation between one buyer and the seller.' },
  {
    ...threadFields,
    allowed_actions: Type.Array(ThreadAction, {
      description: 'What the seller can do with the thread now',
    }),
  },
);
export type Thread = Static<typeof Thread>;

export const Message = Type.Object(
  {
    message_id: Type.String({ description: 'Id of the message, `msg_…`' }),
    thread_id: Type.String({ description: 'Id of the thread, `thr_…`' }),
    origin: StringEnum(ORIGINS, { description: '`automatic`: the marketplace sent it for the seller' }),
    member_id: Nullable(
      Type.String({ description: 'Team member who wrote it; null for messages of others' }),
    ),
    text: Nullable(Type.String({ description: 'Plain text; null once it is redacted' })),
    masked: Type.Array(StringEnum(['email', 'phone', 'url', 'payment_card']), {
      description: 'Kinds of contact data that were removed from the text before it was stored',
    }),
    redacted: Nullable(described('Null while the text is kept', Redacted)),
    status: StringEnum(MESSAGE_STATUSES, {
      title: 'MessageStatus',
      description: '`queued`: on its way to the marketplace; `held`: the marketplace reviews it',
    }),
    reasons: Type.Array(Type.String(), { description: 'Why the marketplace held, rejected or removed it' }),
    attachments: Type.Array(Attachment, { description: 'Its files' }),
    sent_at: Instant({ description: 'When it was sent, as its sender says' }),
    recorded_at: Instant(),
  },
  { title: 'Message', description: 'One message of a thread.' },
);
export type Message = Static<typeof Message>;

export const ThreadStarted = Type.Object(
  { ...Thread.properties, message: Message },
  { title: 'ThreadStarted', description: 'A new thread with its first message.' },
);

const Report = Type.Object(
  {
    reason: Type.String({ description: 'Why the seller has reported the message' }),
    detail: Nullable(Type.String({ description: 'What the seller says about it' })),
  },
  { title: 'MessageReport', description: 'What the seller has reported.' },
);
/** Objects of events: the thread, with the message beside it. */
export const ThreadNotice = Type.Object(
  {
    ...ThreadFacts.properties,
    message: Nullable(Message),
    report: Nullable(Report),
    changed_by: StringEnum(['seller', 'marketplace', 'system'], { description: 'Who caused the event' }),
  },
  { title: 'ThreadNotice', description: 'A thread, and the message that the event is about.' },
);
export type ThreadNotice = Static<typeof ThreadNotice>;

const text = () =>
  Type.String({
    maxLength: 2 * TEXT_CHARS_MAX,
    description: `Plain text with up to ${TEXT_CHARS_MAX} characters and no contact data`,
  });
export const StartInput = Type.Object(
  {
    order_id: Type.String({ maxLength: ID }),
    topic: StringEnum(TOPICS, { description: 'What it is about' }),
    text: text(),
    attachment_ids: AttachmentIds,
  },
  { title: 'ThreadInput', description: 'The first message of a new thread.' },
);
export const ReplyInput = Type.Object(
  {
    text: text(),
    attachment_ids: AttachmentIds,
    close: Type.Optional(Type.Boolean({ description: 'Closes the thread after the message' })),
  },
  { title: 'MessageInput', description: 'A message to the buyer.' },
);
export type ReplyInput = Static<typeof ReplyInput>;

export const MESSAGE_EXAMPLE: Message = {
  message_id: 'msg_01j0000000000000000000000',
  thread_id: 'thr_01j0000000000000000000000',
  ...{ origin: 'buyer', member_id: null, text: 'Where is my parcel? Ring me at [phone removed]' },
  ...{ masked: ['phone'], redacted: null, status: 'received', reasons: [] },
  attachments: [ATTACHMENT_EXAMPLE],
  sent_at: '2026-04-02T03:59:00.000Z',
  recorded_at: '2026-04-02T04:00:00.000Z',
};
export const SENT_EXAMPLE: Message = {
  ...MESSAGE_EXAMPLE,
  ...{ origin: 'seller', member_id: 'mbr_01j0000000000000000000000', text: 'It left today.', masked: [] },
  ...{ status: 'queued', attachments: [] },
};

export const THREAD_EXAMPLE: Thread = trackedExample('thread_id', 'thr_', {
  subject: { kind: 'order' as const, order_id: 'ord_1002', product_id: null },
  buyer: BUYER_EXAMPLE,
  topic: 'delivery',
  status: 'open' as const,
  locked: false,
  waiting_on: 'seller' as const,
  unread_count: 1,
  message_count: 1,
  last_message_at: '2026-04-02T04:00:00.000Z',
  respond_by: '2026-04-07T05:00:00.000Z',
  turn: {
    turn_no: 1,
    opened_at: '2026-04-02T04:00:00.000Z',
    ended_at: null,
    outcome: 'open' as const,
    ...CLOCK_EXAMPLE,
  },
  previous_thread_id: null,
  closed_at: null,
  allowed_actions: ['reply' as const, 'no_reply_needed' as const],
});
const { allowed_actions: _, ...facts } = THREAD_EXAMPLE;
export const NOTICE_EXAMPLE: ThreadNotice = {
  ...facts,
  message: MESSAGE_EXAMPLE,
  report: null,
  changed_by: 'marketplace',
};
