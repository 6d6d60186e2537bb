/** From the wire to the domain: amounts become money, what was left out gets its default. */
import { minor } from '../../../kernel/money.ts';
import type { Handling, PriceRule, Zone } from '../domain/profile.ts';
import type { ZoneWire } from './profile.ts';

type PriceWire = ZoneWire['services'][number]['price'];

function readPrice(price: PriceWire): PriceRule {
  const free_over_minor = price.free_over_minor == null ? null : minor(price.free_over_minor);
  switch (price.kind) {
    case 'flat':
      return { kind: 'flat', price_minor: minor(price.price_minor), free_over_minor };
    case 'weight_tiers': {
      const tiers = price.tiers.map((tier) => ({
        up_to_g: tier.up_to_g,
        price_minor: minor(tier.price_minor),
      }));
      return { kind: 'weight_tiers', tiers, free_over_minor };
    }
    case 'price_tiers': {
      const tiers = price.tiers.map((tier) => ({
        up_to_minor: tier.up_to_minor === null ? null : minor(tier.up_to_minor),
        price_minor: minor(tier.price_minor),
      }));
      return { kind: 'price_tiers', tiers, free_over_minor };
    }
  }
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

/** A seller in Sydney that works on weekdays. */
export const HANDLING_DEFAULT: Handling = {
  handling_days: 1,
  cut_off: '14:00',
  timezone: 'Australia/Sydney',
  working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
};

/** What a profile says, as stored. */
export interface StoredContent extends Handling {
  readonly name: string;
  readonly is_default: boolean;
  readonly zones: readonly ZoneWire[];
}
