/** The rule that a dispatch deadline follows, as an order keeps it. */
import type { WorkingDay } from './profile.ts';

export const DISPATCH_SOURCES = ['marketplace', 'profile', 'setting', 'default'] as const;

/** All but the source is null beside a deadline of the marketplace. */
export interface DispatchRule {
  readonly source: (typeof DISPATCH_SOURCES)[number];
  readonly profile_id: string | null;
  readonly handling_days: number | null;
  readonly cut_off: string | null;
  readonly timezone: string | null;
  readonly working_days: readonly WorkingDay[] | null;
  /** Days in Sydney that the deadline leaves out, inclusive. */
  readonly closed_from: string | null;
  readonly closed_to: string | null;
}

/** The marketplace has said by when. */
export const MARKETPLACE_RULE: DispatchRule = {
  source: 'marketplace',
  profile_id: null,
  handling_days: null,
  cut_off: null,
  timezone: null,
  working_days: null,
  closed_from: null,
  closed_to: null,
};
