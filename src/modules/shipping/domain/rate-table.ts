/**
 * The built-in carrier's rates: the price of a seller's own delivery by distance and weight. The table is the same for
 * all sellers. Amounts are Australian cents with GST.
 */
import { stateOfPostcode } from '../../../kernel/australia/address.ts';
import { type Minor, minor, sumMinor, timesUnits } from '../../../kernel/money.ts';
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
type OwnService = 'standard' | 'express';
type Distance = 'local' | 'state' | 'national' | 'far';

/**
 * Where the table ends. A heavier parcel costs as much as parcels of this weight and one of the rest: the seller's own
 * delivery has no limit but that of the request (1,000 kg, 10 m).
 */
export const TABLE_END_G = 22_000;
/** A cubic metre counts as 250 kg, as with most Australian carriers. That is 4,000 mm³ for a gram. */
const MM3_PER_G = 4_000;

/** Upper bounds of the weight classes in grams, inclusive. */
const CLASSES_G = [500, 1_000, 3_000, 5_000, 10_000, TABLE_END_G] as const;
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
/** By road these states need days from all other states. */
const FAR_STATES: readonly string[] = ['NT', 'TAS', 'WA'];

function distanceOf(from: string, to: string): Distance {
  const origin = stateOfPostcode(from);
  const target = stateOfPostcode(to);
  if (origin !== target)
    return FAR_STATES.some((far) => far === origin || far === target) ? 'far' : 'national';
  // The first two digits are a region of a state.
  return from.slice(0, 2) === to.slice(0, 2) ? 'local' : 'state';
}

/** The grams for which a parcel counts: its weight, or the weight for its size if that is larger. */
export function chargeableGrams({ weight_g, length_mm, width_mm, height_mm }: Parcel): number {
  return Math.max(weight_g, Math.ceil((length_mm * width_mm * height_mm) / MM3_PER_G));
}

type RateRefusal = 'service_unknown' | 'country_not_served';

type Rate =
  | {
      readonly ok: true;
      readonly price: Minor;
      readonly eta_days_min: number;
      readonly eta_days_max: number;
    }
  | { readonly ok: false; readonly reason: RateRefusal };

/** @param rates the prices of the weight classes */
function priceOf(rates: readonly number[], grams: number): Minor {
  const whole = Math.floor((grams - 1) / TABLE_END_G);
  const rest = grams - whole * TABLE_END_G;
  const last = minor(rates.at(-1) ?? 0);
  return sumMinor([
    timesUnits(last, whole),
    minor(rates[CLASSES_G.findIndex((bound) => rest <= bound)] ?? 0),
  ]);
}

const isOwnService = (code: string): code is OwnService => code in RATES;

/**
 * The built-in carrier's price for parcels. Each parcel is priced by itself. Postcodes must be well-formed.
 *
 * @returns the price of all parcels, or why there is none
 */
export function ownRate(service: string, { from_postcode, to, packages }: RateRequest): Rate {
  if (!Object.hasOwn(RATES, service) || !isOwnService(service))
    return { ok: false, reason: 'service_unknown' };
  if (to.country !== 'AU' || to.postcode == null) return { ok: false, reason: 'country_not_served' };
  const distance = distanceOf(from_postcode, to.postcode);
  const rates = RATES[service][distance];
  const prices = packages.map((parcel) => priceOf(rates, chargeableGrams(parcel)));
  const [eta_days_min, eta_days_max] = TRANSIT_DAYS[service][distance];
  return { ok: true, price: sumMinor(prices), eta_days_min, eta_days_max };
}

/**
 * The price of a label that names a carrier and a service instead of a quote. This knows only the prices of the
 * built-in carrier; the adapters ask other carriers.
 */
export function rateOf(
  { carrier, service }: { readonly carrier: string; readonly service: string },
  request: RateRequest,
): Rate {
  return carrier === OWN_CARRIER ? ownRate(service, request) : { ok: false, reason: 'service_unknown' };
}
