import type { StoredIdentity } from '../product.ts';
import type { IdentityColumns } from './columns.ts';
import type { RowMatch } from './evidence.ts';

/** What surrounds a claim: the product as it will be after the row, and what it is now. */
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
  /** Whether `Does not apply` in place of a code is the file's statement of an exemption. */
  readonly from_file: boolean;
  /** Whether a case pack is a sold unit here. */
  readonly wholesale?: boolean;
  readonly columns: IdentityColumns;
}
