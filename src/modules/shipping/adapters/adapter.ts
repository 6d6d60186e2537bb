/** What the service asks of a carrier. An adapter is made for each request and keeps nothing. */
import type { Minor } from '../../../kernel/money.ts';
import type { LabelAddress } from '../domain/label.ts';
import type { Parcel, RateRequest } from '../domain/rate-table.ts';

export interface CarrierOption {
  readonly service: string;
  readonly price: Minor;
  readonly eta_days_min: number;
  readonly eta_days_max: number;
}

/** Why a service is not among the options. */
export interface RefusedService {
  readonly service: string;
  readonly reason: string;
}

export interface CarrierQuote {
  readonly options: readonly CarrierOption[];
  readonly refused: readonly RefusedService[];
}

export interface LabelRequest {
  /** Names the label for good: asking again with the same reference makes no second one. */
  readonly reference: string;
  readonly service: string;
  readonly from: LabelAddress;
  readonly to: LabelAddress;
  readonly packages: readonly Parcel[];
  readonly authority_to_leave: boolean;
}

export interface CarrierLabel {
  /** One for each package, in their order. */
  readonly tracking_numbers: readonly string[];
  /** What the carrier calls the shipment, for `voidLabel`; null where it needs none. */
  readonly carrier_reference: string | null;
  readonly price: Minor;
}

export interface CarrierEvent {
  readonly at: string;
  readonly description: string;
  readonly location: string | null;
}

/** Every method throws ApiError 503 `carrier_unavailable`, or 409 `carrier_refused`. */
export interface CarrierAdapter {
  /** Code of the catalogue. */
  readonly carrier: string;
  quote(request: RateRequest): Promise<CarrierQuote>;
  createLabel(request: LabelRequest): Promise<CarrierLabel>;
  /** Voiding what is void already is no error. */
  voidLabel(carrierReference: string | null): Promise<void>;
  /** Newest first; empty when the carrier has not seen the parcel. */
  track(trackingNumber: string): Promise<readonly CarrierEvent[]>;
}
