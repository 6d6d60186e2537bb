/** A shipping profile: how fast the seller hands parcels over, and how much buyers pay in which zone. */
import type { Minor } from '../../../kernel/money.ts';

export const WORKING_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type WorkingDay = (typeof WORKING_DAYS)[number];

/** Bounds are inclusive. A last bound of null includes everything above the others. */
interface WeightTier {
  readonly up_to_g: number | null;
  readonly price_minor: Minor;
}
interface PriceTier {
  readonly up_to_minor: Minor | null;
  readonly price_minor: Minor;
}

export type PriceRule = (
  | { readonly kind: 'flat'; readonly price_minor: Minor }
  | { readonly kind: 'weight_tiers'; readonly tiers: readonly WeightTier[] }
  | { readonly kind: 'price_tiers'; readonly tiers: readonly PriceTier[] }
) & {
  /** Shipping is free for goods of this price or more; never if it is null. */
  readonly free_over_minor: Minor | null;
};

export interface ZoneService {
  readonly carrier: string;
  readonly service: string;
  readonly transit_days_min: number;
  readonly transit_days_max: number;
  readonly price: PriceRule;
}

interface PostcodeRange {
  readonly from: string;
  readonly to: string;
}

/** The destinations: a country, and in Australia states or postcodes. Without them it is the whole country. */
export interface Zone {
  readonly name: string;
  readonly countries: readonly string[];
  readonly states: readonly string[];
  readonly postcodes: readonly PostcodeRange[];
  readonly services: readonly ZoneService[];
}

export interface Handling {
  /** The working days between the order and the hand-over. */
  readonly handling_days: number;
  /** `HH:MM` in the time zone of the rule. Later orders belong to the next working day. Null: there is no cut-off. */
  readonly cut_off: string | null;
  /** IANA name. */
  readonly timezone: string;
  readonly working_days: readonly WorkingDay[];
}

/** The handling of a profile, which always has a cut-off. */
export interface ProfileHandling extends Handling {
  readonly cut_off: string;
}

export interface ProfileContent extends ProfileHandling {
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

/** The first zone in the seller's order that includes the destination. */
export function zoneOf(zones: readonly Zone[], destination: Destination): Zone | undefined {
  return zones.find((zone) => covers(zone, destination));
}
