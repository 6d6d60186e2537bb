import { ApiError, fail } from '../../../kernel/errors.ts';
import { minorToJson } from '../../../kernel/money.ts';
import type { CarrierAdapter, CarrierQuote } from '../adapters/adapter.ts';
import { carrierName, serviceName } from '../domain/carriers.ts';
import { pointRefusal } from '../domain/price-basket.ts';
import type { Destination } from '../domain/profile.ts';
import type { RateRequest } from '../domain/rate-table.ts';
import { shippingErrors } from '../errors.ts';
import type { QuoteOption, QuoteRefusal } from '../store/quotes.ts';

const LABEL_FORMATS = ['pdf', 'png', 'zpl'];

export interface QuoteAnswer {
  readonly options: readonly QuoteOption[];
  readonly refused: readonly QuoteRefusal[];
}

function shown(carrier: string, { options, refused }: CarrierQuote): QuoteAnswer {
  return {
    options: options.map(({ service, price, eta_days_min, eta_days_max }) => ({
      // The id is readable, and unique in the quote, because an option is a service of a carrier.
      option_id: `${carrier}.${service}`,
      carrier,
      service,
      name: `${carrierName(carrier)} ${serviceName(carrier, service)}`,
      price_minor: minorToJson(price),
      eta_days_min,
      eta_days_max,
      label_formats: LABEL_FORMATS,
    })),
    refused: refused.map(({ service, reason }) => ({ carrier, service, reason })),
  };
}

const refusal = (carrier: string, reason: string): QuoteAnswer => ({
  options: [],
  refused: [{ carrier, service: null, reason }],
});

/** The offers of a carrier. If the carrier does not answer, it is a refusal, unless the request names the carrier. */
async function askOne(
  adapter: CarrierAdapter,
  request: RateRequest & { readonly to: Destination },
  byName: boolean,
): Promise<QuoteAnswer> {
  const refused = pointRefusal(adapter.carrier, request.to);
  if (refused !== undefined) return refusal(adapter.carrier, refused);
  try {
    return shown(adapter.carrier, await adapter.quote(request));
  } catch (error) {
    if (byName || !(error instanceof ApiError)) throw error;
    return refusal(adapter.carrier, error.code);
  }
}

/**
 * Asks all carriers at the same time for their prices. The cheapest option comes first.
 *
 * @param wanted codes of the catalogue; by default all connected carriers
 * @throws ApiError 503 `carrier_unavailable`, 409 `carrier_refused`, only for a carrier that the request names
 */
export async function askForQuote(
  adapters: readonly CarrierAdapter[],
  request: RateRequest & { readonly to: Destination },
  wanted: readonly string[] | undefined,
): Promise<QuoteAnswer> {
  const missing = (wanted ?? []).filter((code) => !adapters.some(({ carrier }) => carrier === code));
  const asked = wanted === undefined ? adapters : adapters.filter(({ carrier }) => wanted.includes(carrier));
  if (asked.length === 0 && missing[0] !== undefined)
    throw fail(shippingErrors.carrier_not_connected, { facts: { carrier: missing[0] } });
  const answers = await Promise.all(asked.map((adapter) => askOne(adapter, request, wanted !== undefined)));
  const options = answers.flatMap((answer) => answer.options);
  return {
    options: options.sort((one, two) => one.price_minor - two.price_minor),
    refused: [
      ...answers.flatMap((answer) => answer.refused),
      ...missing.map((carrier) => ({ carrier, service: null, reason: 'carrier_not_connected' })),
    ],
  };
}
