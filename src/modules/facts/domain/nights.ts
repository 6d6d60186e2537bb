/** When the nights begin, and what each of them computes. */
import { firstInstant, nextTimeOfDay, sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Standing } from '../../../kernel/context.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { NIGHT_ORDER, type NightStep } from '../../../kernel/night-step.ts';
import { planHasFeature } from '../../../kernel/plans.ts';

/** In Sydney. */
const NIGHT = { hour: 3, minute: 30 };
const SPREAD_MS = 7_200_000;
const DIGITS = 8;

export const nextNight = (now: number): number => nextTimeOfDay(now, NIGHT);

/** When the facts of a seller are rolled: within two hours after the beginning of the night, or now if that is past. */
export function rollsAt(sellerId: string, now: number): number {
  const begins = nextNight(firstInstant(sydneyDate(now)) - 1);
  const share = Number.parseInt(sha256Hex(sellerId).slice(0, DIGITS), 16) / 16 ** DIGITS;
  return Math.max(now, begins + Math.floor(share * SPREAD_MS));
}

/** The steps of the areas to which a seller is entitled, in their order. */
export function stepsFor(steps: readonly NightStep[], { plan, account_flags }: Standing): NightStep[] {
  return steps
    .filter(
      ({ feature, flag }) =>
        (feature === undefined || planHasFeature(plan, feature)) &&
        (flag === undefined || account_flags.includes(flag)),
    )
    .sort((a, b) => NIGHT_ORDER.indexOf(a.name) - NIGHT_ORDER.indexOf(b.name));
}
