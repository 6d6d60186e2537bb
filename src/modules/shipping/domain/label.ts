/** The content of a parcel label. */
import type { PostalAddress } from '../../../kernel/australia/address.ts';

/** A postal address of an order. */
export interface LabelAddress extends PostalAddress {
  readonly phone?: string | null;
}

/** An address as labels and manifests keep it: every part has a value. */
export interface PrintedAddress extends LabelAddress {
  readonly name: string | null;
  readonly company: string | null;
  readonly line2: string | null;
  readonly state: string | null;
  readonly postcode: string | null;
  readonly phone: string | null;
}

export interface Label {
  /** Codes of the catalogue (`carrierOf`). */
  readonly carrier: string;
  readonly service: string;
  readonly tracking_number: string;
  readonly from: LabelAddress;
  readonly to: LabelAddress;
  readonly order_number: string;
  /** The seller's reference of the parcel: the shipment's id. */
  readonly reference: string;
  /** The number of the package, from 1, and the number of packages. */
  readonly parcel: { readonly number: number; readonly count: number; readonly weight_g: number };
  /** Whether the carrier may leave the parcel in a safe place. */
  readonly authority_to_leave: boolean;
  /** RFC 3339. It is fixed, so that the same label always gives the same file. */
  readonly created_at: string;
}

/** Grams as kilograms with three decimals. */
export const kilograms = (grams: number): string =>
  `${Math.floor(grams / 1000)}.${String(grams % 1000).padStart(3, '0')}`;

export const LABEL_STATUSES = ['purchased', 'voided'] as const;

/** What a label shows, as orders keep it. */
export interface StoredLabelContent {
  readonly from: LabelAddress;
  readonly to: LabelAddress;
  readonly order_number: string;
  readonly reference: string;
  /** One for each package. */
  readonly tracking_numbers: readonly string[];
  readonly packages: readonly { readonly weight_g: number }[];
  readonly authority_to_leave: boolean;
  /** The receiver was erased. */
  readonly erased?: true;
}

/** A label as orders keep it. */
export interface StoredLabel extends Pick<Label, 'carrier' | 'service' | 'created_at'> {
  readonly label_id: string;
  readonly content: StoredLabelContent;
}

/**
 * A sender without a street has only the postcode that the price was worked out from; a label must not show it.
 */
const printedSender = (from: LabelAddress): LabelAddress =>
  from.line1 === '' ? { ...from, city: '', state: null, postcode: null } : from;

/** The labels of a consignment, one for each package. */
export function labelsOf({ carrier, service, created_at, content }: StoredLabel): Label[] {
  const { tracking_numbers, packages, from, to, order_number, reference, authority_to_leave } = content;
  return tracking_numbers.map((tracking_number, index) => ({
    ...{ carrier, service, tracking_number, created_at },
    ...{ from: printedSender(from), to, order_number, reference, authority_to_leave },
    parcel: { number: index + 1, count: packages.length, weight_g: packages[index]?.weight_g ?? 0 },
  }));
}

export type LabelFormat = 'pdf' | 'png' | 'zpl';
export type LabelSize = 'a6' | 'a4';

export interface LabelFile {
  readonly type: 'application/pdf' | 'image/png' | 'application/zpl';
  readonly data: Buffer;
}
