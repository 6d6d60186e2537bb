import Type, { type TSchema } from 'typebox';
import { PLAN_LIMITS, UPGRADE_URL } from '../../kernel/plans.ts';
import { described, Instant, Nullable, PlanSchema, StringEnum } from '../../kernel/schema.ts';
import { plansView } from './domain/entitlements.ts';

const AVAILABILITIES = ['available', 'planned', 'deferred', 'unavailable'] as const;

/** An object with a member for each name. The names are the same in 402 bodies. */
const byName = <T extends TSchema>(schema: T, description: string) =>
  Type.Record(Type.String(), schema, { description });

const Limit = Type.Object(
  {
    limit: Type.Integer({ description: 'How many the plan allows' }),
    used: Nullable(Type.Integer({ description: 'How many are used; null for a bound of one request' })),
    resets_at: Nullable(Instant({ description: 'When a quota begins anew' })),
  },
  { title: 'PlanLimit', description: 'A limit of the plan.' },
);

const Plan = PlanSchema;

export const Entitlements = Type.Object(
  {
    plan: Plan,
    features: byName(
      Type.Object({
        enabled: Type.Boolean({ description: 'Whether the seller has the feature' }),
        source: StringEnum(['plan', 'account'], { description: 'Who decides about it' }),
      }),
      'By the `feature_name` of the 402 body',
    ),
    limits: byName(Limit, 'By resource'),
    modules: byName(
      Type.Object({
        availability: StringEnum(AVAILABILITIES, { description: 'Whether the area exists' }),
        enabled: Type.Boolean({ description: 'Whether the seller can use the area' }),
        reason: Nullable(Type.String({ description: 'Why it is not enabled' })),
      }),
      'Every area of the service',
    ),
  },
  { title: 'Entitlements', description: 'What the plan and the account allow.' },
);

export const ENTITLEMENTS_EXAMPLE = {
  plan: 'Small' as const,
  features: { bulk_operations: { enabled: true, source: 'plan' as const } },
  limits: {
    products: { limit: 5_000, used: 812, resets_at: null },
    feed_runs_per_day: { limit: 200, used: 3, resets_at: '2026-06-28T14:00:00.000Z' },
    feed_rows_per_run: { limit: 10_000, used: null, resets_at: null },
  },
  modules: {
    products: { availability: 'available' as const, enabled: true, reason: null },
    offers: {
      availability: 'deferred' as const,
      enabled: false,
      reason: 'Offers is deferred; it is not available as a seller workflow.',
    },
  },
};

const Described = Type.Object({
  name: Type.String({ description: 'Name for programs' }),
  title: Type.String({ description: 'Name for people' }),
});

export const Catalogue = Type.Object(
  {
    current_plan: Plan,
    upgrade_url: Type.String({ description: 'Relative path of the plan settings' }),
    checkout_enabled: Type.Boolean({
      description: 'Whether plans can be bought through this API: they cannot',
    }),
    features: Type.Array(Described, { description: 'All features' }),
    limits: described(
      'All limits',
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'Name for programs' }),
          title: Type.String({ description: 'Name for people' }),
          kind: StringEnum(['count', 'bound', 'quota'], {
            description: 'count: 402 when reached; bound: of one request, 422; quota: of a day, 429',
          }),
        }),
      ),
    ),
    plans: Type.Array(
      Type.Object({
        name: Plan,
        features: byName(Type.Boolean(), 'By feature'),
        limits: byName(Type.Integer(), 'By resource'),
      }),
      { description: 'What each plan includes' },
    ),
  },
  { title: 'PlanCatalogue', description: 'The plans and what they include.' },
);

export const CATALOGUE_EXAMPLE = {
  current_plan: 'Free' as const,
  upgrade_url: UPGRADE_URL,
  checkout_enabled: false,
  features: [{ name: 'bulk_operations', title: 'Bulk operations' }],
  limits: [{ name: 'products', title: PLAN_LIMITS.products.title, kind: 'count' as const }],
  plans: plansView(),
};

export const UsageView = Type.Object(
  {
    plan: Plan,
    as_of: Instant(),
    limits: byName(
      Type.Object({
        kind: StringEnum(['count', 'quota'], { description: 'A count of objects, or a quota of a day' }),
        limit: Type.Integer({ description: 'How many the plan allows' }),
        used: Type.Integer({ description: 'How many are used' }),
        remaining: Type.Integer({ description: 'Never below zero, also after a change to a smaller plan' }),
        resets_at: Nullable(Instant({ description: 'When a quota begins anew; null for a count' })),
      }),
      'By resource',
    ),
  },
  { title: 'Usage', description: 'How much of the plan is used.' },
);

export const USAGE_EXAMPLE = {
  plan: 'Small' as const,
  as_of: '2026-06-28T01:00:00.000Z',
  limits: {
    products: { kind: 'count' as const, limit: 5_000, used: 812, remaining: 4_188, resets_at: null },
    feed_runs_per_day: {
      kind: 'quota' as const,
      limit: 200,
      used: 3,
      remaining: 197,
      resets_at: '2026-06-28T14:00:00.000Z',
    },
  },
};
