/**
 * A product of the catalogue: the state that planning reads and writes. Functions compute the derived values
 * (`visible`, `quantity_available`).
 */
import type { GtinScheme } from '../../../kernel/gtin.ts';
import type { Minor } from '../../../kernel/money.ts';
import type { Condition, ExemptionReason, ProductStatus, Severity, Variation } from './row.ts';

export const IDENTITY_STRATEGIES = ['product_id', 'global_id', 'mpn_brand', 'exempt'] as const;
export type IdentityStrategy = (typeof IDENTITY_STRATEGIES)[number];

/** Who counts the units on hand: the seller, or the supplier of the dropship listing. */
export const STOCK_SOURCES = ['own', 'supplier'] as const;
export type StockSource = (typeof STOCK_SOURCES)[number];

export const CURATION_STATES = ['not_submitted', 'pending', 'approved', 'rejected', 'suspended'] as const;
export type CurationState = (typeof CURATION_STATES)[number];

/** The chosen identity. Every key is present; each has a column (`identity_strategy`, `gtin14`, …). */
export interface StoredIdentity {
  readonly strategy: IdentityStrategy;
  /** Canonical 14 digits; set if and only if the strategy is `global_id`. */
  readonly gtin14: string | null;
  /** The code as the seller wrote it; for an exemption, the text in the file instead of a code (`Does not apply`). */
  readonly value_entered: string | null;
  /** How the code was read; set if and only if the strategy is `global_id`. */
  readonly scheme: GtinScheme | null;
  /** As written. The strategy `mpn_brand` requires it; with another strategy it is a further fact about the product. */
  readonly mpn: string | null;
  /** The folded pair is unique per seller; both are set if and only if the strategy is `mpn_brand`. */
  readonly mpn_folded: string | null;
  readonly brand_folded: string | null;
  /** Of an exemption; `null` when a file declared it without a reason. */
  readonly exempt_reason: ExemptionReason | null;
  /** Who declared the exemption. */
  readonly exempt_source: 'seller' | 'file' | null;
  /** The seller's product that this one is the same as; set if and only if the strategy is `product_id`. */
  readonly product_ref: string | null;
}

export interface ProductImage {
  /** `img_…` */
  readonly image_id: string;
  /** The given address, or the service's own path of an uploaded image. */
  readonly url: string;
  readonly alt: string | null;
  /** From 1, without gaps. */
  readonly position: number;
  /** This and the following fields are known for uploaded images only. */
  readonly width: number | null;
  readonly height: number | null;
  readonly content_type: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

/** Why a product cannot be sold yet (docs/design/feeds-and-imports.md#products). */
export interface ProductIssue {
  readonly code: string;
  readonly severity: Severity;
  readonly attribute: string | null;
  readonly message: string;
}

export interface CurationReason {
  readonly code: string;
  readonly detail: string | null;
}

/** Fields that the marketplace can review; the setting `CURATION_REVIEWED_FIELDS` chooses among them. */
export const REVIEWED_FIELDS = [
  'title',
  'identity',
  'brand',
  'category',
  'images',
  'description',
] as const satisfies readonly (keyof ProductContent)[];
export type ReviewedField = (typeof REVIEWED_FIELDS)[number];
export type ReviewedContent = Pick<ProductContent, ReviewedField>;

/** Reviewed fields of a version; the others have their present value. */
export type ReviewedVersion = Partial<ReviewedContent>;

export const SOURCE_ORIGINS = ['api', 'feed', 'profile_import', 'store_platform'] as const;
export type SourceOrigin = (typeof SOURCE_ORIGINS)[number];

/** The part of a product that rows and requests change; its keys are the field names of `changes[]`. */
export interface ProductContent {
  /** 1..64 characters, unique per seller; `null` only in a draft that an import staged. */
  readonly seller_sku: string | null;
  /** 1..200 characters; `null` only in a draft. */
  readonly title: string | null;
  readonly description: string | null;
  readonly brand: string | null;
  readonly category: string | null;
  readonly condition: Condition | null;
  /** The file's own key for the product; unique per seller and `external_profile`. */
  readonly external_key: string | null;
  /** Import profile of the file with `external_key`. */
  readonly external_profile: string | null;
  readonly identity: StoredIdentity | null;
  /** Above zero; `null` only in a product that is not active. */
  readonly price_minor: Minor | null;
  readonly compare_at_minor: Minor | null;
  /** ISO 4217: the seller's currency when the product was created. */
  readonly currency: string;
  /** Units on hand, 0..1,000,000,000; `null` when the stock is unknown or not tracked. */
  readonly quantity_on_hand: number | null;
  readonly reorder_point: number | null;
  /** `spf_…`; `null`: the shipping rules choose the profile. */
  readonly shipping_profile_id: string | null;
  readonly status: ProductStatus;
  /** In order of `position`. */
  readonly images: readonly ProductImage[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly variation: Variation | null;
  readonly curation_state: CurationState;
  readonly curation_reasons: readonly CurationReason[];
  /** What differs in the live version, while a later change is under review and after its rejection. */
  readonly approved: ReviewedVersion | null;
  readonly issues: readonly ProductIssue[];
}

/** {@link ProductContent} and the fields that only the store maintains. */
export interface CatalogueProduct extends ProductContent {
  /** `prd_…` */
  readonly product_id: string;
  /** Units that open orders reserve; no row changes them. */
  readonly quantity_reserved: number;
  readonly stock_source: StockSource;
  readonly source_origin: SourceOrigin;
  /** `frn_…` of the run that wrote the product last; `null` when a request did. */
  readonly source_run_id: string | null;
  readonly source_row: number | null;
  /** 1 on creation, +1 with every write. `ETag`, `If-Match`, previews and reverts use it. */
  readonly version: number;
  /** The approved version that buyers see; `null` without one. */
  readonly live_version: number | null;
  /** When the marketplace approved the live version, RFC 3339. */
  readonly approved_at: string | null;
  /** The first version with the present reviewed content. */
  readonly reviewed_from: number;
}

/** A product as the database holds it. */
export interface StoredProduct extends CatalogueProduct {
  /** Version of the stock row; 0 when the product has none. */
  readonly stock_version: number;
  /** When the product became `reviewed_from`, RFC 3339. */
  readonly reviewed_at: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly updated_at: string;
}

export interface StockRow {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly status: ProductStatus;
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
  readonly stock_source: StockSource;
  readonly reorder_point: number | null;
  readonly stock_version: number;
  /** RFC 3339; `null` until a quantity is set for the first time. */
  readonly stock_updated_at: string | null;
}

export function blankContent(currency: string): ProductContent {
  return {
    seller_sku: null,
    title: null,
    description: null,
    brand: null,
    category: null,
    condition: null,
    external_key: null,
    external_profile: null,
    identity: null,
    price_minor: null,
    compare_at_minor: null,
    currency,
    quantity_on_hand: null,
    reorder_point: null,
    shipping_profile_id: null,
    status: 'draft',
    images: [],
    attributes: {},
    variation: null,
    curation_state: 'not_submitted',
    curation_reasons: [],
    approved: null,
    issues: [],
  };
}
