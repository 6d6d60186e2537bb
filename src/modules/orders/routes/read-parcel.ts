import { invalid } from '../../../kernel/errors.ts';
import { checkTracking, trackingUrl } from '../../shipping/index.ts';
import type { Parcel } from '../domain/shipments.ts';

/**
 * Carrier and tracking number of a body.
 *
 * @returns undefined when the body has neither
 * @throws ApiError 422 `carrier_unknown`, `tracking_invalid`, `missing`
 */
export function readParcel(body: {
  readonly carrier?: string | undefined;
  readonly service?: string | undefined;
  readonly tracking_number?: string | undefined;
}): Parcel | undefined {
  const { carrier, service, tracking_number } = body;
  if (carrier === undefined && tracking_number === undefined) return undefined;
  if (carrier === undefined || tracking_number === undefined)
    throw invalid([
      {
        loc: ['body', carrier === undefined ? 'carrier' : 'tracking_number'],
        msg: 'Send `carrier` and `tracking_number` together.',
        type: 'missing',
      },
    ]);
  const check = checkTracking(carrier, tracking_number);
  if (!check.ok) {
    const unknown = check.problem === 'carrier_unknown';
    throw invalid([
      {
        loc: ['body', unknown ? 'carrier' : 'tracking_number'],
        msg: check.detail,
        type: unknown ? 'carrier_unknown' : 'tracking_invalid',
        input: unknown ? carrier : tracking_number,
      },
    ]);
  }
  const number = check.tracking_number;
  return {
    carrier,
    service: service ?? null,
    tracking_number: number,
    tracking_url: trackingUrl(carrier, number),
  };
}
