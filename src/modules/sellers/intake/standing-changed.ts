/** `marketplace.seller.standing_changed`: the marketplace decides which sellers may trade, on which plan and terms. */

import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { isOlder } from '../../../kernel/event-order.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { PLANS } from '../../../kernel/plans.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { standingEvent } from '../domain/standing-event.ts';
import { accountEvents, accountObject } from '../events.ts';
import { SELLER_STATUSES } from '../schemas/fields.ts';
import {
  findSeller,
  type SellerRow,
  type Standing,
  type StandingOrder,
  writeStanding,
} from '../store/seller-row.ts';

/** Ten years. A larger number of days is a mistake. */
const HOLD_DAYS_MAX = 3_650;
/** Below 2^53, as every amount on the wire. */
const MINOR_MAX = 1_000_000_000_000_000;

const Data = Type.Object({
  verified: Type.Optional(Type.Boolean()),
  api_access: Type.Optional(Type.Boolean()),
  plan: Type.Optional(StringEnum(PLANS)),
  status: Type.Optional(StringEnum(SELLER_STATUSES)),
  account_flags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 100,
      description: 'All enabled areas by their module names; replaces the list',
    }),
  ),
  hold_days: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: HOLD_DAYS_MAX }))),
  min_payout_minor: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: MINOR_MAX }))),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
});
type StandingData = Static<typeof Data>;

/** An absent field keeps its value. */
function standingAfter(row: SellerRow, data: StandingData): Standing {
  const { min_payout_minor: payout } = data;
  return {
    status: data.status ?? row.status,
    verified: data.verified ?? row.verified,
    api_access: data.api_access ?? row.api_access,
    plan: data.plan ?? row.plan,
    account_flags:
      data.account_flags === undefined ? row.account_flags : [...new Set(data.account_flags)].sort(),
    hold_days: data.hold_days === undefined ? row.hold_days : data.hold_days,
    min_payout_minor: payout === undefined ? row.min_payout_minor : payout === null ? null : minor(payout),
  };
}

const standingOf = ({
  status,
  verified,
  api_access,
  plan,
  account_flags,
  hold_days,
  min_payout_minor,
}: Standing): Standing => ({
  status,
  verified,
  api_access,
  plan,
  account_flags,
  hold_days,
  min_payout_minor,
});

/** The previous values of the changed fields. */
function previousOf(before: Standing, after: Standing): object {
  const changed = Object.entries(before).filter(
    ([field, value]) => !isDeepStrictEqual(value, after[field as keyof Standing]),
  );
  return Object.fromEntries(
    changed.map(([field, value]) => [field, typeof value === 'bigint' ? minorToJson(minor(value)) : value]),
  );
}

/** The seller that `subject` or `sellerid` names. */
export function sellerIdOf({
  subject,
  seller_id,
}: Pick<MarketplaceEvent<unknown>, 'subject' | 'seller_id'>): string {
  const named = subject ?? seller_id;
  if (named === null) throw new IntakeRejection('data_invalid', 'subject must name the seller');
  if (seller_id !== null && seller_id !== named)
    throw new IntakeRejection('data_invalid', 'subject and sellerid name different sellers');
  return named;
}

/**
 * Applies a decision about a locked row, unless a later one was applied before. It takes effect with the next request,
 * even if the token of that request is older.
 */
export async function decideStanding(
  ctx: Acting,
  row: SellerRow,
  order: StandingOrder,
  data: StandingData,
): Promise<IntakeOutcome> {
  if (isOlder(order, { at: row.standing_at, version: row.standing_version })) return { status: 'stale' };
  const before = standingOf(row);
  const after = standingAfter(row, data);
  await writeStanding(ctx, after, order);
  const previous = previousOf(before, after);
  if (Object.keys(previous).length > 0) {
    const account = accountObject({ ...row, ...after }, data.reason ?? null);
    const changed = accountEvents[standingEvent(before, after)];
    await ctx.emit(changed.of(account, { version: row.version + 1, previous }));
  }
  return { status: 'applied' };
}

async function applyStanding(
  intake: IntakeCtx,
  event: MarketplaceEvent<StandingData>,
): Promise<IntakeOutcome> {
  const ctx = intake.acting(sellerIdOf(event));
  const row = await findSeller(ctx, true);
  if (row === undefined) throw new IntakeRejection('seller_not_found', 'There is no such seller.');
  return decideStanding(ctx, row, { at: event.time, version: event.object_version }, event.data);
}

export const standingChanged = defineMarketplaceEvent({
  type: 'marketplace.seller.standing_changed',
  summary:
    'Verification, API access, plan, status, enabled areas or payout terms of a seller; every field optional',
  subject: 'seller id',
  schema: Data,
  example: { verified: true, api_access: true, plan: 'Small', status: 'active', account_flags: ['pricing'] },
  apply: applyStanding,
});
