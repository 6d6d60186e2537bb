/** A shipping profile: how fast a seller hands parcels over, and what buyers pay where. */
import type { Minor } from '../../../kernel/money.ts';

export const WORKING_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type WorkingDay = (typeof WORKING_DAYS)[number];

/** Bounds are inclusive; null as the last one: everything beyond. */
export interface WeightTier {
  readonly up_to_g: number | null;
  readonly price_minor: Minor;
}
export interface PriceTier {
  readonly up_to_minor: Minor | null;
  readonly price_minor: Minor;
}

export type PriceRule = (
  | { readonly kind: 'flat'; readonly price_minor: Minor }
  | { readonly kind: 'weight_tiers'; readonly tiers: readonly WeightTier[] }
  | { readonly kind: 'price_tiers'; readonly tiers: readonly PriceTier[] }
) & {
  /** Goods of this much or more travel free; null: never. */
  readonly free_over_minor: Minor | null;
};

export interface ZoneService {
  readonly carrier: string;
  readonly service: string;
  readonly transit_days_min: number;
  readonly transit_days_max: number;
  readonly price: PriceRule;
}

export interface PostcodeRange {
  readonly from: string;
  readonly to: string;
}

/** Where it applies: the country, and inside Australia the states or postcodes; none of them: all of the country. */
export interface Zone {
  readonly name: string;
  readonly countries: readonly string[];
  readonly states: readonly string[];
  readonly postcodes: readonly PostcodeRange[];
  readonly services: readonly ZoneService[];
}

export interface Handling {
  /** Working days between the order and the hand-over. */
  readonly handling_days: number;
  /** `HH:MM` in the profile's time zone: orders from then on count as of the next working day. */
  readonly cut_off: string;
  /** IANA name. */
  readonly timezone: string;
  readonly working_days: readonly WorkingDay[];
}

export interface ProfileContent extends Handling {
  readonly name: string;
  readonly zones: readonly Zone[];
}

export interface Destination {
  readonly state?: string | null | undefined;
  readonly postcode?: string | null | undefined;
  readonly country: string;
  readonly line1?: string | null | undefined;
  readonly line2?: string | null | undefined;
}

function covers(zone: Zone, { state, postcode, country }: Destination): boolean {
  if (!zone.countries.includes(country)) return false;
  if (country !== 'AU' || (zone.states.length === 0 && zone.postcodes.length === 0)) return true;
  if (state != null && zone.states.includes(state)) return true;
  return postcode != null && zone.postcodes.some(({ from, to }) => from <= postcode && postcode <= to);
}

/** The first zone of the list that a destination lies in: the order is the seller's decision. */
export function zoneOf(zones: readonly Zone[], destination: Destination): Zone | undefined {
  return zones.find((zone) => covers(zone, destination));
}
