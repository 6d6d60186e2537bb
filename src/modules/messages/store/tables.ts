import type { ContactKind } from '../../../kernel/contact-data/inspect-text.ts';
import {
  bigint,
  boolean,
  date,
  instant,
  integer,
  json,
  nullable,
  text,
  textOf,
  texts,
  textsOf,
} from '../../../platform/db/columns.ts';
import { defineTable, type RowIn } from '../../../platform/db/table.ts';
import type { MessageStatus, Origin, ThreadState } from '../domain/machines.ts';
import type { Outcome } from '../domain/turns.ts';

export const threads = defineTable('message_thread', 'thread_id', {
  external_thread_id: nullable(text),
  order_id: nullable(text),
  product_id: nullable(text),
  buyer_id: nullable(text),
  erased_at: nullable(instant),
  topic: text,
  state: textOf<ThreadState>(),
  locked: boolean,
  message_count: integer,
  unread_count: integer,
  sent_in_row: integer,
  turn_no: integer,
  missed: boolean,
  last_message_at: instant,
  respond_by: nullable(instant),
  next_due_at: nullable(instant),
  previous_thread_id: nullable(text),
  closed_at: nullable(instant),
  closed_by: nullable(textOf<'seller' | 'marketplace'>()),
  asked_at: nullable(instant),
  heard_at: nullable(instant),
  closed_upto: nullable(instant),
  state_at: nullable(instant),
  state_version: nullable(bigint),
});
export type ThreadRow = RowIn<typeof threads>;

export interface Redacted {
  readonly reason: 'erasure' | 'retention';
  readonly at: string;
}

export const messages = defineTable('thread_message', ['message_id'], {
  message_id: text,
  thread_id: text,
  external_message_id: nullable(text),
  origin: textOf<Origin>(),
  member_id: nullable(text),
  text: nullable(text),
  masked: textsOf<ContactKind>(),
  redacted: nullable(json<Redacted>()),
  attachment_ids: texts,
  status: textOf<MessageStatus>(),
  reasons: texts,
  unread: boolean,
  ended_turn: nullable(integer),
  reported_at: nullable(instant),
  content_digest: nullable(text),
  decided_at: nullable(instant),
  decided_version: nullable(bigint),
  sent_at: instant,
  recorded_at: instant,
});
export type MessageRow = RowIn<typeof messages>;

export const turns = defineTable('thread_turn', ['thread_id', 'turn_no'], {
  thread_id: text,
  turn_no: integer,
  opened_at: instant,
  opened_on: date,
  policy_version: text,
  target_minutes: integer,
  warn_at: nullable(instant),
  respond_by: instant,
  overdue_at: nullable(instant),
  ended_at: nullable(instant),
  outcome: textOf<Outcome>(),
  business_minutes: nullable(integer),
});
export type TurnRow = RowIn<typeof turns>;
