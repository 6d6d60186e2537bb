/**
 * A product of the catalogue: the state that planning reads and writes. Derived values (`visible`,
 * `quantity_available`) are functions.
 */
import type { GtinScheme } from '../../../kernel/gtin.ts';
import type { Minor } from '../../../kernel/money.ts';
import type { Condition, ExemptionReason, ProductStatus, Severity, Variation } from './row.ts';

export const IDENTITY_STRATEGIES = ['product_id', 'global_id', 'mpn_brand', 'exempt'] as const;
export type IdentityStrategy = (typeof IDENTITY_STRATEGIES)[number];

export const CURATION_STATES = ['not_submitted', 'pending', 'approved', 'rejected', 'suspended'] as const;
export type CurationState = (typeof CURATION_STATES)[number];

/** The chosen identity, every key always present: one column each (`identity_strategy`, `gtin14`, …). */
export interface StoredIdentity {
  readonly strategy: IdentityStrategy;
  /** Canonical 14 digits; set exactly under `global_id`. */
  readonly gtin14: string | null;
  /** The code as the seller wrote it (or `Does not apply`, when a file stated the exemption that way). */
  readonly value_entered: string | null;
  /** How the code was read; set exactly under `global_id`. */
  readonly scheme: GtinScheme | null;
  /** As written. Required under `mpn_brand`; elsewhere a further fact about the product. */
  readonly mpn: string | null;
  /** Folded pair for matching, unique per seller; both set exactly under `mpn_brand`. */
  readonly mpn_folded: string | null;
  readonly brand_folded: string | null;
  /** Only under `exempt`; `null` there when a file stated the exemption without a reason. */
  readonly exempt_reason: ExemptionReason | null;
  /** Only under `exempt`: who declared it. */
  readonly exempt_source: 'seller' | 'file' | null;
  /** The service's product that this one is; set exactly under `product_id`. */
  readonly product_ref: string | null;
}

export interface ProductImage {
  /** `img_…` */
  readonly image_id: string;
  /** As given for an image by address; the service's own path for an upload. */
  readonly url: string;
  readonly alt: string | null;
  /** From 1, without gaps. */
  readonly position: number;
  /** Known for uploads only. */
  readonly width: number | null;
  readonly height: number | null;
  readonly content_type: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

/** Why a product cannot be sold yet; shape of docs/design/feeds-and-imports.md#products. */
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

/** The version that curation approved last; kept while a changed title or identity is under review. */
export interface ApprovedVersion {
  readonly title: string | null;
  readonly identity: StoredIdentity | null;
}

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
  /** Key of the product in the file it came from; unique per seller and `external_profile`. */
  readonly external_key: string | null;
  /** Import profile that `external_key` belongs to. */
  readonly external_profile: string | null;
  readonly identity: StoredIdentity | null;
  /** Above zero; `null` only in a product that is not active. */
  readonly price_minor: Minor | null;
  readonly compare_at_minor: Minor | null;
  /** ISO 4217, the seller's currency when the product was made. */
  readonly currency: string;
  /** Units on hand, 0..1,000,000,000; `null` = stock unknown or not tracked. */
  readonly quantity_on_hand: number | null;
  readonly reorder_point: number | null;
  readonly status: ProductStatus;
  /** In order of `position`. */
  readonly images: readonly ProductImage[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly variation: Variation | null;
  readonly curation_state: CurationState;
  readonly curation_reasons: readonly CurationReason[];
  /** `null` unless an approved version stands behind a change that is under review or was refused. */
  readonly approved: ApprovedVersion | null;
  readonly issues: readonly ProductIssue[];
}

/** {@link ProductContent} and the fields that only the store maintains. */
export interface CatalogueProduct extends ProductContent {
  /** `prd_…` */
  readonly product_id: string;
  /** Units that open orders hold; never changed by a row. */
  readonly quantity_reserved: number;
  readonly source_origin: SourceOrigin;
  /** `frn_…` of the run that wrote the product last; `null` for the API. */
  readonly source_run_id: string | null;
  readonly source_row: number | null;
  /** 1 on creation, +1 with every write: `ETag`, `If-Match`, stale previews, reverts. */
  readonly version: number;
}

/** A product as the database holds it. */
export interface StoredProduct extends CatalogueProduct {
  /** Own version of the stock, 0 while there is no stock row. */
  readonly stock_version: number;
  /** RFC 3339. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** The stock of a product. */
export interface StockRow {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly status: ProductStatus;
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
  readonly reorder_point: number | null;
  readonly stock_version: number;
  /** RFC 3339; `null` while no quantity was ever stated. */
  readonly stock_updated_at: string | null;
}

/** An empty product. */
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
