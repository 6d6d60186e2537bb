/** Reads a profile from a request: amounts become money, and missing fields get their defaults. */
import { type Minor, minor } from '../../../kernel/money.ts';
import type { PriceRule, ProfileHandling, Zone } from '../domain/profile.ts';
import type { ZoneWire } from './profile.ts';

type PriceWire = ZoneWire['services'][number]['price'];

const orNull = (amount: number | null | undefined): Minor | null => (amount == null ? null : minor(amount));

function readPrice(price: PriceWire): PriceRule {
  const free_over_minor = orNull(price.free_over_minor);
  if (price.kind === 'flat') return { ...price, price_minor: minor(price.price_minor), free_over_minor };
  if (price.kind === 'weight_tiers') {
    const tiers = price.tiers.map((tier) => ({ ...tier, price_minor: minor(tier.price_minor) }));
    return { ...price, tiers, free_over_minor };
  }
  const tiers = price.tiers.map(({ up_to_minor, price_minor }) => ({
    up_to_minor: orNull(up_to_minor),
    price_minor: minor(price_minor),
  }));
  return { ...price, tiers, free_over_minor };
}

export function readZones(zones: readonly ZoneWire[]): Zone[] {
  return zones.map(({ name, countries = ['AU'], states = [], postcodes = [], services }) => ({
    name,
    countries,
    states,
    postcodes,
    services: services.map((offer) => ({ ...offer, price: readPrice(offer.price) })),
  }));
}

/** The default: a seller in Sydney who works on weekdays. */
export const HANDLING_DEFAULT: ProfileHandling = {
  handling_days: 1,
  cut_off: '14:00',
  timezone: 'Australia/Sydney',
  working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
};

/** The stored content of a profile. */
export interface StoredContent extends ProfileHandling {
  readonly name: string;
  readonly is_default: boolean;
  readonly zones: readonly ZoneWire[];
}
