/** What the demo marketplace and its buyers answer to what a seller says. A word in the text asks for a refusal. */
import type { OutboxEvent } from '../../src/marketplace/store/outbox-events.ts';
import { isObject, type Json, textOf as text } from '../shop-owner.ts';

const SECOND = 1_000;
/** What a seller said longer ago was answered by an earlier run. */
const RECENT_MS = 600 * SECOND;

interface Answer {
  readonly afterMs: number;
  readonly type: string;
  readonly subject: string;
  readonly data: object;
}

/** Moderation of a message: one with the word "moderate" is held, then rejected. The buyer asks on after another one. */
function moderated(object: Json): Answer[] {
  const message = isObject(object['message']) ? object['message'] : {};
  const decide = (afterMs: number, decision: string, reasons: readonly string[]): Answer => ({
    ...{ afterMs, type: 'message.moderated', subject: text(message['message_id']) },
    data: { decision, reasons },
  });
  if (text(message['text']).includes('moderate'))
    return [decide(SECOND, 'held', []), decide(10 * SECOND, 'rejected', ['off_topic'])];
  const again = { message_id: `reply-${text(message['message_id'])}`, sent_at: message['recorded_at'] };
  const data = { ...again, text: 'Thank you. Would another one be here by Friday?' };
  const asks = { afterMs: 5 * SECOND, type: 'message.received', subject: text(object['thread_id']), data };
  return [decide(SECOND, 'delivered', []), asks];
}

/** The marketplace replies to a request and resolves it. */
function resolved(object: Json): Answer[] {
  const subject = text(object['ticket_id']);
  if (object['kind'] !== 'seller_request') return [];
  const reply = { reply_id: `reply-${subject}`, author: 'marketplace', text: 'We have looked into it.' };
  return [
    { afterMs: 5 * SECOND, type: 'ticket.replied', subject, data: { ...reply, waiting_on: 'marketplace' } },
    {
      ...{ afterMs: 20 * SECOND, type: 'ticket.updated', subject },
      data: { status: 'resolved', resolution: 'solved' },
    },
  ];
}

/** A FAQ with the word "reject" is rejected. */
function decided(object: Json): Answer[] {
  const isBad = `${text(object['question'])} ${text(object['answer'])}`.includes('reject');
  const reasons = isBad ? [{ code: 'unclear', detail: 'Say what buyers want to know.' }] : [];
  const data = { version: object['submitted_version'], decision: isBad ? 'rejected' : 'live', reasons };
  return [{ afterMs: 3 * SECOND, type: 'faq.decided', subject: text(object['faq_id']), data }];
}

/** A buyer asks about the first product that the marketplace approves. */
function asked({ object_id, created_at }: OutboxEvent, isFirst: boolean): Answer[] {
  const data = {
    ...{ message_id: `question-${object_id}`, topic: 'item', sent_at: created_at },
    text: 'Is it in stock, and when would it arrive in Hobart?',
  };
  return isFirst ? [{ afterMs: 15 * SECOND, type: 'message.received', subject: object_id, data }] : [];
}

/**
 * @param object the object of the event
 * @param isFirst whether it tells of the first product of a new seller that the marketplace approves
 */
export function answersTo(event: OutboxEvent, object: Json, isFirst: boolean, now: number): Answer[] {
  if (Date.parse(event.created_at) < now - RECENT_MS) return [];
  if (event.type === 'message.sent') return moderated(object);
  if (event.type === 'ticket.opened') return resolved(object);
  if (event.type === 'faq.submitted') return decided(object);
  return asked(event, isFirst);
}
