/** The states of a promotion. Source: docs/design/marketing.md#states. */
import { type Cause, defineMachine, type Transition } from '../../../kernel/machine.ts';

export const PROMOTION_STATUSES = ['draft', 'submitted', 'scheduled', 'running', 'ended'] as const;
export type PromotionStatus = (typeof PROMOTION_STATUSES)[number];
export const END_REASONS = ['time', 'seller', 'policy', 'budget'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** A move and the name of the event that it emits. */
const row = <const E extends string>(
  event: E,
  from: readonly PromotionStatus[],
  to: readonly PromotionStatus[],
  by: Cause,
  name: string | null,
  guard: string | null = null,
): Transition<E, PromotionStatus> => ({
  ...{ event, from, to, by, guard },
  emits: name === null ? [] : [`promotion.${name}`],
});

const LIVE = ['scheduled', 'running'] as const;
const KNOWN = ['submitted', ...LIVE] as const;
const NEWER = 'not from before the submission';

export const promotionMachine = defineMachine({
  name: 'promotion',
  title: 'Promotion that a seller pays for',
  states: PROMOTION_STATUSES,
  rows: [
    row('create', [], ['draft'], 'seller', null, 'at most 100 not ended'),
    row('change', ['draft'], ['draft'], 'seller', null),
    row(
      'submit',
      ['draft'],
      ['submitted'],
      'seller',
      'submitted',
      'starts_at is in the future; no price falls below its floor',
    ),
    row('withdraw', ['submitted'], ['draft'], 'seller', 'withdrawn'),
    row(
      'adjust',
      KNOWN,
      KNOWN,
      'seller',
      'changed',
      'the budget rises or the end comes earlier; the status stays',
    ),
    row('reject', ['submitted'], ['draft'], 'marketplace', 'rejected', NEWER),
    row(
      'approve',
      ['submitted'],
      ['scheduled'],
      'marketplace',
      'approved',
      `${NEWER}; what is due follows at once`,
    ),
    row('start', ['scheduled'], ['running'], 'timer', 'started', 'starts_at'),
    row(
      'exhaust',
      ['running'],
      ['ended'],
      'marketplace',
      'ended',
      'an order brings the discounts to the budget',
    ),
    row('stop', LIVE, ['ended'], 'marketplace', 'ended', 'with its reason: policy or budget'),
    row('expire', LIVE, ['ended'], 'timer', 'ended', 'ends_at'),
    row('end', LIVE, ['ended'], 'seller', 'ended'),
  ],
});
