/** Writes a decision about a delivery, in the transaction of its effect. */
import type { Acting } from '../../../kernel/context.ts';
import { recordActivity } from '../../../platform/audit/record-activity.ts';
import type { DeliveryStatus } from '../domain/delivery-words.ts';
import { type DeliveryRow, decide, type Outcome } from '../store/deliveries.ts';
import type { IssueKey } from '../store/issues.ts';
import { dropSame } from '../store/repeated-bodies.ts';
import { resolveIssue } from './issues.ts';

/** Decisions that are kept, however often the same body comes. */
const CHANGED: readonly DeliveryStatus[] = ['applied', 'recorded'];

export const notApplied = (channel_id: string, external_key: string): IssueKey => ({
  ...{ channel_id, kind: 'not_applied', external_key },
});

/** Writes a change into the seller's activity log, except for orders of a store, which change nothing else. */
async function log(ctx: Acting, { channel_id, topic }: DeliveryRow, outcome: Outcome): Promise<void> {
  const { changes = [], decision: { deleted_orders } = {} } = outcome;
  if (changes.length === 0 && deleted_orders === undefined) return;
  await recordActivity(ctx, {
    ...{ actor_kind: 'channel', actor_id: channel_id, action: topic, result: 'done' },
    ...{ target_type: 'channel', target_id: channel_id },
    changed_fields: [...new Set(changes.map(({ field }) => field))],
    ...(deleted_orders !== undefined && { counts: { deleted_orders } }),
  });
}

export async function conclude(ctx: Acting, delivery: DeliveryRow, outcome: Outcome): Promise<void> {
  const { delivery_id, channel_id, object_key, origin } = delivery;
  const { status } = outcome;
  await Promise.all([
    decide(ctx, delivery_id, ctx.at(), outcome),
    origin === 'webhook' && !CHANGED.includes(status) && dropSame(ctx, delivery, status),
    log(ctx, delivery, outcome),
    status === 'recorded' && resolveIssue(ctx, notApplied(channel_id, object_key), 'later_delivery_passed'),
  ]);
}
