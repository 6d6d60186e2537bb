/** The interface of carriers. An adapter is made for each request and has no state. */
import type { Minor } from '../../../kernel/money.ts';
import type { LabelAddress } from '../domain/label.ts';
import type { Parcel, RateRequest } from '../domain/rate-table.ts';

export interface CarrierOption {
  readonly service: string;
  readonly price: Minor;
  readonly eta_days_min: number;
  readonly eta_days_max: number;
}

/** Why a service is not offered. */
export interface RefusedService {
  readonly service: string;
  readonly reason: string;
}

export interface CarrierQuote {
  readonly options: readonly CarrierOption[];
  readonly refused: readonly RefusedService[];
}

export interface LabelRequest {
  /** Identifies the label. A second request with the same reference makes no second label. */
  readonly reference: string;
  readonly service: string;
  readonly from: LabelAddress;
  readonly to: LabelAddress;
  readonly packages: readonly Parcel[];
  readonly authority_to_leave: boolean;
}

interface CarrierLabel {
  /** One number for each package, in their order. */
  readonly tracking_numbers: readonly string[];
  /** The carrier's id of the shipment, for `voidLabel`; null if the carrier needs none. */
  readonly carrier_reference: string | null;
  readonly price: Minor;
}

export interface CarrierEvent {
  readonly at: string;
  readonly description: string;
  readonly location: string | null;
}

/** All methods can throw ApiError 503 `carrier_unavailable` and 409 `carrier_refused`. */
export interface CarrierAdapter {
  /** Code of the catalogue. */
  readonly carrier: string;
  quote(request: RateRequest): Promise<CarrierQuote>;
  createLabel(request: LabelRequest): Promise<CarrierLabel>;
  /** Voiding a void label is not an error. */
  voidLabel(carrierReference: string | null): Promise<void>;
  /** Newest first; empty when the carrier has not seen the parcel. */
  track(trackingNumber: string): Promise<readonly CarrierEvent[]>;
}
