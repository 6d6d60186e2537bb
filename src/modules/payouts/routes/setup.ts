import Type from 'typebox';
import { SETTLEMENT_SCHEDULES } from '../../../kernel/australia/settlement-period.ts';
import type { SellerCtx } from '../../../kernel/context.ts';
import { defineErrors, fail } from '../../../kernel/errors.ts';
import { minorToJson } from '../../../kernel/money.ts';
import { Instant, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { PAGE_EXAMPLE } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { Money, moneyOf } from '../../reconciliation/index.ts';
import { activeHolds, HOLD_REASONS, minimumOf, policyOf } from '../../settlements/index.ts';
import { MANUAL } from '../adapters/provider.ts';

const errors = defineErrors({
  payout_onboarding_unavailable: {
    status: 409,
    detail: 'The marketplace pays settlements itself: there is no provider’s page to open.',
    facts: { provider: 'manual' },
  },
});

const read = { auth: 'seller', permission: 'finance:read', rate: 'read', idempotency: 'none' } as const;
const write = {
  auth: 'seller',
  permission: 'finance:write',
  rate: 'write',
  idempotency: 'optional',
} as const;

const Requirement = Type.Object(
  {
    code: StringEnum(HOLD_REASONS, { title: 'HoldReason', description: 'Why money is held back' }),
    note: Nullable(Type.String({ description: 'What the marketplace says about it' })),
    settlement_id: Nullable(Type.String({ description: 'Null: concerns all payouts' })),
    since: Instant({ description: 'When it began' }),
    action_url: Nullable(Type.String({ description: 'Where the seller can do something about it' })),
  },
  { title: 'PayoutRequirement', description: 'Something that holds payouts back.' },
);
const STATUSES = ['enabled', 'restricted', 'disabled'] as const;
const AccountSchema = Type.Object(
  {
    provider: Type.String({ description: 'Name of the payout provider' }),
    description: Type.String({ description: 'How payouts are made, in words' }),
    account_required: Type.Boolean({ description: 'Whether the seller needs an account with the provider' }),
    onboarding_available: Type.Boolean({ description: 'Whether there are links to a provider’s pages' }),
    status: StringEnum(STATUSES, {
      description: '`restricted`: some reason holds payouts back; `disabled`: the marketplace pays nothing',
    }),
    destination: Nullable(
      Type.Object(
        { bank_name: Nullable(Type.String()), last4: Nullable(Type.String()) },
        {
          description: 'Null: the service does not know the bank account, the marketplace does',
        },
      ),
    ),
    schedule: StringEnum(SETTLEMENT_SCHEDULES, { description: 'How often settlements close' }),
    min_payout_minor: Type.Integer({ description: 'Smallest payout; less is carried forward' }),
    ...Money,
    requirements: Type.Array(Requirement, { description: 'What holds payouts back; empty: nothing' }),
  },
  { title: 'PayoutAccount', description: 'How and where the seller is paid.' },
);
const EXAMPLE = {
  provider: MANUAL.name,
  description: MANUAL.description,
  account_required: false,
  onboarding_available: false,
  status: 'enabled' as const,
  destination: null,
  schedule: 'semi_monthly' as const,
  min_payout_minor: 100,
  ...moneyOf('AUD'),
  requirements: [],
};

async function requirementsOf(ctx: SellerCtx) {
  const holds = await activeHolds(ctx);
  return holds.map(({ reason, note, settlement_id, since }) => ({
    code: reason,
    note,
    settlement_id: settlement_id === '' ? null : settlement_id,
    since,
    action_url: null,
  }));
}

type Requirements = Awaited<ReturnType<typeof requirementsOf>>;

function statusOf(requirements: Requirements): (typeof STATUSES)[number] {
  if (requirements.some(({ code }) => code === 'payouts_disabled')) return 'disabled';
  return requirements.length > 0 ? 'restricted' : 'enabled';
}

async function accountOf(ctx: HandlerCtx) {
  const requirements = await requirementsOf(ctx);
  const policy = policyOf(ctx.services);
  return {
    provider: MANUAL.name,
    description: MANUAL.description,
    account_required: MANUAL.accountRequired,
    onboarding_available: MANUAL.hasPages,
    status: statusOf(requirements),
    // The provider pays to an account that only the marketplace knows.
    destination: null,
    schedule: policy.schedule,
    min_payout_minor: minorToJson(await minimumOf(ctx, policy)),
    ...moneyOf((await ctx.standing()).currency),
    requirements,
  };
}

const account = defineRoute({
  id: 'payouts.account.get',
  method: 'GET',
  path: '/account',
  summary: 'Read how the seller is paid, and what keeps payouts back',
  description: 'Shows the provider, the destination, the schedule and the open requirements.',
  access: read,
  cache: 'no-store',
  ok: [{ status: 200, description: 'The setup', schema: AccountSchema, example: EXAMPLE }],
  errors: [],
  handler: async (ctx) => ({ body: await accountOf(ctx) }),
});

const requirements = defineRoute({
  id: 'payouts.requirements.list',
  method: 'GET',
  path: '/requirements',
  summary: 'What keeps payouts back',
  description: 'Each entry has its cause, the settlement it keeps back, and where to act.',
  access: read,
  cache: 'no-store',
  ok: [
    {
      status: 200,
      description: 'All requirements',
      schema: Page(Requirement),
      example: {
        data: [
          {
            code: 'kyc_required',
            note: 'passport unreadable',
            settlement_id: null,
            since: '2026-07-16T01:00:00.000Z',
            action_url: null,
          },
        ],
        page: PAGE_EXAMPLE,
      },
    },
  ],
  errors: [],
  handler: async (ctx) => ({ body: { data: await requirementsOf(ctx), page: PAGE_EXAMPLE } }),
});

const Link = Type.Object(
  { url: Type.String({ description: 'Page of the provider' }), expires_at: Instant() },
  { title: 'ProviderLink', description: 'A link to a page of the provider.' },
);
const LINK_EXAMPLE = { url: 'https://provider.example/onboarding/x', expires_at: '2026-07-16T01:05:00.000Z' };

const link = (id: string, path: string, summary: string) =>
  defineRoute({
    id,
    method: 'POST',
    path,
    summary,
    description:
      'Only for a provider with pages of its own. The marketplace’s own payouts have none: the answer is 409.',
    access: write,
    cache: 'no-store',
    ok: [{ status: 201, description: 'The link', schema: Link, example: LINK_EXAMPLE }],
    errors: [errors.payout_onboarding_unavailable],
    handler: () => {
      throw fail(errors.payout_onboarding_unavailable, { facts: { provider: MANUAL.name } });
    },
  });

export const setupRoutes = [
  account,
  requirements,
  link('payouts.onboarding_links.create', '/onboarding-links', 'Make a link to the provider’s onboarding'),
  link('payouts.dashboard_links.create', '/dashboard-links', 'Make a link to the provider’s dashboard'),
];
