/** Private feedback of buyers. Contact data in it are removed before it is stored. */
import Type, { type Static } from 'typebox';
import { contentDigest, wasAdded } from '../../../kernel/added-once.ts';
import { maskText } from '../../../kernel/contact-data/conversation-text.ts';
import { requireNotFuture } from '../../../kernel/event-order.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import { policyAt } from '../../../platform/service-policy/policies.ts';
import { readKnown } from '../../messages/index.ts';
import { statusOf } from '../actions/change.ts';
import { showFeedback, showOne } from '../actions/show.ts';
import { FEEDBACK_TOPICS } from '../domain/ratings.ts';
import { reviewEvents } from '../events.ts';
import { type FeedbackRow, feedback, feedbackNamed } from '../store/ratings.ts';
import { At, Name, NotStored, warningsOf } from './ratings.ts';
import { actingFor, buyerOf, requireOrder } from './subject.ts';

const TEXT_CHARS_MAX = 4_000;
const Posted = Type.Object({
  feedback_id: Name,
  media: NotStored,
  topic: StringEnum(FEEDBACK_TOPICS),
  text: Type.Optional(Type.String({ maxLength: TEXT_CHARS_MAX })),
  posted_at: Type.Optional(At),
  customer_ref: Type.Optional(Nullable(Name)),
});

async function applyPosted(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Posted>>,
): Promise<IntakeOutcome> {
  const { feedback_id, topic, customer_ref = null, text: given, posted_at = event.time } = event.data;
  requireNotFuture(intake.now(), { 'data/posted_at': posted_at });
  const ctx = await actingFor(intake, event.seller_id);
  const order = await requireOrder(ctx, event);
  const { order_id } = order;
  const outcome: IntakeOutcome = { status: 'applied', warnings: warningsOf({ media: event.data.media }) };
  const at = new Date(posted_at).toISOString();
  // No digest covers a text that is masked.
  const digest = contentDigest({ order_id, topic, posted_at: at });
  const stored = await feedbackNamed(ctx, feedback_id);
  if (wasAdded(stored, digest, `feedback ${feedback_id}`)) return outcome;
  const id = ctx.ids.next('fbk_');
  const buyer = await buyerOf(ctx, order, { id, customer_ref, time: event.time });
  const known = await readKnown(ctx, { order_id }, await policyAt(ctx.db, ctx.now()));
  const { text, masked } = maskText(given ?? '', known);
  const row: FeedbackRow = {
    ...{ feedback_id: id, external_feedback_id: feedback_id, order_id, topic },
    buyer_id: buyer.buyer_id,
    text: buyer.erased || text === '' ? null : text,
    masked: buyer.erased ? [] : masked,
    redacted: buyer.erased ? { reason: 'erasure', at: ctx.at() } : null,
    ...{ posted_at: at, acknowledged_at: null, acknowledged_by: null, status: 'open' },
    ...{ withdrawn_at: null, digest, ...firstVersion(ctx.at()) },
  };
  if (!(await feedback.insert(ctx, row)))
    throw new IntakeRejection('conflict', 'Another event has brought the feedback; send it again.');
  await ctx.emit(reviewEvents.received.of(await showOne(showFeedback, ctx, row)));
  return outcome;
}

const Withdrawn = Type.Object({ feedback_id: Name });

async function applyWithdrawn(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Withdrawn>>,
): Promise<IntakeOutcome> {
  const ctx = await actingFor(intake, event.seller_id);
  await requireOrder(ctx, event);
  const row = await feedbackNamed(ctx, event.data.feedback_id);
  if (row === undefined) throw new IntakeRejection('feedback_not_found', 'The seller has no such feedback.');
  if (row.withdrawn_at !== null) return { status: 'stale' };
  const change = { withdrawn_at: event.time };
  await writeVersion(feedback, ctx, row, { ...change, status: statusOf({ ...row, ...change }, true) });
  return { status: 'applied' };
}

export const feedbackIntake = [
  defineMarketplaceEvent({
    type: 'marketplace.feedback.posted',
    summary: 'A buyer tells the seller something about an order, in private',
    subject: 'order id',
    schema: Posted,
    example: {
      feedback_id: 'fb-1',
      topic: 'delivery',
      text: 'The parcel was wet.',
      posted_at: '2026-07-20T01:00:00Z',
      customer_ref: 'cus_77',
    },
    apply: applyPosted,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.feedback.withdrawn',
    summary: 'A buyer has withdrawn private feedback',
    subject: 'order id',
    schema: Withdrawn,
    example: { feedback_id: 'fb-1' },
    apply: applyWithdrawn,
  }),
];
