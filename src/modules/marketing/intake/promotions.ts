/** What the marketplace decides about promotions. */
import Type, { type Static } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { move, plan, settle } from '../actions/moves.ts';
import { endedBy } from '../domain/promotion.ts';
import { promotionMachine } from '../domain/promotion-machine.ts';
import { type PromotionRow, promotions } from '../store.ts';

const detail = Type.Optional(Nullable(Type.String({ maxLength: 2_000 })));
const Decided = Type.Object({
  decision: StringEnum(['approved', 'rejected']),
  reviewed_version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        '`version` of the promotion that was reviewed, from `promotion.submitted` on; without it `time` decides',
    }),
  ),
  reasons: Type.Optional(
    Type.Array(Type.Object({ code: Type.String({ minLength: 1, maxLength: 64 }), detail }), { maxItems: 50 }),
  ),
});
const Stopped = Type.Object({ reason: StringEnum(['budget', 'policy']), note: detail });

/** Locks the promotion of an event. @throws IntakeRejection `seller_not_found`, `promotion_not_found` */
async function lockNamed(
  intake: IntakeCtx,
  { seller_id, subject }: MarketplaceEvent<unknown>,
): Promise<{ ctx: Acting; row: PromotionRow }> {
  const ctx = await actingForSeller(intake, seller_id, 'sellerid must be the seller of the promotion.');
  const row = await promotions.find(ctx, { promotion_id: subject ?? '' }, 'for update');
  if (row === undefined)
    throw new IntakeRejection('promotion_not_found', 'The seller has no such promotion.');
  return { ctx, row };
}

function requireEvent(event: 'approve' | 'reject' | 'stop', { status }: PromotionRow): void {
  if (!promotionMachine.allows(event, status))
    throw new IntakeRejection('invalid_transition', `The promotion is ${status}.`);
}

/** Whether a decision is about an earlier submission, which may have had other terms. */
function isOvertaken(row: PromotionRow, { data, time }: MarketplaceEvent<Static<typeof Decided>>): boolean {
  const { reviewed_version: reviewed } = data;
  if (reviewed === undefined) return Date.parse(time) < Date.parse(row.submitted_at ?? '');
  if (reviewed > row.version)
    throw new IntakeRejection('version_unknown', `The promotion has no version ${reviewed} yet.`);
  return reviewed < (row.submitted_version ?? 0);
}

const APPLIED: IntakeOutcome = { status: 'applied' };
const STALE: IntakeOutcome = { status: 'stale' };

export const promotionIntake = [
  defineMarketplaceEvent({
    type: 'marketplace.promotion.decided',
    summary: 'The marketplace approves a submitted promotion, or rejects it',
    subject: 'promotion id',
    schema: Decided,
    example: {
      decision: 'rejected',
      reviewed_version: 2,
      reasons: [{ code: 'code_taken', detail: 'Choose another code.' }],
    },
    apply: async (intake, event) => {
      const { decision, reasons = [] } = event.data;
      const { ctx, row } = await lockNamed(intake, event);
      requireEvent(decision === 'approved' ? 'approve' : 'reject', row);
      if (isOvertaken(row, event)) return STALE;
      const said = {
        decision,
        reasons: reasons.map(({ code, detail: text = null }) => ({ code, detail: text })),
      };
      const status = decision === 'approved' ? 'scheduled' : 'draft';
      const after = await move(ctx, row, decision, { status, decision: said });
      for (const instant of decision === 'approved' ? [row.starts_at, row.ends_at] : [])
        await plan(ctx, row, instant);
      await settle(ctx, after);
      return APPLIED;
    },
  }),
  defineMarketplaceEvent({
    type: 'marketplace.promotion.stopped',
    summary: 'The marketplace ends a promotion that is scheduled or running',
    subject: 'promotion id',
    schema: Stopped,
    example: { reason: 'policy', note: 'The code offends.' },
    apply: async (intake, event) => {
      const { reason, note = null } = event.data;
      const { ctx, row } = await lockNamed(intake, event);
      if (row.status === 'ended') return STALE;
      requireEvent('stop', row);
      const at = Math.min(Date.parse(event.time), ctx.now());
      await move(ctx, row, 'ended', endedBy(row, reason, at), { reason, note });
      return APPLIED;
    },
  }),
];
