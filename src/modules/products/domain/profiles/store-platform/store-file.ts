import type { Columns } from '../columns.ts';
import type { MetafieldColumn, StoreField } from './columns.ts';

/** The header of a file, and what the mapper needs to know to read its records. */
export interface StoreFile {
  readonly columns: Columns<StoreField>;
  readonly metafields: readonly MetafieldColumn[];
  /** The normalised header cells. */
  readonly names: readonly string[];
  /** The position of the column of variant facts (`variant-facts.ts`); `null` if the file has none. */
  readonly facts: number | null;
  readonly currency: string;
}
