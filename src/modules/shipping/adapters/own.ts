/**
 * The built-in carrier: the seller delivers, and the rate table has the prices. It needs no network and cannot fail.
 */
import { auAddressProblems, stateOfPostcode } from '../../../kernel/australia/address.ts';
import { AU_STATES } from '../../../kernel/australia/postcode.ts';
import { fail } from '../../../kernel/errors.ts';
import { carrierOf, OWN_CARRIER } from '../domain/carriers.ts';
import { pointRefusal } from '../domain/price-basket.ts';
import { ownRate } from '../domain/rate-table.ts';
import { newTrackingNumber } from '../domain/tracking-number.ts';
import { shippingErrors } from '../errors.ts';
import type { CarrierAdapter, CarrierOption, LabelRequest, RefusedService } from './adapter.ts';

/** Reports a problem of a field as a problem of the address. */
const REFUSALS: Readonly<Record<string, string>> = {
  enum: 'state_unknown',
  string_pattern_mismatch: 'postcode_invalid',
};

const quoted = (value: string | null | undefined): string => (value == null ? 'none' : `"${value}"`);
/** Why a parcel has no label, with the value that is refused. */
function whyNot(code: string, service: string, { state, postcode, country }: LabelRequest['to']): string {
  const why: Readonly<Record<string, string>> = {
    po_box_refused: 'The delivery address is a post office box, which only Australia Post reaches.',
    parcel_locker_refused: 'The delivery address is a parcel locker, which only Australia Post reaches.',
    state_unknown: `The delivery address needs a state of Australia (${AU_STATES.join(', ')}); it has ${quoted(state)}.`,
    postcode_invalid: `The delivery address needs a postcode of four digits; it has ${quoted(postcode)}.`,
    postcode_outside_state: `The postcode ${quoted(postcode)} of the delivery address is not in ${quoted(state)}.`,
    street_missing: 'The delivery address has no street.',
    country_not_served: `Own delivery goes to addresses in Australia; this one is in ${quoted(country)}.`,
    service_unknown: `Own delivery has no service ${quoted(service)}.`,
  };
  return why[code] ?? shippingErrors.carrier_refused.detail;
}

export const ownCarrier: CarrierAdapter = {
  carrier: OWN_CARRIER,

  async quote(request) {
    const options: CarrierOption[] = [];
    const refused: RefusedService[] = [];
    for (const { code } of carrierOf(OWN_CARRIER)?.services ?? []) {
      const rate = ownRate(code, request);
      if (!rate.ok) refused.push({ service: code, reason: rate.reason });
      else {
        const { price, eta_days_min, eta_days_max } = rate;
        options.push({ service: code, price, eta_days_min, eta_days_max });
      }
    }
    return { options, refused };
  },

  async createLabel({ service, from, to, packages }) {
    const refuse = (carrier_code: string) =>
      fail(shippingErrors.carrier_refused, {
        detail: whyNot(carrier_code, service, to),
        facts: { carrier: OWN_CARRIER, carrier_code },
      });
    // Without a state, the postcode decides it.
    const state = to.state ?? stateOfPostcode(to.postcode ?? '');
    const refused =
      pointRefusal(OWN_CARRIER, to) ??
      auAddressProblems({ ...to, state }, [])[0]?.type ??
      (to.line1.trim() === '' ? 'street_missing' : undefined);
    if (refused !== undefined) throw refuse(REFUSALS[refused] ?? refused);
    const rate = ownRate(service, { from_postcode: from.postcode ?? '', to, packages });
    if (!rate.ok) throw refuse(rate.reason);
    return {
      tracking_numbers: packages.map(() => newTrackingNumber()),
      carrier_reference: null,
      price: rate.price,
    };
  },

  async voidLabel() {
    // There is nothing to void, because no other party knows the label.
  },

  async track() {
    return [];
  },
};
