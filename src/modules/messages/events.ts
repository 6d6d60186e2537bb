import { defineEvent } from '../../kernel/events.ts';
import { NOTICE_EXAMPLE, SENT_EXAMPLE, ThreadNotice } from './schemas.ts';

const base = { schema: ThreadNotice, id: 'thread_id', example: NOTICE_EXAMPLE } as const;
/** Titles are stored, so they name no buyer: an erasure does not change them. */
const about = '{subject.kind} {subject.order_id|subject.product_id}';
/** What is done when the seller has answered. */
const ANSWERED = ['message.received', 'thread.response_due', 'thread.response_overdue'];
const sent = { ...NOTICE_EXAMPLE, message: SENT_EXAMPLE };
const alone = { ...NOTICE_EXAMPLE, message: null };

export const messageReceived = defineEvent({
  ...base,
  type: 'message.received',
  summary: 'A buyer or the marketplace has written',
  notification: { severity: 'info', title: `New message about ${about}` },
});
export const messageSent = defineEvent({
  ...base,
  type: 'message.sent',
  summary: 'The seller has written; the marketplace delivers the message',
  example: sent,
  marketplace: true,
  clears: { types: ANSWERED },
});
export const messageStatusChanged = defineEvent({
  ...base,
  type: 'message.status_changed',
  summary: 'The marketplace has delivered, held, rejected or removed a message',
  example: { ...sent, message: { ...SENT_EXAMPLE, status: 'rejected', reasons: ['contact_information'] } },
  notification: {
    severity: 'warning',
    where: { 'message.status': 'rejected' },
    title: `The marketplace has rejected your message about ${about}`,
  },
});
export const messageReported = defineEvent({
  ...base,
  type: 'message.reported',
  summary: 'The seller has reported a message to the marketplace',
  example: { ...NOTICE_EXAMPLE, report: { reason: 'abuse', detail: null } },
  marketplace: true,
});
export const threadUpdated = defineEvent({
  ...base,
  type: 'thread.updated',
  summary: 'A thread was closed, reopened or locked, or needs no reply',
  example: alone,
  // What the marketplace did itself does not go back to it.
  marketplace: { changed_by: 'seller' },
  clears: { types: ANSWERED, where: { waiting_on: 'nobody' } },
});
export const responseDue = defineEvent({
  ...base,
  type: 'thread.response_due',
  summary: 'Five sixths of the time for an answer have passed',
  example: alone,
  notification: { severity: 'warning', title: `Answer the message about ${about} by {respond_by}` },
});
export const responseOverdue = defineEvent({
  ...base,
  type: 'thread.response_overdue',
  summary: 'The time for an answer has passed',
  example: alone,
  marketplace: true,
  notification: {
    severity: 'critical',
    title: `The answer about ${about} is overdue since {respond_by}`,
  },
});

export const messageEvents = [
  messageReceived,
  messageSent,
  messageStatusChanged,
  messageReported,
  threadUpdated,
  responseDue,
  responseOverdue,
];
