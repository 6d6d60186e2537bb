/**
 * The frame of a computed payload: when and from what its figures were computed, and what they lack. Unknown is null
 * with a reason, never zero. Source: docs/design/computed-payloads.md.
 */
import Type from 'typebox';
import { addDays } from './australia/settlement-period.ts';
import { byHour, firstInstant, nextTimeOfDay, sydneyDate } from './australia/sydney.ts';
import { Instant, Nullable, StringEnum } from './schema.ts';

const CACHE_STATUSES = ['live', 'fresh', 'stale', 'none'] as const;
const SEMANTIC_STATUSES = [
  'complete',
  'partial',
  'insufficient_history',
  'insufficient_sample',
  'below_threshold',
  'no_usable_report',
  'not_computed',
] as const;
export type SemanticStatus = (typeof SEMANTIC_STATUSES)[number];
/** What figures may lack. The list is closed. */
const MISSING_COMPONENTS = [
  'annual_seasonality',
  'backtest',
  'competitor_offers',
  'customer_identity',
  'demand_response',
  'external_freight',
  'freight',
  'inbound_freight',
  'incoming_stock',
  'lead_time',
  'market_volume',
  'messages',
  'other_currencies',
  'payment_processing',
  'ratings',
  'recent_days',
  'sales_history',
  'search_report',
  'stock_history',
  'storefront_traffic',
  'supplier_cost',
] as const;
export type MissingComponent = (typeof MISSING_COMPONENTS)[number];

/** The schema of one name of it. */
export const missingComponent = StringEnum(MISSING_COMPONENTS, {
  title: 'MissingComponent',
  description: 'What the figures lack',
});

/** The fields of the frame, for the schema of a payload or beside the rows of a list. */
export const frameFields = {
  generated_at: Instant(),
  facts_through_on: Nullable(
    Type.String({
      format: 'date',
      description: 'Last Sydney day that is counted whole; null where days play no part',
    }),
  ),
  cache_status: StringEnum(CACHE_STATUSES, {
    title: 'FrameCacheStatus',
    description:
      '`live`: computed for this answer; `fresh`: a snapshot with all days that are due; `stale`: an older one; `none`: there is none',
  }),
  source_contract: Type.String(),
  semantic_status: StringEnum(SEMANTIC_STATUSES, {
    title: 'SemanticStatus',
    description:
      'What the figures mean: `complete`; `partial`: those that need a missing component are null; `insufficient_sample`: own counts, too few to judge; otherwise there are no figures: `no_usable_report` means that the source has sent nothing, which is not a measured zero',
  }),
  status_reason: Nullable(Type.String()),
  missing_components: Type.Array(missingComponent),
};

/** Of a row with counts of its own. */
export const SampleStatus = StringEnum(['complete', 'insufficient_sample'], {
  title: 'SampleStatus',
  description: '`insufficient_sample`: too few to judge; averages and rates say little or are null',
});

/** What a frame says of its figures. */
export interface Said {
  readonly facts_through_on?: string | null;
  /** Default: `complete`, or `partial` if something is missing. */
  readonly semantic_status?: SemanticStatus;
  readonly status_reason?: string | null;
  readonly missing?: readonly MissingComponent[];
}

/**
 * The frame of figures that were computed for the answer.
 *
 * @param contract `<area>.<payload>.v<n>`; a changed formula or threshold raises `n`
 */
export function liveFrame(at: string, contract: string, said: Said = {}) {
  const missing_components = [...(said.missing ?? [])].sort();
  return {
    generated_at: at,
    facts_through_on: said.facts_through_on ?? null,
    cache_status: 'live' as const,
    source_contract: contract,
    semantic_status: said.semantic_status ?? (missing_components.length > 0 ? 'partial' : 'complete'),
    status_reason: said.status_reason ?? null,
    missing_components,
  };
}

/** How soon the answer to a payload that is not computed yet may be asked for again. */
const RETRY_AFTER_SECONDS = 15;
/** The fields of the frame of figures that are computed at night. */
export const snapshotFields = {
  ...frameFields,
  retry_after_seconds: Type.Optional(
    Type.Integer({ description: 'With `not_computed`: the first computation is queued, ask again then' }),
  ),
};

/** In Sydney: until then a night may take to count the day before. */
const COUNTED_BY = { hour: 6, minute: 0 };

/** The last day that figures must count to be fresh. @param now milliseconds */
export const dueThrough = byHour((now): string => {
  const today = sydneyDate(now);
  return addDays(today, now < nextTimeOfDay(firstInstant(today) - 1, COUNTED_BY) ? -2 : -1);
});

/** Figures of a night, as they were computed. */
export interface Computed extends Required<Said> {
  readonly generated_at: string;
}

/**
 * The frame of figures that a night has computed. Those of an older night lack the recent days.
 *
 * @param computed undefined: there are no figures yet
 * @param now milliseconds
 */
export function snapshotFrame(now: number, contract: string, computed: Computed | undefined) {
  if (computed === undefined)
    return {
      ...liveFrame(new Date(now).toISOString(), contract, { semantic_status: 'not_computed' }),
      cache_status: 'none' as const,
      retry_after_seconds: RETRY_AFTER_SECONDS,
    };
  const { generated_at, facts_through_on, semantic_status, missing } = computed;
  const isStale = facts_through_on !== null && facts_through_on < dueThrough(now);
  return {
    ...liveFrame(generated_at, contract, {
      ...computed,
      missing: isStale ? [...missing, 'recent_days'] : missing,
      semantic_status: isStale && semantic_status === 'complete' ? 'partial' : semantic_status,
    }),
    cache_status: isStale ? ('stale' as const) : ('fresh' as const),
  };
}

/** A frame whose figures lack more. Figures that are not there lack no part. */
export function lacking<
  F extends Pick<ReturnType<typeof liveFrame>, 'semantic_status' | 'missing_components'>,
>(frame: F, more: readonly MissingComponent[]): F {
  const { semantic_status, missing_components } = frame;
  if (more.length === 0 || semantic_status === 'not_computed') return frame;
  return {
    ...frame,
    semantic_status: semantic_status === 'complete' ? 'partial' : semantic_status,
    missing_components: [...new Set([...missing_components, ...more])].sort(),
  };
}

/** A rate in basis points, half up; null if fewer than `least` cases were counted. */
export const rateBps = (counted: number, of: number, least = 1): number | null =>
  of < least ? null : Math.floor((20_000 * counted + of) / (2 * of));
