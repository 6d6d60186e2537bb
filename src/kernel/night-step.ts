/** What an area computes each night from the facts of the seller (docs/design/facts.md#night). */
import type { Acting, Standing } from './context.ts';
import type { FeatureName } from './plans.ts';

/** The areas with a night step, in the order in which the steps run. */
export const NIGHT_ORDER = ['quality', 'forecasting', 'customer', 'pricing'] as const;

interface Night {
  /** The last Sydney day that the facts count. */
  readonly through_on: string;
  readonly standing: Standing;
}

export interface NightStep {
  readonly name: (typeof NIGHT_ORDER)[number];
  /** Plan feature without which the step is left out. */
  readonly feature?: FeatureName;
  /** Account flag without which it is left out. */
  readonly flag?: string;
  /** Runs in a transaction of its own, and may run more than once a night. */
  readonly run: (ctx: Acting, night: Night) => Promise<void>;
}
