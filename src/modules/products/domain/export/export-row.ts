import type { Minor } from '../../../../kernel/money.ts';
import type { CatalogueProduct, IdentityStrategy, ProductImage } from '../product.ts';
import type { ProductStatus, Variation } from '../row.ts';

/** A product as exports read it. */
export interface ExportRow {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly brand: string | null;
  readonly category: string | null;
  readonly condition: string | null;
  readonly external_key: string | null;
  readonly external_profile: string | null;
  readonly identity_strategy: IdentityStrategy | null;
  readonly value_entered: string | null;
  readonly mpn: string | null;
  readonly exempt_reason: string | null;
  readonly product_ref: string | null;
  readonly price_minor: Minor | null;
  readonly compare_at_minor: Minor | null;
  readonly currency: string;
  readonly quantity_on_hand: number | null;
  readonly reorder_point: number | null;
  readonly status: ProductStatus;
  /** `null` for a product without images; the same holds for `attributes`. */
  readonly images: readonly ProductImage[] | null;
  readonly attributes: Readonly<Record<string, string>> | null;
  readonly variation: Variation | null;
}

/** A product of the catalogue as an export reads it. */
export function exportRowOf({ identity, ...product }: CatalogueProduct): ExportRow {
  return {
    ...product,
    identity_strategy: identity?.strategy ?? null,
    value_entered: identity?.value_entered ?? null,
    mpn: identity?.mpn ?? null,
    exempt_reason: identity?.exempt_reason ?? null,
    product_ref: identity?.product_ref ?? null,
  };
}

/** The stock of a product as an export reads it. */
export interface InventoryExportRow {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
  readonly reorder_point: number | null;
  readonly stock_updated_at: string | null;
}
