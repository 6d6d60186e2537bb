import Type from 'typebox';
import { startOfDay } from '../../kernel/australia/sydney.ts';
import type { SellerCtx } from '../../kernel/context.ts';
import { fail } from '../../kernel/errors.ts';
import { PLAN_FEATURES, PLAN_LIMITS, UPGRADE_URL } from '../../kernel/plans.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { reads, writes } from '../../platform/rest/access.ts';
import {
  FEATURES,
  featuresOf,
  LIMITS,
  type LimitView,
  limitsOf,
  modulesOf,
  plansView,
} from './domain/entitlements.ts';
import { billingErrors } from './errors.ts';
import {
  CATALOGUE_EXAMPLE,
  Catalogue,
  ENTITLEMENTS_EXAMPLE,
  Entitlements,
  USAGE_EXAMPLE,
  UsageView,
} from './schemas.ts';
import { readUsage } from './store/usage.ts';

/** The limits, and how much of each is used now. */
async function limitsNow(ctx: SellerCtx): Promise<Record<string, LimitView>> {
  const { start, next } = startOfDay(ctx.now());
  const usage = await readUsage(ctx.db, ctx.seller.seller_id, new Date(start).toISOString());
  const { plan } = await ctx.standing();
  return limitsOf(plan, usage, new Date(next).toISOString());
}

const entitlements = defineRoute({
  id: 'billing.entitlements.get',
  method: 'GET',
  path: '/entitlements',
  summary: 'What this account may use',
  description: 'A change of plan binds at once, also for tokens that were issued before.',
  access: reads('settings'),
  ok: okJson('Features, limits and areas', Entitlements, ENTITLEMENTS_EXAMPLE),
  errors: [],
  handler: async (ctx) => {
    const limits = await limitsNow(ctx);
    const standing = await ctx.standing();
    const { modules } = ctx.services;
    return {
      body: {
        plan: standing.plan,
        features: featuresOf(standing, modules),
        limits,
        modules: modulesOf(standing, modules),
      },
    };
  },
});

const catalogue = defineRoute({
  id: 'billing.catalogue.get',
  method: 'GET',
  path: '/catalogue',
  summary: 'The plans',
  description: 'Shows each plan with its features and limits, and the plan of the seller.',
  access: reads('settings'),
  ok: okJson('Every plan with its features and limits', Catalogue, CATALOGUE_EXAMPLE),
  errors: [],
  handler: async (ctx) => ({
    body: {
      current_plan: (await ctx.standing()).plan,
      upgrade_url: UPGRADE_URL,
      checkout_enabled: false,
      features: FEATURES.map((name) => ({ name, title: PLAN_FEATURES[name].title })),
      limits: LIMITS.map((name) => ({ name, title: PLAN_LIMITS[name].title, kind: PLAN_LIMITS[name].kind })),
      plans: plansView(),
    },
  }),
});

const usage = defineRoute({
  id: 'billing.usage.get',
  method: 'GET',
  path: '/usage',
  summary: 'Read how much of the plan’s limits is used',
  description: 'Shows each limit of the plan, and how much of it is used.',
  access: reads('settings'),
  ok: okJson('Counts and quotas', UsageView, USAGE_EXAMPLE),
  errors: [],
  handler: async (ctx) => {
    const limits = await limitsNow(ctx);
    const counted = LIMITS.flatMap((name) => {
      const view = limits[name];
      if (view === undefined || view.used === null) return [];
      const { limit, used, resets_at } = view;
      return [
        [
          name,
          { kind: PLAN_LIMITS[name].kind, limit, used, remaining: Math.max(0, limit - used), resets_at },
        ],
      ];
    });
    const { plan } = await ctx.standing();
    return { body: { plan, as_of: new Date(ctx.now()).toISOString(), limits: Object.fromEntries(counted) } };
  },
});

const checkout = defineRoute({
  id: 'billing.checkout.create',
  method: 'POST',
  path: '/checkout',
  summary: 'Always refused: paid subscription checkout is disabled',
  description: 'The marketplace assigns plans.',
  access: { ...writes('settings'), idempotency: 'none' },
  body: {
    kind: 'json',
    schema: Type.Object({}, { title: 'CheckoutInput', description: 'Ignored: plans cannot be bought here.' }),
    example: {},
    ignoreUnknownKeys: true,
  },
  ok: [{ status: 200, description: 'Never answered' }],
  errors: [billingErrors.checkout_disabled],
  handler: async () => {
    throw fail(billingErrors.checkout_disabled, { facts: { upgrade_url: UPGRADE_URL } });
  },
});

export const routes = [entitlements, catalogue, usage, checkout];
