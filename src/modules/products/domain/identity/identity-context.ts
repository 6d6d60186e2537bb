import type { StoredIdentity } from '../product.ts';
import type { IdentityColumns } from './columns.ts';
import type { RowMatch } from './evidence.ts';

/** The product of a claim, before and after the row. */
export interface IdentityContext {
  readonly seller_sku: string | null;
  readonly title: string | null;
  /** The product's brand after the row. */
  readonly brand: string | null;
  /** The product's identity before the row. */
  readonly existing: StoredIdentity | null;
  /** `null` for a product that does not exist yet. */
  readonly product_id: string | null;
  readonly match: RowMatch;
  /** In files `Does not apply` instead of a code states an exemption. */
  readonly from_file: boolean;
  /** Case packs are sold as units. */
  readonly wholesale?: boolean;
  readonly columns: IdentityColumns;
}
