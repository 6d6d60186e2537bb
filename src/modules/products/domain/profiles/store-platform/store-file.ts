import type { Columns } from '../columns.ts';
import type { SkuLedger } from '../sku-ledger.ts';
import type { MetafieldColumn, StoreField } from './columns.ts';

export interface StoreFile {
  readonly columns: Columns<StoreField>;
  readonly metafields: readonly MetafieldColumn[];
  /** Normalised names of the columns, by position. */
  readonly names: readonly string[];
  /** Position of the {@link FACTS_COLUMN}. */
  readonly facts: number | null;
  readonly currency: string;
  readonly skus: SkuLedger;
}
