/** What a seller may use, from the plan table, the account flags and the list of modules. */
import {
  type FeatureName,
  type LimitName,
  PLAN_FEATURES,
  PLAN_LIMITS,
  PLANS,
  type Plan,
  planHasFeature,
  planLimit,
} from '../../../kernel/plans.ts';
import type { ModuleDef } from '../../../kernel/route.ts';

export const FEATURES = Object.keys(PLAN_FEATURES) as FeatureName[];
export const LIMITS = Object.keys(PLAN_LIMITS) as LimitName[];

export interface LimitView {
  readonly limit: number;
  /** Null for a bound of one request, which is not used up. */
  readonly used: number | null;
  /** When a quota restarts; null for counts and bounds. */
  readonly resets_at: string | null;
}

interface FeatureView {
  readonly enabled: boolean;
  /** Whether the plan or the account decides about the feature. */
  readonly source: 'plan' | 'account';
}

interface ModuleView {
  readonly availability: ModuleDef['availability'];
  readonly enabled: boolean;
  /** Why it is not enabled; null when it is. */
  readonly reason: string | null;
}

interface Account {
  readonly plan: Plan;
  readonly account_flags: readonly string[];
}

/** The areas of the specification. A module without a base path belongs to the service itself. */
function areasOf(modules: readonly ModuleDef[]): ModuleDef[] {
  return modules.filter(({ base }) => base !== '');
}

const isGated = (modules: readonly ModuleDef[], name: string): boolean =>
  modules.some((module) => module.accountGated === true && flagOf(module) === name);

/** Account flags are module names. */
const flagOf = ({ name }: ModuleDef): string => name;

/**
 * The features of the plan table. If a feature is also an account-gated area, it needs the account flag too, and the
 * account decides.
 */
export function featuresOf(account: Account, modules: readonly ModuleDef[]): Record<string, FeatureView> {
  const entries = FEATURES.map((feature): [string, FeatureView] => {
    const inPlan = planHasFeature(account.plan, feature);
    const flag = feature.replaceAll('_', '-');
    if (!inPlan || !isGated(modules, flag)) return [feature, { enabled: inPlan, source: 'plan' }];
    return [feature, { enabled: account.account_flags.includes(flag), source: 'account' }];
  });
  return Object.fromEntries(entries);
}

/** The limits of the plan, and how much of each is used. */
export function limitsOf(
  plan: Plan,
  usage: Readonly<Record<string, number>>,
  dayEnd: string,
): Record<string, LimitView> {
  const entries = LIMITS.map((name): [string, LimitView] => {
    const { kind } = PLAN_LIMITS[name];
    return [
      name,
      {
        limit: planLimit(plan, name),
        used: kind === 'bound' ? null : (usage[name] ?? 0),
        resets_at: kind === 'quota' ? dayEnd : null,
      },
    ];
  });
  return Object.fromEntries(entries);
}

function moduleView(module: ModuleDef, flags: readonly string[]): ModuleView {
  const { availability, title } = module;
  if (availability !== 'available')
    return { availability, enabled: false, reason: module.reason ?? `${title} is not available.` };
  if (module.accountGated === true && !flags.includes(flagOf(module)))
    return {
      availability,
      enabled: false,
      reason: `${title} is not enabled for this account; the marketplace enables it.`,
    };
  return { availability, enabled: true, reason: null };
}

/** All areas of the specification, including those that are not built. */
export function modulesOf(account: Account, modules: readonly ModuleDef[]): Record<string, ModuleView> {
  return Object.fromEntries(
    areasOf(modules).map((module) => [module.name, moduleView(module, account.account_flags)]),
  );
}

interface PlanView {
  readonly name: Plan;
  readonly features: Record<string, boolean>;
  readonly limits: Record<string, number>;
}

/** All plans with their limits and features. */
export function plansView(): PlanView[] {
  return PLANS.map((name) => ({
    name,
    features: Object.fromEntries(FEATURES.map((feature) => [feature, planHasFeature(name, feature)])),
    limits: Object.fromEntries(LIMITS.map((limit) => [limit, planLimit(name, limit)])),
  }));
}
