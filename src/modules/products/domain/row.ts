/**
 * The shapes that requests, native feeds and import profiles share: all of them make a {@link ProductPatch}, which is
 * planned and applied in one way.
 */
import type { Minor } from '../../../kernel/money.ts';

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

/** An identity as it is stated; `domain/identity/resolve-identity.ts` checks it. */
export interface IdentityClaim {
  readonly strategy: 'product_id' | 'global_id' | 'mpn_brand' | 'exempt';
  /** `product_id`: the service's id. `global_id`: the code as entered. */
  readonly value?: string;
  /** `global_id` only: GTIN-8, GTIN-12, GTIN-13, GTIN-14, ISBN-10, ISBN-13, JAN, UPC, EAN; checked against the code when given. */
  readonly scheme?: string;
  readonly mpn?: string;
  readonly brand?: string;
  readonly reason?: string;
  /** Who declared an exemption: the seller through the API, or the file itself (`Does not apply`). */
  readonly source?: 'seller' | 'file';
}

/**
 * Identity in separate columns (native feed). An absent key leaves the product's value, an empty text clears it;
 * `domain/identity/compose-claim.ts` chooses the strategy.
 */
export interface IdentityParts {
  /** Empty: chosen from the other values. */
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
  /** Names of the option axes joined by `/`, for example `Colour/Size`. */
  readonly theme: string;
  /** Option axis → value, in axis order. */
  readonly values: Readonly<Record<string, string>>;
}

/**
 * The changes of one row or request. An absent key leaves the field as it is, `null` clears it. Texts are as written,
 * but without NBSP and zero-width characters at their ends.
 */
export interface ProductPatch {
  readonly seller_sku?: string;
  /** `null` only where the product stays a draft. */
  readonly title?: string | null;
  readonly description?: string | null;
  readonly brand?: string | null;
  readonly category?: string | null;
  readonly condition?: Condition | null;
  /** Key of the product in the file it came from (handle, listing title + image hash, …), unique per seller and profile. */
  readonly external_key?: string | null;
  readonly identity?: IdentityClaim | null;
  /** Instead of `identity`, never beside it. */
  readonly identity_parts?: IdentityParts;
  readonly price_minor?: Minor | null;
  readonly compare_at_minor?: Minor | null;
  /** ISO 4217; a feed row with a currency that is not the seller's is rejected `currency_mismatch`. */
  readonly currency?: string;
  /** Units on hand, 0 or more; `null` = unknown (stock not tracked, or held by another marketplace). */
  readonly quantity?: number | null;
  readonly reorder_point?: number | null;
  readonly status?: ProductStatus;
  readonly images?: readonly ImageClaim[];
  /** Merged key by key; a `null` value removes the key. */
  readonly attributes?: Readonly<Record<string, string | null>>;
  readonly variation?: Variation | null;
}

export type Severity = 'error' | 'warning' | 'info';

/** One finding about one row; shape of docs/design/feeds-and-imports.md#row-results. */
export interface RowMessage {
  readonly code: string;
  readonly severity: Severity;
  readonly column?: string;
  /** At most 80 characters of the offending value. */
  readonly value_excerpt?: string;
  readonly message: string;
  readonly hint?: string;
  readonly expected?: string;
}

/**
 * One mapped record of a feed. Readers and import profiles make rows in file order; `row_number` counts data rows
 * from 1.
 */
export interface FeedRow {
  readonly row_number: number;
  /** First and last physical line of the record in the file, from 1. */
  readonly line_start: number;
  readonly line_end: number;
  /** SHA-256 of the record's bytes in the file, without its line end. */
  readonly raw_sha256: Buffer;
  /** `null` when the record could not be read; `messages` then holds an error. */
  readonly patch: ProductPatch | null;
  readonly messages: readonly RowMessage[];
  /**
   * Set by a profile when the row is not a product of its own:
   * `merged` a continuation or image row that is part of row `part_of`;
   * `ignored` an info line or another row without effect;
   * `staged` a product that stays a draft until the seller adds what the file lacks;
   * `deactivate` the row takes the product out of sale.
   */
  readonly role?: 'merged' | 'ignored' | 'staged' | 'deactivate';
  readonly part_of?: number;
  /**
   * The cells as read, for the file of rejected rows. `null`: a row of JSON does not have the key, which is different
   * from an empty cell.
   */
  readonly cells?: readonly (string | null)[];
}
