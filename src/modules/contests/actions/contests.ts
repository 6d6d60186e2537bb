/** Submits contests. The area says what is contested, until when, and with which facts. */
import { checkDetail } from '../../../kernel/contact-data/conversation-text.ts';
import { fail } from '../../../kernel/errors.ts';
import { minorToJson } from '../../../kernel/money.ts';
import { reasonCode } from '../../../kernel/reason-code.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import type { ContestedKind } from '../domain/contest-machine.ts';
import { type Facts, NO_FACTS } from '../domain/facts.ts';
import { contestErrors } from '../errors.ts';
import { contestEvents } from '../events.ts';
import { toWireContest } from '../schemas.ts';
import {
  type ContestRow,
  contests,
  countUndecided,
  lockContests,
  orderParts,
  standingContest,
} from '../store.ts';

const UNDECIDED_MAX = 20;

/** What is contested. */
export interface Contested {
  readonly kind: ContestedKind;
  readonly id: string;
  /** How often it was revised; each revision may be contested once. */
  readonly revision: number;
  /** Milliseconds. */
  readonly contest_until: number;
  readonly facts: Facts;
}
export interface Claimed {
  readonly reason: string;
  readonly detail?: string;
  /** The fact that speaks against the reason. */
  readonly against?: { readonly name: string; readonly value: unknown } | undefined;
}

const lastOf = (instants: readonly (string | null)[]): string | null =>
  instants.includes(null) ? null : (instants.toSorted().at(-1) ?? null);

/** The facts of an order, for the contest to keep. */
export async function factsOfOrder(
  { db, seller_id }: Pick<HandlerCtx, 'db' | 'seller_id'>,
  orderId: string,
): Promise<Facts> {
  const { parcels, steps, returned } = await orderParts(db, seller_id, orderId);
  const dispatched_at = lastOf(parcels.map((one) => one.dispatched_at));
  const dispatch_by = parcels[0]?.dispatch_by ?? null;
  const isKnown = dispatched_at !== null && dispatch_by !== null;
  const ofKind = (kind: string) => returned.filter((one) => one.kind === kind);
  return {
    ...NO_FACTS,
    order_id: orderId,
    dispatch_by,
    dispatched_at,
    dispatched_in_time: isKnown ? Date.parse(dispatched_at) <= Date.parse(dispatch_by) : null,
    delivered_at: lastOf(parcels.map((one) => one.delivered_at)),
    label_bought_here:
      parcels.length === 0 ? null : parcels.every((one) => one.label_id !== null && one.carrier !== 'own'),
    tracking: steps,
    refunds: ofKind('refund').flatMap(({ id, status, amount_minor }) =>
      amount_minor === null ? [] : [{ refund_id: id, status, amount_minor: minorToJson(amount_minor) }],
    ),
    // A buyer's own words would outlive the buyer's erasure.
    returns: ofKind('return').map(({ id, status, reason }) => ({
      ...{ return_id: id, status },
      reason: reasonCode(reason),
    })),
  };
}

/**
 * Submits a contest.
 *
 * @throws ApiError 409 `contest_window_passed`, `contest_exists`, `contest_limit`, `reason_not_applicable`, 422
 */
export async function submitContest(
  ctx: HandlerCtx,
  target: Contested,
  { reason, detail, against }: Claimed,
): Promise<ContestRow> {
  const { kind, id, revision, contest_until, facts } = target;
  if (ctx.now() >= contest_until)
    throw fail(contestErrors.contest_window_passed, {
      facts: { contest_until: new Date(contest_until).toISOString() },
    });
  await lockContests(ctx);
  const standing = await standingContest(ctx, { kind, id, revision });
  if (standing !== undefined)
    throw fail(contestErrors.contest_exists, { facts: { contest_id: standing.contest_id } });
  if ((await countUndecided(ctx)) >= UNDECIDED_MAX)
    throw fail(contestErrors.contest_limit, { facts: { limit: UNDECIDED_MAX } });
  if (against !== undefined) throw fail(contestErrors.reason_not_applicable, { facts: { fact: against } });
  const row: ContestRow = {
    ...{ contest_id: ctx.ids.next('cst_'), ...firstVersion(ctx.at()) },
    ...{ target_kind: kind, target_id: id, target_revision: revision },
    ...{ reason, detail: checkDetail(detail), facts, status: 'submitted' },
    ...{ decided_at: null, decision_code: null, decision_detail: null },
    ...{ known_at: null, known_version: null },
  };
  await contests.insert(ctx, row);
  await ctx.emit(contestEvents.submitted.of(toWireContest(row)));
  return row;
}
