/** Events of accounts. */
import Type, { type Static } from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { currencyExponent, jsonOrNull } from '../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { TAX_ID_CHECKS } from './domain/classify-tax-id.ts';
import { StandingFields } from './schemas/fields.ts';
import { Roles } from './schemas/member.ts';
import { AbnStatus } from './schemas/register.ts';
import { BusinessNumberVerdict, VERIFICATION_EXAMPLE } from './schemas/verification.ts';
import type { SellerRow, Standing } from './store/seller-row.ts';

const Account = Type.Object(
  {
    seller_id: Type.String(),
    ...StandingFields,
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    reason: Nullable(Type.String({ description: 'What the marketplace gave as its reason' })),
  },
  { title: 'SellerAccount', description: 'The standing of the seller with the marketplace.' },
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

/** Where the seller sees its account. */
const ME = '/sellers/me';

/** The events of an account by their types. */
export const accountEvents = {
  'account.suspended': defineEvent({
    type: 'account.suspended',
    summary:
      'The marketplace suspended or closed the account; its tokens are refused, and its endpoints get their events when it is active again',
    schema: Account,
    id: 'seller_id',
    example: { ...example, status: 'suspended', reason: 'identity_review' },
    notification: {
      severity: 'critical',
      href: ME,
      title: 'Your account is {status}. Reason of the marketplace: {reason}',
    },
  }),
  'account.reinstated': defineEvent({
    type: 'account.reinstated',
    summary: 'The account is active again',
    schema: Account,
    id: 'seller_id',
    example,
    notification: { severity: 'info', href: ME, title: 'Your account is active again' },
  }),
  'account.health_changed': defineEvent({
    type: 'account.health_changed',
    summary: 'Verification, API access, plan, enabled areas or payout terms changed',
    schema: Account,
    id: 'seller_id',
    example,
    notification: {
      severity: 'info',
      href: ME,
      title: 'The marketplace has changed your account; its plan is {plan}',
    },
  }),
};

/** The marketplace gets the seller's id from this event. It needs the id to decide about the seller's standing. */
export const sellerRegistered = defineEvent({
  type: 'seller.registered',
  summary: 'An identity of the marketplace has registered as a seller',
  schema: Type.Object({
    seller_id: Type.String(),
    business_name: Type.String(),
    tax_id: Type.String(),
    tax_id_check: StringEnum(TAX_ID_CHECKS),
    subject: Type.String({ description: 'The identity, as the marketplace names it' }),
    email: Nullable(Type.String()),
  }),
  id: 'seller_id',
  example: {
    seller_id: 'slr_01j0000000000000000000000',
    business_name: 'Blue Mugs',
    tax_id: '51824753556',
    tax_id_check: 'abn_valid',
    subject: '0b5f5c1e-6f3a-4a51-9d0e-3a2f5f0c8a52',
    email: 'owner@example.com',
  },
  marketplace: true,
  sellers: false,
});

/** The marketplace learns the id of a seller that it has provided by its tax identifier. */
export const sellerCreated = defineEvent({
  type: 'seller.provisioned',
  summary: 'The seller that the marketplace has provided exists and waits for its identity to register',
  schema: Type.Object({
    seller_id: Type.String(),
    business_name: Type.String(),
    tax_id: Type.String(),
    tax_id_check: StringEnum(TAX_ID_CHECKS),
  }),
  id: 'seller_id',
  example: {
    seller_id: 'slr_01j0000000000000000000000',
    business_name: 'Blue Mugs',
    tax_id: '51824753556',
    tax_id_check: 'abn_valid',
  },
  marketplace: true,
  sellers: false,
});

/** Carries the secret of the link that the marketplace sends to the invited person: no seller may read it. */
export const memberInvited = defineEvent({
  type: 'seller.member_invited',
  summary:
    'A seller has invited a person; the marketplace sends a link that leads to `POST /auth/invitations/{token}/accept`',
  schema: Type.Object({
    member_id: Type.String(),
    seller_id: Type.String(),
    business_name: Type.String(),
    subject: Nullable(
      Type.String({ description: 'The only identity that may accept; null: any one with the address' }),
    ),
    email: Nullable(
      Type.String({ description: 'Where to send the link; null: the address of the identity' }),
    ),
    roles: Roles,
    invited_by: Type.String({ description: 'Member who invited' }),
    token: Type.String({ description: 'Part of the link; keep it out of logs' }),
    expires_at: Instant({ description: 'Until when the invitation can be accepted' }),
  }),
  id: 'member_id',
  example: {
    member_id: 'mbr_01j0000000000000000000000',
    seller_id: 'slr_01j0000000000000000000000',
    business_name: 'Blue Mugs',
    subject: null,
    email: 'kim@example.com',
    roles: ['finance'],
    invited_by: 'mbr_01h0000000000000000000000',
    token: 'T0K3N-0f-the-link-43-characters-of-base64url',
    expires_at: '2026-07-05T01:00:00.000Z',
  },
  marketplace: true,
  sellers: false,
});

const { register: answer, verdict, verified_at } = VERIFICATION_EXAMPLE.abn;
export const businessNumberChanged = defineEvent({
  type: 'seller.business_number_changed',
  summary: 'What the business register says about the ABN of the seller has changed',
  schema: Type.Object(
    {
      seller_id: Type.String(),
      abn: Type.String({ description: 'The number that was checked' }),
      verdict: BusinessNumberVerdict,
      abn_status: Nullable(AbnStatus),
      entity_name: Nullable(Type.String({ description: 'Legal name in the register' })),
      gst_registered: Nullable(Type.Boolean({ description: 'A fact of the register; null: not known' })),
      verified_at: Nullable(Instant({ description: 'When the register answered' })),
    },
    { title: 'BusinessNumberFacts', description: 'The facts of the register that are compared.' },
  ),
  id: 'seller_id',
  example: {
    seller_id: 'slr_01j0000000000000000000000',
    abn: '51824753556',
    ...{ verdict, abn_status: answer.abn_status, entity_name: answer.entity_name },
    ...{ gst_registered: answer.gst_registered, verified_at },
  },
  notification: {
    severity: 'info',
    href: '/sellers/me/business',
    critical: { abn_status: 'cancelled' },
    title: 'The business register was asked about your ABN {abn}: {verdict}, {abn_status}',
  },
  marketplace: true,
});

export const sellerEvents = [
  businessNumberChanged,
  ...Object.values(accountEvents),
  sellerRegistered,
  sellerCreated,
  memberInvited,
];

/** The account in events. */
export function accountObject(
  row: Standing & Pick<SellerRow, 'seller_id' | 'currency'>,
  reason: string | null,
): Static<typeof Account> {
  const { seller_id, status, verified, api_access, plan, hold_days, min_payout_minor, currency } = row;
  return {
    seller_id,
    status,
    verified,
    api_access,
    plan,
    account_flags: [...row.account_flags],
    hold_days,
    min_payout_minor: jsonOrNull(min_payout_minor),
    currency,
    currency_exponent: currencyExponent(currency),
    reason,
  };
}
