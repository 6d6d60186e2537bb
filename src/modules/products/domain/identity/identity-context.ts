import type { StoredIdentity } from '../product.ts';
import type { IdentityColumns } from './columns.ts';
import type { RowMatch } from './evidence.ts';

/** The facts about a product and its row that the checks of a claim need. */
export interface IdentityContext {
  readonly seller_sku: string | null;
  readonly title: string | null;
  /** The product's brand after the row. */
  readonly brand: string | null;
  /** The product's identity before the row. */
  readonly existing: StoredIdentity | null;
  /** `null` for a new product. */
  readonly product_id: string | null;
  readonly match: RowMatch;
  /** A file may write `Does not apply` instead of a code to declare an exemption. */
  readonly from_file: boolean;
  /** The seller sells case packs as units. */
  readonly wholesale?: boolean;
  readonly columns: IdentityColumns;
}
