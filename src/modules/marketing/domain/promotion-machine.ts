/** The states of a promotion. Source: docs/design/marketing.md#states. */
import { defineMachine, move } from '../../../kernel/machine.ts';

export const PROMOTION_STATUSES = ['draft', 'submitted', 'scheduled', 'running', 'ended'] as const;
export type PromotionStatus = (typeof PROMOTION_STATUSES)[number];
export const END_REASONS = ['time', 'seller', 'policy', 'budget'] as const;
export type EndReason = (typeof END_REASONS)[number];

const LIVE = ['scheduled', 'running'] as const;
const KNOWN = ['submitted', ...LIVE] as const;
const NEWER = 'not from before the submission';

export const promotionMachine = defineMachine({
  name: 'promotion',
  title: 'Promotion that a seller pays for',
  states: PROMOTION_STATUSES,
  rows: [
    move('create', [], 'draft', 'seller', { guard: 'at most 100 not ended' }),
    move('change', 'draft', 'draft', 'seller'),
    move('submit', 'draft', 'submitted', 'seller', {
      guard: 'starts_at is in the future; no price falls below its floor',
      emits: ['promotion.submitted'],
    }),
    move('withdraw', 'submitted', 'draft', 'seller', { emits: ['promotion.withdrawn'] }),
    move('adjust', KNOWN, KNOWN, 'seller', {
      guard: 'the budget rises or the end comes earlier; the status stays',
      emits: ['promotion.changed'],
    }),
    move('reject', 'submitted', 'draft', 'marketplace', { guard: NEWER, emits: ['promotion.rejected'] }),
    move('approve', 'submitted', 'scheduled', 'marketplace', {
      guard: `${NEWER}; what is due follows at once`,
      emits: ['promotion.approved'],
    }),
    move('start', 'scheduled', 'running', 'timer', { guard: 'starts_at', emits: ['promotion.started'] }),
    move('exhaust', 'running', 'ended', 'marketplace', {
      guard: 'an order brings the discounts to the budget',
      emits: ['promotion.ended'],
    }),
    move('stop', LIVE, 'ended', 'marketplace', {
      guard: 'with its reason: policy or budget',
      emits: ['promotion.ended'],
    }),
    move('expire', LIVE, 'ended', 'timer', { guard: 'ends_at', emits: ['promotion.ended'] }),
    move('end', LIVE, 'ended', 'seller', { emits: ['promotion.ended'] }),
  ],
});
