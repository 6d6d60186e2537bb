import Type, { type Static } from 'typebox';
import { SETTLEMENT_SCHEDULES } from '../../../kernel/australia/settlement-period.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { waitingFields } from '../../../kernel/waiting.ts';
import { Money, moneyOf } from '../../reconciliation/index.ts';
import { HOLD_REASONS } from '../../settlements/index.ts';
import { ACCOUNT_STATUSES, DUE, GROUPS } from '../domain/account-status.ts';

const text = (description: string) => Nullable(Type.String({ description }));
const instant = (description: string) => Nullable(Instant({ description }));

export const Requirement = Type.Object(
  {
    code: StringEnum([...HOLD_REASONS, 'provider_requirement'], {
      title: 'PayoutRequirementCode',
      description: 'Why money is held back; `provider_requirement`: the payment provider asks for something',
    }),
    note: text('What the marketplace or the provider says about it'),
    settlement_id: text('Null: concerns all payouts'),
    since: Instant({ description: 'When it began' }),
    action_url: text('Where the seller can do something about it'),
    provider_code: text('The provider’s name of what it asks for'),
    group: Nullable(StringEnum(GROUPS, { description: 'What the provider’s requirement is about' })),
    due: Nullable(StringEnum(DUE, { description: 'How urgent it is for the provider' })),
    deadline: instant('Afterwards payouts stop'),
    errors: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: 'For programs' }),
          text: Type.String({ description: 'For people' }),
        },
        { title: 'PayoutRequirementError', description: 'Why the provider did not take what was sent.' },
      ),
      { description: 'Why the provider did not take what was sent' },
    ),
    ...waitingFields,
    next_check_at: instant('When it is looked at again without the seller'),
  },
  { title: 'PayoutRequirement', description: 'Something that holds payouts back, or will.' },
);
export type RequirementWire = Static<typeof Requirement>;

export const AccountSchema = Type.Object(
  {
    provider: Type.String({ description: 'Name of the payout provider' }),
    description: Type.String({ description: 'How payouts are made, in words' }),
    account_required: Type.Boolean({ description: 'Whether the seller needs an account with the provider' }),
    onboarding_available: Type.Boolean({ description: 'Whether there are links to a provider’s pages' }),
    status: StringEnum(ACCOUNT_STATUSES, {
      description:
        '`enabled` and `action_needed` are paid, the latter until `deadline`; `restricted`: some reason holds payouts back; `disabled`: nothing is paid',
    }),
    payout_account_id: text('Id of the account, `pac_…`; null: none is opened, or none is needed'),
    provider_account_tail: text('The last characters of the provider’s id'),
    deadline: instant('Until then the provider’s requirements are to be met'),
    next_check_at: instant('When the account is looked at again without the seller'),
    ...waitingFields,
    submitted_at: instant('When the provider’s form was first seen as sent'),
    fetched_at: instant('When the provider was asked last'),
    destination: Nullable(
      Type.Object(
        { bank_name: text('Name of the bank'), last4: text('The last four digits of the account number') },
        { description: 'Null: the service does not know the bank account' },
      ),
    ),
    schedule: StringEnum(SETTLEMENT_SCHEDULES, { description: 'How often settlements close' }),
    min_payout_minor: Type.Integer({ description: 'Smallest payout; less is carried forward' }),
    ...Money,
    requirements: Type.Array(Requirement, {
      description: 'What holds payouts back, or will; empty: nothing',
    }),
  },
  { title: 'PayoutAccount', description: 'How and where the seller is paid.' },
);
export type AccountWire = Static<typeof AccountSchema>;

const DONE = { waiting_on: 'nobody' as const, action: null };
export const REQUIREMENT_EXAMPLE: RequirementWire = {
  code: 'kyc_required',
  note: 'passport unreadable',
  settlement_id: null,
  since: '2026-07-16T01:00:00.000Z',
  action_url: null,
  ...{ provider_code: null, group: null, due: null, deadline: null, errors: [] },
  waiting_on: 'marketplace',
  action: {
    kind: 'contact_marketplace',
    method: null,
    href: null,
    text: 'Contact the marketplace about it.',
  },
  next_check_at: null,
};

/** An account with the provider that can be paid. */
export const ACCOUNT_EXAMPLE: AccountWire = {
  provider: 'stripe',
  description: 'The service pays settlements through Stripe to the bank account of your account there.',
  account_required: true,
  onboarding_available: true,
  status: 'enabled',
  payout_account_id: 'pac_06fjh5m2k9x0001a2b3c4d5e6f',
  provider_account_tail: 'x8Qz',
  deadline: null,
  next_check_at: null,
  ...DONE,
  submitted_at: '2026-07-01T01:00:00.000Z',
  fetched_at: '2026-07-16T01:00:00.000Z',
  destination: { bank_name: 'STRIPE TEST BANK', last4: '3456' },
  schedule: 'semi_monthly',
  min_payout_minor: 100,
  ...moneyOf('AUD'),
  requirements: [],
};

export const ACTION_NEEDED_EXAMPLE: AccountWire = {
  ...ACCOUNT_EXAMPLE,
  status: 'action_needed',
  deadline: '2026-07-30T00:00:00.000Z',
  waiting_on: 'seller',
  action: {
    kind: 'call',
    method: 'POST',
    href: '/api/v1/payouts/onboarding-links',
    text: 'Open the payment provider’s page and send what it asks for.',
  },
};
