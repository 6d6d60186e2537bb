import { defineErrors } from '../../kernel/errors.ts';

export const messageErrors = defineErrors({
  thread_exists: {
    status: 409,
    detail: 'There is an open thread with the buyer of this order; reply in it.',
    facts: { thread_id: 'thr_01j0000000000000000000000' },
  },
  thread_locked: {
    status: 409,
    detail: 'The marketplace has locked this thread; contact the marketplace.',
  },
  awaiting_buyer_reply: {
    status: 409,
    detail: 'You have sent three messages in a row; wait for the buyer to answer.',
    facts: { limit: 3 },
  },
  contact_window_passed: {
    status: 409,
    detail: 'The order or the thread ended too long ago; the buyer can still write to you.',
    facts: { contact_until: '2026-09-26T01:00:00.000Z' },
  },
  reply_expected: {
    status: 409,
    detail: 'The buyer waits for an answer: reply, or say that none is needed, then close.',
    facts: { respond_by: '2026-04-07T05:00:00.000Z' },
  },
  already_reported: {
    status: 409,
    detail: 'This message was reported before.',
    facts: { reported_at: '2026-06-28T01:00:00.000Z' },
  },
});
