/** What sellers are told about their account. */
import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { currencyExponent, minor, minorToJson } from '../../kernel/money.ts';
import { Nullable } from '../../kernel/schema.ts';
import { StandingFields } from './schemas/fields.ts';
import type { SellerRow, Standing } from './store/seller-row.ts';

const Account = Type.Object(
  {
    seller_id: Type.String(),
    ...StandingFields,
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    reason: Nullable(Type.String({ description: 'What the marketplace gave as its reason' })),
  },
  { title: 'Account' },
);

const example = {
  seller_id: 'slr_01j0000000000000000000000',
  status: 'active',
  verified: true,
  api_access: true,
  plan: 'Small',
  account_flags: ['pricing'],
  hold_days: null,
  min_payout_minor: null,
  currency: 'AUD',
  currency_exponent: 2,
  reason: null,
};

export const sellerEvents = [
  defineEvent({
    type: 'account.suspended',
    summary:
      'The marketplace suspended or closed the account; its tokens are refused, and its endpoints are told when it is back',
    schema: Account,
    example: { ...example, status: 'suspended', reason: 'identity_review' },
  }),
  defineEvent({
    type: 'account.reinstated',
    summary: 'The account is active again',
    schema: Account,
    example,
  }),
  defineEvent({
    type: 'account.health_changed',
    summary: 'Verification, API access, plan, enabled areas or payout terms changed',
    schema: Account,
    example,
  }),
];

export type AccountEventType = 'account.suspended' | 'account.reinstated' | 'account.health_changed';

/** The account as events carry it. */
export function accountObject(
  row: Standing & Pick<SellerRow, 'seller_id' | 'currency'>,
  reason: string | null,
): object {
  return {
    seller_id: row.seller_id,
    status: row.status,
    verified: row.verified,
    api_access: row.api_access,
    plan: row.plan,
    account_flags: row.account_flags,
    hold_days: row.hold_days,
    min_payout_minor: row.min_payout_minor === null ? null : minorToJson(minor(row.min_payout_minor)),
    currency: row.currency,
    currency_exponent: currencyExponent(row.currency),
    reason,
  };
}
