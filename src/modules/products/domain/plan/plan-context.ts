import type { FeedMode } from '../feed-run/run.ts';
import type { FieldColumns } from '../fields/field-columns.ts';
import type { IdentityEvidence } from '../identity/evidence.ts';
import type { CatalogueProduct, SourceOrigin } from '../product.ts';
import type { FeedRow, ProductPatch, RowMessage } from '../row.ts';
import type { Change } from './changes.ts';
import type { RowOutcome } from './row-outcome.ts';

/** What all rows of a run share. */
export interface PlanContext {
  readonly mode: FeedMode;
  /** The seller's currency. */
  readonly currency: string;
  /** Products that the plan still allows; the caller lowers it by each plan's `slots`. */
  readonly remaining_slots: number;
  readonly source_origin: SourceOrigin;
  readonly run_id: string | null;
  /** Import profile of the rows, which `external_key` belongs to. */
  readonly profile: string | null;
  /** Files may state an exemption by a placeholder instead of a code. */
  readonly from_file: boolean;
  readonly columns: FieldColumns;
  readonly nextProductId: () => string;
  readonly nextImageId: () => string;
}

/** A row or a request with checked fields. */
export interface PlanInput {
  readonly row_number: number | null;
  readonly patch: ProductPatch | null;
  readonly messages: readonly RowMessage[];
  readonly role?: FeedRow['role'];
}

/** The effect of a row, before it is written. */
export interface RowPlan {
  readonly outcome: Exclude<RowOutcome, 'not_attempted'>;
  /** The whole state to write; `null` when nothing is to be written. */
  readonly next: CatalogueProduct | null;
  /** Enough to apply the plan later and to revert it; empty when nothing is written. */
  readonly changes: readonly Change[];
  readonly messages: readonly RowMessage[];
  readonly identity_resolution: IdentityEvidence | null;
  /** Change of the number of products that count towards the seller's plan. */
  readonly slots: -1 | 0 | 1;
}
