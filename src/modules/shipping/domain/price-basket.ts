/**
 * Prices a basket for a destination: each service of the profile has its price and the reason, or why it is not
 * offered.
 */
import { deliveryPointOf } from '../../../kernel/australia/address.ts';
import type { Minor } from '../../../kernel/money.ts';
import { carrierName, carrierOf, serviceName } from './carriers.ts';
import { type Basket, priceOf, type RuleMatch } from './price-rule.ts';
import { type Destination, type Zone, type ZoneService, zoneOf } from './profile.ts';

type ServiceRefusal = 'above_last_tier' | 'po_box_refused' | 'parcel_locker_refused' | 'carrier_unknown';

interface PricedService {
  readonly carrier: string;
  readonly service: string;
  readonly name: string;
  readonly available: boolean;
  readonly price: Minor | null;
  readonly matched: RuleMatch | null;
  readonly tier: number | null;
  readonly reason: ServiceRefusal | null;
  readonly why: string;
  readonly transit_days_min: number;
  readonly transit_days_max: number;
}

export interface PricedBasket {
  /** The name of the zone; null if the profile does not send there. */
  readonly zone: string | null;
  readonly services: readonly PricedService[];
}

/** Whether a carrier delivers to such an address. */
export function pointRefusal(carrier: string, destination: Destination): ServiceRefusal | undefined {
  const point = deliveryPointOf([destination.line1, destination.line2]);
  const known = carrierOf(carrier);
  if (known === undefined) return 'carrier_unknown';
  if (point === 'street' || !known.refuses.includes(point)) return undefined;
  return point === 'po_box' ? 'po_box_refused' : 'parcel_locker_refused';
}

const REFUSALS: Readonly<Record<Exclude<ServiceRefusal, 'above_last_tier'>, string>> = {
  po_box_refused: 'The carrier does not deliver to boxes of the post.',
  parcel_locker_refused: 'The carrier does not deliver to parcel lockers.',
  carrier_unknown: 'The carrier is not in the catalogue any more.',
};

function priceService(offer: ZoneService, basket: Basket, destination: Destination): PricedService {
  const { carrier, service, transit_days_min, transit_days_max } = offer;
  const name = `${carrierName(carrier)} ${serviceName(carrier, service)}`;
  const base = { carrier, service, name, transit_days_min, transit_days_max };
  const none = { ...base, available: false, price: null, matched: null, tier: null };
  const refused = pointRefusal(carrier, destination);
  if (refused !== undefined && refused !== 'above_last_tier')
    return { ...none, reason: refused, why: REFUSALS[refused] };
  const priced = priceOf(offer.price, basket);
  if (!priced.ok) return { ...none, reason: priced.reason, why: priced.why };
  const { price, matched, tier, why } = priced;
  return { ...base, available: true, price, matched, tier, reason: null, why };
}

/** The offers for a buyer at a destination. */
export function priceBasket(zones: readonly Zone[], basket: Basket, destination: Destination): PricedBasket {
  const zone = zoneOf(zones, destination);
  if (zone === undefined) return { zone: null, services: [] };
  return {
    zone: zone.name,
    services: zone.services.map((offer) => priceService(offer, basket, destination)),
  };
}
