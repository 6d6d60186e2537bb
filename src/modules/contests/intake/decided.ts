/** `marketplace.contest.decided`: what became of a contest. The area of the target makes it count or not. */
import Type from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { isOlder, orderOf } from '../../../kernel/event-order.ts';
import { type AnyMarketplaceEvent, defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { erasedAtOf, isErasedBy } from '../../../platform/buyers/erasures.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { type ContestedKind, contestMachine } from '../domain/contest-machine.ts';
import { contestEvents } from '../events.ts';
import { toWireContest } from '../schemas.ts';
import { contests } from '../store.ts';

/** What an area does with the decisions about its targets. */
export interface ContestArea {
  readonly kind: ContestedKind;
  /** Makes the target count, or stop counting, unless it was revised since. */
  readonly count: (
    ctx: Acting,
    target: { readonly id: string; readonly revision: number },
    counts: boolean,
  ) => Promise<void>;
}

const MOVES = { under_review: 'take_up', upheld: 'uphold', declined: 'decline' } as const;
const Text = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })));
const Data = Type.Object({
  status: StringEnum(['under_review', 'upheld', 'declined']),
  reason_code: Text(64),
  detail: Text(2_000),
});

export const contestDecided = (areas: readonly ContestArea[]): AnyMarketplaceEvent =>
  defineMarketplaceEvent({
    type: 'marketplace.contest.decided',
    summary: 'The marketplace has taken up a contest, or decided about it; the newest decision holds',
    subject: 'contest id',
    schema: Data,
    example: { status: 'upheld', reason_code: 'carrier_fault', detail: 'The carrier was late.' },
    apply: async (intake, event) => {
      const { status, reason_code = null, detail = null } = event.data;
      const ctx = await actingForSeller(
        intake,
        event.seller_id,
        'sellerid must be the seller of the contest.',
      );
      const row = await contests.find(ctx, { contest_id: event.subject ?? '' }, 'for update');
      if (row === undefined)
        throw new IntakeRejection('contest_not_found', 'The seller has no such contest.');
      if (status === 'declined' && reason_code === null)
        throw new IntakeRejection('data_invalid', 'data/reason_code says why the contest is declined');
      const order = orderOf(event);
      if (isOlder(order, { at: row.known_at, version: row.known_version })) return { status: 'stale' };
      if (!contestMachine.allows(MOVES[status], row.status))
        throw new IntakeRejection('invalid_transition', `The contest is ${row.status}.`);
      const isDecision = status !== 'under_review';
      const erasedAt = await erasedAtOf(ctx, [row.contest_id, row.target_id]);
      const decision_detail = isErasedBy(event.time, erasedAt) ? null : detail;
      const after = await writeVersion(contests, ctx, row, {
        status,
        known_at: order.at,
        known_version: order.version,
        ...(isDecision && { decided_at: order.at, decision_code: reason_code, decision_detail }),
      });
      if (!isDecision) return { status: 'applied' };
      const area = areas.find(({ kind }) => kind === row.target_kind);
      await area?.count(ctx, { id: row.target_id, revision: row.target_revision }, status === 'declined');
      await ctx.emit(contestEvents.decided.of(toWireContest(after)));
      return { status: 'applied' };
    },
  });
