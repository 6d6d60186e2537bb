import Type, { type TSchema } from 'typebox';
import { PLAN_LIMITS, PLANS, UPGRADE_URL } from '../../kernel/plans.ts';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { plansView } from './domain/entitlements.ts';

const AVAILABILITIES = ['available', 'planned', 'deferred', 'unavailable'] as const;

/** An object with a member for each name; the names are published as they are in 402 bodies. */
const byName = <T extends TSchema>(schema: T, description: string) =>
  Type.Record(Type.String(), schema, { description });

const Limit = Type.Object(
  {
    limit: Type.Integer(),
    used: Nullable(Type.Integer({ description: 'null: a bound of one request' })),
    resets_at: Nullable(Instant({ description: 'When a quota begins anew' })),
  },
  { title: 'PlanLimit' },
);

const Plan = StringEnum(PLANS);

export const Entitlements = Type.Object(
  {
    plan: Plan,
    features: byName(
      Type.Object({
        enabled: Type.Boolean(),
        source: StringEnum(['plan', 'account'], { description: 'Who decides about it' }),
      }),
      'By the `feature_name` of the 402 body',
    ),
    limits: byName(Limit, 'By resource'),
    modules: byName(
      Type.Object({
        availability: StringEnum(AVAILABILITIES),
        enabled: Type.Boolean(),
        reason: Nullable(Type.String({ description: 'Why it is not enabled' })),
      }),
      'Every area of the service',
    ),
  },
  { title: 'Entitlements' },
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

const Described = Type.Object({ name: Type.String(), title: Type.String() });

export const Catalogue = Type.Object(
  {
    current_plan: Plan,
    upgrade_url: Type.String(),
    checkout_enabled: Type.Boolean({ description: 'Plans cannot be bought here' }),
    features: Type.Array(Described),
    limits: Type.Array(
      Type.Object({
        name: Type.String(),
        title: Type.String(),
        kind: StringEnum(['count', 'bound', 'quota'], {
          description: 'count: 402 when reached; bound: of one request, 422; quota: of a day, 429',
        }),
      }),
    ),
    plans: Type.Array(
      Type.Object({
        name: Plan,
        features: byName(Type.Boolean(), 'By feature'),
        limits: byName(Type.Integer(), 'By resource'),
      }),
    ),
  },
  { title: 'PlanCatalogue' },
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
        kind: StringEnum(['count', 'quota']),
        limit: Type.Integer(),
        used: Type.Integer(),
        remaining: Type.Integer({ description: 'Never below zero, also when a smaller plan came later' }),
        resets_at: Nullable(Instant()),
      }),
      'By resource',
    ),
  },
  { title: 'Usage' },
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
