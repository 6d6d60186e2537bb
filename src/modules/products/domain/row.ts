/** The shapes that requests, native feeds and import profiles share: each of them makes a {@link ProductPatch}. */
import type { Minor } from '../../../kernel/money.ts';
import type { FileMark } from './file-marks.ts';

export const CONDITIONS = [
  'new',
  'new_open_box',
  'refurbished',
  'used_like_new',
  'used_very_good',
  'used_good',
  'used_acceptable',
  'for_parts',
] as const;
export type Condition = (typeof CONDITIONS)[number];

export const PRODUCT_STATUSES = ['draft', 'active', 'inactive', 'archived'] as const;
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

export const EXEMPTION_REASONS = [
  'handmade',
  'custom_made',
  'vintage',
  'bundle',
  'private_label',
  'part',
] as const;
export type ExemptionReason = (typeof EXEMPTION_REASONS)[number];

/** An identity as a row or a request states it; `domain/identity/resolve-identity.ts` checks it. */
export interface IdentityClaim {
  readonly strategy: 'product_id' | 'global_id' | 'mpn_brand' | 'exempt';
  /** `product_id`: the service's id. `global_id`: the code as entered. */
  readonly value?: string;
  /** `global_id` only: GTIN-8, GTIN-12, GTIN-13, GTIN-14, ISBN-10, ISBN-13, JAN, UPC, EAN; the code must fit it. */
  readonly scheme?: string;
  readonly mpn?: string;
  readonly brand?: string;
  readonly reason?: string;
  /** Who declared the exemption: the seller, or the file (`Does not apply`). */
  readonly source?: 'seller' | 'file';
}

/** Identity in separate columns (native feed). An absent key keeps the product's value, an empty text clears it. */
export interface IdentityParts {
  /** If it is empty, `domain/identity/compose-claim.ts` chooses the strategy from the other values. */
  readonly strategy?: IdentityClaim['strategy'] | '';
  readonly global_id?: string;
  readonly mpn?: string;
  readonly exempt_reason?: string;
  readonly product_id?: string;
}

export interface ImageClaim {
  readonly url: string;
  readonly alt?: string | null;
}

export interface Variation {
  readonly parent_sku: string;
  /** Names of the options joined by `/`, for example `Colour/Size`. */
  readonly theme: string;
  /** Option → value. */
  readonly values: Readonly<Record<string, string>>;
}

/** The changes of one row or request. An absent key keeps the value of the field, `null` clears it. */
export interface ProductPatch {
  readonly seller_sku?: string;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly brand?: string | null;
  readonly category?: string | null;
  readonly condition?: Condition | null;
  /** The file's own key for the product (a handle, a listing title with the hash of an image, …). */
  readonly external_key?: string | null;
  readonly identity?: IdentityClaim | null;
  /** A patch has `identity` or `identity_parts`, never both. */
  readonly identity_parts?: IdentityParts;
  readonly price_minor?: Minor | null;
  readonly compare_at_minor?: Minor | null;
  /** ISO 4217; planning rejects a currency that is not the seller's. */
  readonly currency?: string;
  /** Units on hand, 0 or more; `null` when unknown (the store does not track it, or another marketplace has it). */
  readonly quantity?: number | null;
  readonly reorder_point?: number | null;
  readonly shipping_profile_id?: string | null;
  readonly status?: ProductStatus;
  readonly images?: readonly ImageClaim[];
  /** Each key is set, or removed by `null`; other attributes keep their values. */
  readonly attributes?: Readonly<Record<string, string | null>>;
  readonly variation?: Variation | null;
  /** What the file can say in part only; the product keeps the rest (`domain/plan/keep-unsaid.ts`). */
  readonly partial?: PartialFields;
}

/**
 * `brand` and `category`: the attribute of which the field is a copy, because the file has no column for the field.
 * `images`: how many pictures the file has columns for, if the platform has more.
 * `status`: the file has no column for it; that it lists the product says only that a new one is on sale.
 * `options`: the options of the variation that the row has columns for, if it may have others.
 * `unqualified`: fields whose meaning another column of the platform qualifies, which the file lacks. Each with the
 * attribute that the product has if that column said that the field does not count (`FILE_MARKS`), or that it belongs to
 * one of several variants.
 */
export interface PartialFields {
  readonly brand?: string;
  readonly category?: string;
  readonly images?: number;
  readonly status?: true;
  readonly options?: readonly string[];
  readonly unqualified?: Partial<
    Record<'seller_sku' | 'status' | 'quantity' | 'price_minor', FileMark | 'variation_1_values'>
  >;
}

export type Severity = 'error' | 'warning' | 'info';

/** One finding about one row (docs/design/feeds-and-imports.md#row-results). */
export interface RowMessage {
  readonly code: string;
  readonly severity: Severity;
  readonly column?: string;
  /** At most 80 characters of the refused value. */
  readonly value_excerpt?: string;
  readonly message: string;
  readonly hint?: string;
  readonly expected?: string;
}

/** One mapped record of a feed. Readers and import profiles make rows in file order. */
export interface FeedRow {
  /** Counts data rows from 1. */
  readonly row_number: number;
  /** First and last physical line of the record in the file, from 1. */
  readonly line_start: number;
  readonly line_end: number;
  /** SHA-256 of the record's bytes in the file, without its line end. */
  readonly raw_sha256: Buffer;
  /** `null` when the record could not be read (`messages` then has an error), and for ignored and merged rows. */
  readonly patch: ProductPatch | null;
  readonly messages: readonly RowMessage[];
  /**
   * Absent for an ordinary product row.
   * `merged`: the row continues row `part_of`, for example with an image.
   * `ignored`: the row has no effect, for example an information line.
   * `staged`: the product stays a draft until the seller adds what the file lacks.
   * `deactivate`: the row takes the product off sale.
   */
  readonly role?: 'merged' | 'ignored' | 'staged' | 'deactivate';
  readonly part_of?: number;
  /** Keys that an earlier file may have given the product while it had no SKU there. */
  readonly former_keys?: readonly string[];
  /**
   * The cells as read, for the file of rejected rows. `null` stands for a key that a JSON row does not have: unlike an
   * empty cell, it does not clear the field.
   */
  readonly cells?: readonly (string | null)[];
  /**
   * The cells for the file of rejected rows, if the record is not complete without other records. They are made for
   * rejected rows only: the pictures of a long product times its rows would fill the memory. A `null` is the end of the
   * record of the parent listing, which stands before the row.
   *
   * @param cellMax the most bytes of a cell that is made of other records; 0: nothing of them
   */
  readonly standalone?: (cellMax: number) => readonly (string | null)[];
}
