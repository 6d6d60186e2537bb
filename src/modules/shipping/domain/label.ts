/** What a parcel label says. */

/** A postal address as orders have it; null and absent are the same. */
export interface LabelAddress {
  readonly name?: string | null;
  readonly company?: string | null;
  readonly line1: string;
  readonly line2?: string | null;
  readonly city: string;
  readonly state?: string | null;
  readonly postcode?: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly phone?: string | null;
}

export interface Label {
  /** Codes of the catalogue (`carrierOf`). */
  readonly carrier: string;
  readonly service: string;
  readonly tracking_number: string;
  readonly from: LabelAddress;
  readonly to: LabelAddress;
  readonly order_number: string;
  /** What the seller calls the parcel: the shipment's id. */
  readonly reference: string;
  /** Which parcel of how many, from 1. */
  readonly parcel: { readonly number: number; readonly count: number; readonly weight_g: number };
  /** The carrier may leave the parcel in a safe place. */
  readonly authority_to_leave: boolean;
  /** RFC 3339; the same label made again is the same file. */
  readonly created_at: string;
}

export type LabelFormat = 'pdf' | 'png' | 'zpl';
export type LabelSize = 'a6' | 'a4';

export interface LabelFile {
  readonly type: 'application/pdf' | 'image/png' | 'application/zpl';
  readonly data: Buffer;
}
