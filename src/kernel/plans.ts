/**
 * The plans with their limits and features. All 402 answers and `GET /billing/entitlements` are made from this table.
 * Source: docs/design/wire.md#plans.
 */
export const PLANS = ['Free', 'Small', 'Big'] as const;
export type Plan = (typeof PLANS)[number];

interface PlanColumn<T> {
  readonly title: string;
  readonly values: Readonly<Record<Plan, T>>;
}

/** The limits of the plans. The answer at a limit of kind `count` is 402, of kind `bound` 422, of kind `quota` 429. */
export const PLAN_LIMITS = {
  products: {
    title: 'Products that are not archived',
    kind: 'count',
    values: { Free: 100, Small: 5_000, Big: 500_000 },
  },
  feed_rows_per_run: {
    title: 'Rows of one feed run',
    kind: 'bound',
    values: { Free: 500, Small: 10_000, Big: 100_000 },
  },
  feed_runs_per_day: {
    title: 'Feed runs per day (Australia/Sydney)',
    kind: 'quota',
    values: { Free: 20, Small: 200, Big: 2_000 },
  },
  webhook_endpoints: { title: 'Webhook endpoints', kind: 'count', values: { Free: 1, Small: 5, Big: 20 } },
  team_members: {
    title: 'Team members, the owner included',
    kind: 'count',
    values: { Free: 1, Small: 5, Big: 50 },
  },
} as const satisfies Record<string, PlanColumn<number> & { readonly kind: 'count' | 'bound' | 'quota' }>;
export type LimitName = keyof typeof PLAN_LIMITS;

const FROM_SMALL = { Free: false, Small: true, Big: true } as const;
const FROM_BIG = { Free: false, Small: false, Big: true } as const;

export const PLAN_FEATURES = {
  bulk_operations: { title: 'Bulk operations', verb: 'are', values: FROM_SMALL },
  import_profiles: { title: 'Import profiles', verb: 'are', values: FROM_SMALL },
  async_feeds: { title: 'Asynchronous feed runs', verb: 'are', values: FROM_BIG },
  pricing: { title: 'Pricing', verb: 'is', values: FROM_BIG },
  marketplace_intel: { title: 'Marketplace intelligence', verb: 'is', values: FROM_BIG },
  forecasting: { title: 'Forecasting', verb: 'is', values: FROM_BIG },
  customer_analytics: { title: 'Customer analytics', verb: 'is', values: FROM_BIG },
  audit_export: { title: 'Audit export', verb: 'is', values: FROM_BIG },
} as const satisfies Record<string, PlanColumn<boolean> & { readonly verb: 'is' | 'are' }>;
export type FeatureName = keyof typeof PLAN_FEATURES;

/** Relative path of the plan settings, in every 402 body. */
export const UPGRADE_URL = '/settings/plan';

export function planHasFeature(plan: Plan, feature: FeatureName): boolean {
  return PLAN_FEATURES[feature].values[plan];
}

export function planLimit(plan: Plan, limit: LimitName): number {
  return PLAN_LIMITS[limit].values[plan];
}

/** The number as a sentence shows it: 5,000. */
const shown = (count: number): string => count.toLocaleString('en');

/** What the plan allows, and the next plan that allows more: "the Free plan allows 20, the Small plan 200". */
export function limitSentence(plan: Plan, limit: LimitName): string {
  const allowed = planLimit(plan, limit);
  const next = PLANS.find((candidate) => planLimit(candidate, limit) > allowed);
  const more = next === undefined ? '' : `, the ${next} plan ${shown(planLimit(next, limit))}`;
  return `the ${plan} plan allows ${shown(allowed)}${more}`;
}

/** The 402 body of a gated endpoint, with exactly the specification's fields. */
export function featureBody(plan: Plan, feature: FeatureName): Record<string, unknown> {
  const from = PLANS.find((candidate) => planHasFeature(candidate, feature));
  const { title, verb } = PLAN_FEATURES[feature];
  return {
    error: 'feature_not_available',
    feature_name: feature,
    tier: plan,
    message: `${title} ${verb} not part of the ${plan} plan. The ${from} plan has ${verb === 'is' ? 'it' : 'them'}.`,
    upgrade_url: UPGRADE_URL,
  };
}

/** The 402 body of a count-limited resource, with exactly the specification's fields. */
export function limitBody(plan: Plan, limit: LimitName, currentUsage: number): Record<string, unknown> {
  return {
    error: 'tier_limit_exceeded',
    tier: plan,
    message: `${PLAN_LIMITS[limit].title}: ${limitSentence(plan, limit)}.`,
    upgrade_url: UPGRADE_URL,
    current_usage: currentUsage,
    limit: planLimit(plan, limit),
  };
}
