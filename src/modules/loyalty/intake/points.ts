/** Points that the marketplace books. Each transaction is booked once, in any order of arrival. */
import Type, { type Static, type TProperties } from 'typebox';
import { contentDigest, wasAdded } from '../../../kernel/added-once.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { actingForSubject } from '../../../platform/acting-for-seller.ts';
import { ORDER_KINDS, type PointKind } from '../domain/points.ts';
import { loyaltyEvents } from '../events.ts';
import { toWireTransaction } from '../schemas/loyalty.ts';
import { lockLoyalty } from '../store/enrolments.ts';
import {
  earnedBy,
  findOrder,
  type Journal,
  journalNamed,
  journals,
  memberOf,
  redeemedBy,
  sellerCurrency,
  spendable,
} from '../store/points.ts';

/** Sums of points stay below 2^53. */
const POINTS_MAX = 1_000_000_000_000;
const Name = Type.String({ minLength: 1, maxLength: 200 });
const Points = Type.Integer({ minimum: 1, maximum: POINTS_MAX });
const Amount = Type.Integer({ minimum: 0, maximum: POINTS_MAX });
const shared = { transaction_id: Type.Optional(Name), member_ref: Name };
const optional = <T extends TProperties[string]>(schema: T) => Type.Optional(Nullable(schema));
const ofOrder = { points: Points, order_id: Name, funded_minor: Amount };

const SCHEMAS = {
  earned: Type.Object({ ...shared, ...ofOrder }),
  reversed: Type.Object({ ...shared, ...ofOrder, refund_id: optional(Name) }),
  redeemed: Type.Object({
    ...shared,
    points: Points,
    order_id: optional(Name),
    funded_minor: optional(Amount),
  }),
  expired: Type.Object({
    ...shared,
    points: Points,
    order_id: optional(Name),
    funded_minor: optional(Amount),
  }),
  restored: Type.Object({ ...shared, points: Points, redemption_transaction_id: Name }),
  adjusted: Type.Object({
    ...shared,
    points: Type.Integer({ minimum: -POINTS_MAX, maximum: POINTS_MAX, description: 'With their sign' }),
    order_id: optional(Name),
    funded_minor: optional(Type.Integer({ minimum: -POINTS_MAX, maximum: POINTS_MAX })),
    reason: optional(Type.String({ maxLength: 500 })),
  }),
} as const satisfies Readonly<Record<PointKind, unknown>>;

/** The fields of all kinds. */
interface Booking {
  readonly transaction_id?: string;
  readonly member_ref: string;
  readonly points: number;
  readonly order_id?: string | null;
  readonly refund_id?: string | null;
  readonly funded_minor?: number | null;
  readonly redemption_transaction_id?: string;
}

type Draft = Omit<Journal, 'journal_id' | 'digest' | 'posted_on' | 'recorded_at'>;

/** @throws IntakeRejection `points_not_found`, `reversal_exceeds_earned` */
async function requireCovered(ctx: Acting, row: Draft): Promise<void> {
  const { kind, member_id, order_id, points, redemption_transaction_id } = row;
  const refuse = (code: string, detail: string) => new IntakeRejection(code, detail);
  if ((kind === 'redeemed' || kind === 'expired') && points > (await spendable(ctx, member_id)))
    throw refuse('points_not_found', 'The member has not earned so many points of this seller.');
  if (kind === 'restored' && points > (await redeemedBy(ctx, member_id, redemption_transaction_id ?? '')))
    throw refuse('points_not_found', 'The redemption is not known, or has not so many points.');
  if (kind === 'reversed' && points > (await earnedBy(ctx, order_id ?? '')))
    throw refuse('reversal_exceeds_earned', 'The order has not earned so many points.');
}

/** The order of points that belong to one; what a member does elsewhere is stored without it. */
async function orderOfPoints(ctx: Acting, kind: PointKind, named: string | null) {
  if (named === null || !(ORDER_KINDS as readonly string[]).includes(kind)) return undefined;
  const order = await findOrder(ctx, named);
  if (order === undefined) throw new IntakeRejection('order_not_found', 'The seller has no such order.');
  return order;
}

async function book(
  kind: PointKind,
  intake: IntakeCtx,
  event: MarketplaceEvent<Booking>,
): Promise<IntakeOutcome> {
  const { member_ref, points, order_id = null, refund_id = null, funded_minor } = event.data;
  const { transaction_id = `${event.source} ${event.id}`, redemption_transaction_id = null } = event.data;
  const ctx = await actingForSubject(intake, event);
  await lockLoyalty(ctx);
  const order = await orderOfPoints(ctx, kind, order_id);
  const occurred_at = new Date(event.time).toISOString();
  const said = { kind, member_ref, points, order_id: order?.order_id ?? null, refund_id };
  const funded = order === undefined ? 0 : (funded_minor ?? 0);
  const digest = contentDigest({ ...said, redemption_transaction_id, funded });
  const known = await journalNamed(ctx, transaction_id);
  if (wasAdded(known, digest, `transaction ${transaction_id}`)) return { status: 'applied' };
  if (points === 0) throw new IntakeRejection('data_invalid', 'data/points must not be 0');
  const draft: Draft = {
    ...{ transaction_id, kind, refund_id, redemption_transaction_id, occurred_at },
    member_id: await memberOf(ctx, member_ref, ctx.ids.next('lmb_')),
    order_id: order?.order_id ?? null,
    points: BigInt(points),
    funded_minor: BigInt(funded),
    currency: order?.currency ?? (await sellerCurrency(ctx))?.currency ?? 'AUD',
  };
  await requireCovered(ctx, draft);
  const now = { recorded_at: ctx.at(), posted_on: sydneyDate(ctx.now()) };
  const row: Journal = { ...draft, ...now, journal_id: ctx.ids.next('ptx_'), digest };
  await journals.appendMany(ctx, [row]);
  if (order !== undefined) await ctx.emit(loyaltyEvents.booked.of(toWireTransaction(row), { version: 1 }));
  return { status: 'applied' };
}

const SUMMARIES: Readonly<Record<PointKind, string>> = {
  earned: 'A member has earned points on an order of the seller, paid by its loyalty fund',
  redeemed: 'A member has spent points of this seller',
  expired: 'Points of this seller have expired',
  reversed: 'A refund takes points back that its order had earned',
  restored: 'Spent points were given back',
  adjusted: 'The marketplace corrects points; with a sign',
};
const example = { transaction_id: 'pt-1', member_ref: 'mem_1', points: 876 };
const order = { order_id: 'ord_1002', funded_minor: 438 };
const EXAMPLES = {
  earned: { ...example, ...order },
  redeemed: { ...example, transaction_id: 'pt-2', points: 500 },
  expired: { ...example, transaction_id: 'pt-3', points: 100 },
  reversed: { ...example, transaction_id: 'pt-4', ...order, refund_id: 'rf_1' },
  restored: { ...example, transaction_id: 'pt-5', points: 500, redemption_transaction_id: 'pt-2' },
  adjusted: { ...example, transaction_id: 'pt-6', points: -10, reason: 'goodwill' },
} as const satisfies { readonly [K in PointKind]: Static<(typeof SCHEMAS)[K]> };

export const pointsIntake = (Object.keys(SCHEMAS) as PointKind[]).map((kind) =>
  defineMarketplaceEvent({
    type: `marketplace.loyalty.${kind}`,
    summary: SUMMARIES[kind],
    subject: 'seller id',
    schema: SCHEMAS[kind],
    example: EXAMPLES[kind] as never,
    apply: (intake, event) => book(kind, intake, event as MarketplaceEvent<Booking>),
  }),
);
