/**
 * The built-in carrier's rates: what a seller's own delivery costs by distance and weight. A table of the
 * service, the same for everyone, without network: amounts in Australian cents, GST included.
 */
import { stateOfPostcode } from '../../../kernel/australia/address.ts';
import { type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { OWN_CARRIER } from './carriers.ts';

export interface Parcel {
  readonly weight_g: number;
  readonly length_mm: number;
  readonly width_mm: number;
  readonly height_mm: number;
}

export interface RateRequest {
  readonly from_postcode: string;
  readonly to: {
    readonly state?: string | null;
    readonly postcode?: string | null;
    readonly country: string;
  };
  readonly packages: readonly Parcel[];
}

export const RATE_CURRENCY = 'AUD';
export type OwnService = 'standard' | 'express';
type Distance = 'local' | 'state' | 'national' | 'far';

/** Largest parcel: what one person carries and a car takes. */
export const WEIGHT_MAX_G = 22_000;
export const LENGTH_MAX_MM = 1_050;
export const VOLUME_MAX_MM3 = 250_000_000;
/** A cubic metre counts as 250 kg, the usual factor of Australian carriers: 4,000 mm³ a gram. */
const MM3_PER_G = 4_000;

/** Upper bounds of the weight classes in grams, inclusive. */
const CLASSES_G = [500, 1_000, 3_000, 5_000, 10_000, WEIGHT_MAX_G] as const;
const RATES: Readonly<Record<OwnService, Readonly<Record<Distance, readonly number[]>>>> = {
  standard: {
    local: [745, 895, 1045, 1195, 1495, 1995],
    state: [895, 1045, 1245, 1495, 1995, 2795],
    national: [975, 1195, 1595, 1995, 2895, 4495],
    far: [1095, 1395, 1995, 2595, 3995, 6495],
  },
  express: {
    local: [995, 1195, 1395, 1595, 2095, 2895],
    state: [1195, 1495, 1795, 2195, 2995, 4295],
    national: [1295, 1695, 2395, 3095, 4695, 7495],
    far: [1495, 2095, 3095, 4195, 6695, 10995],
  },
};
const TRANSIT_DAYS: Readonly<Record<OwnService, Readonly<Record<Distance, readonly [number, number]>>>> = {
  standard: { local: [1, 2], state: [2, 3], national: [2, 5], far: [4, 8] },
  express: { local: [1, 1], state: [1, 2], national: [1, 3], far: [2, 4] },
};
/** Reached by road in days from everywhere else. */
const FAR_STATES: readonly string[] = ['NT', 'TAS', 'WA'];

function distanceOf(from: string, to: string): Distance {
  const origin = stateOfPostcode(from);
  const target = stateOfPostcode(to);
  if (origin !== target)
    return FAR_STATES.some((far) => far === origin || far === target) ? 'far' : 'national';
  // The first two digits are a region of a state.
  return from.slice(0, 2) === to.slice(0, 2) ? 'local' : 'state';
}

/** Grams that a parcel counts for: its own, or what its size stands for. */
export function chargeableGrams({ weight_g, length_mm, width_mm, height_mm }: Parcel): number {
  return Math.max(weight_g, Math.ceil((length_mm * width_mm * height_mm) / MM3_PER_G));
}

export type RateRefusal = 'service_unknown' | 'country_not_served' | 'too_heavy' | 'too_long' | 'too_large';

export type Rate =
  | {
      readonly ok: true;
      readonly price: Minor;
      readonly eta_days_min: number;
      readonly eta_days_max: number;
    }
  | { readonly ok: false; readonly reason: RateRefusal };

function refusalOf(parcel: Parcel): RateRefusal | undefined {
  const { length_mm, width_mm, height_mm } = parcel;
  if (Math.max(length_mm, width_mm, height_mm) > LENGTH_MAX_MM) return 'too_long';
  if (length_mm * width_mm * height_mm > VOLUME_MAX_MM3) return 'too_large';
  return chargeableGrams(parcel) > WEIGHT_MAX_G ? 'too_heavy' : undefined;
}

const isOwnService = (code: string): code is OwnService => code in RATES;

/**
 * What the built-in carrier asks for parcels, each by itself. Postcodes are well-formed.
 *
 * @returns the price for all of them, or why there is none
 */
export function ownRate(service: string, { from_postcode, to, packages }: RateRequest): Rate {
  if (!Object.hasOwn(RATES, service) || !isOwnService(service))
    return { ok: false, reason: 'service_unknown' };
  if (to.country !== 'AU' || to.postcode == null) return { ok: false, reason: 'country_not_served' };
  const refused = packages.map(refusalOf).find((reason) => reason !== undefined);
  if (refused !== undefined) return { ok: false, reason: refused };
  const distance = distanceOf(from_postcode, to.postcode);
  const rates = RATES[service][distance];
  const prices = packages.map((parcel) => {
    const grams = chargeableGrams(parcel);
    return minor(rates[CLASSES_G.findIndex((bound) => grams <= bound)] ?? 0);
  });
  const [eta_days_min, eta_days_max] = TRANSIT_DAYS[service][distance];
  return { ok: true, price: sumMinor(prices), eta_days_min, eta_days_max };
}

/**
 * The price of a label that names carrier and service instead of a quote. Only the built-in carrier's are known
 * here; others are asked by their adapter.
 */
export function rateOf(
  { carrier, service }: { readonly carrier: string; readonly service: string },
  request: RateRequest,
): Rate {
  return carrier === OWN_CARRIER ? ownRate(service, request) : { ok: false, reason: 'service_unknown' };
}
