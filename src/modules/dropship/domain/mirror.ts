/**
 * How many units of a supplier's count a seller may sell, and why none. Pure arithmetic; the invariants are in
 * docs/design/supply.md#mirror.
 */

/** A count is believed for this long. */
export const COUNT_LIFE_MS = 24 * 3_600_000;

export const PAUSED_REASONS = [
  'by_seller',
  'availability_stale',
  'availability_unknown',
  'supplier_not_active',
  'item_discontinued',
  'not_for_dropship',
] as const;
export type PausedReason = (typeof PAUSED_REASONS)[number];

/** What a supplier says about an item. Instants are RFC 3339 in UTC with milliseconds, so that texts compare. */
export interface Told {
  readonly available: number | null;
  readonly available_as_of: string | null;
  readonly item_status: 'active' | 'discontinued';
  readonly supplier_status: 'active' | 'paused' | 'closed';
  /** Null: the item is not for dropship. */
  readonly unit_cost_minor: unknown;
}

/** Units that the supplier has accepted at an instant, less those that were cancelled or returned since. */
export interface Acceptance {
  readonly at: string;
  readonly units: number;
}

export interface Mirrored extends Told {
  readonly buffer_units: number;
  readonly paused_by_seller: boolean;
  /** The newest rejection as out of stock. */
  readonly empty_at: string | null;
  /** Reserved units of the product that the supplier has not answered. */
  readonly unanswered: number;
  readonly acceptances: readonly Acceptance[];
}

/** A: the newest count. A rejection as out of stock counts as none, until a later count. */
const countOf = ({ available, available_as_of: asOf, empty_at }: Mirrored): number | null =>
  available === null || asOf === null ? null : empty_at !== null && empty_at >= asOf ? 0 : available;

/** P: promised units that the count does not show yet. A count at the instant of an acceptance shows it. */
const pendingOf = ({ unanswered, acceptances, available_as_of: asOf }: Mirrored): number =>
  acceptances
    .filter(({ at }) => asOf === null || at > asOf)
    .reduce((sum, { units }) => sum + units, unanswered);

const isStale = ({ available_as_of: asOf }: Told, now: number): boolean =>
  asOf !== null && now - Date.parse(asOf) > COUNT_LIFE_MS;

const IS_PAUSED: Readonly<Record<PausedReason, (of: Mirrored, now: number) => boolean>> = {
  by_seller: ({ paused_by_seller }) => paused_by_seller,
  availability_stale: isStale,
  availability_unknown: (of) => countOf(of) === null,
  supplier_not_active: ({ supplier_status }) => supplier_status !== 'active',
  item_discontinued: ({ item_status }) => item_status !== 'active',
  not_for_dropship: ({ unit_cost_minor }) => unit_cost_minor === null,
};

/** What the seller may sell of a listing now. @param now milliseconds */
export function mirrorOf(of: Mirrored, now: number) {
  const paused_reasons = PAUSED_REASONS.filter((reason) => IS_PAUSED[reason](of, now));
  const count = countOf(of);
  const pending = pendingOf(of);
  const free = paused_reasons.length > 0 ? 0 : Math.max(0, (count ?? 0) - of.buffer_units - pending);
  return { paused_reasons, count, pending, available: free };
}
