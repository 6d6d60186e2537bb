import type { Plan } from '../../../../kernel/plans.ts';
import type { FeedMode } from '../feed-run/run.ts';
import type { FieldColumns } from '../fields/field-columns.ts';
import type { IdentityEvidence } from '../identity/evidence.ts';
import type { CatalogueProduct, ReviewedField, SourceOrigin } from '../product.ts';
import type { FeedRow, ProductPatch, RowMessage } from '../row.ts';
import type { Change } from './changes.ts';
import type { RowOutcome } from './row-outcome.ts';

/** The values that all rows of a run share. */
export interface PlanContext {
  readonly mode: FeedMode;
  /** The seller's currency. */
  readonly currency: string;
  readonly tier: Plan;
  /** Products that the seller's plan still allows; the caller subtracts the `slots` of each {@link RowPlan}. */
  readonly remaining_slots: number;
  readonly source_origin: SourceOrigin;
  readonly run_id: string | null;
  /** Import profile of the file, or `null`. */
  readonly profile: string | null;
  /** Whether the rows come from a file: a file may declare an exemption by a placeholder instead of a code. */
  readonly from_file: boolean;
  readonly columns: FieldColumns;
  /** Reorder point of new products without one of their own; `null`: none. */
  readonly default_reorder_point: number | null;
  /** The marketplace reviews a change of one of these. */
  readonly reviewed_fields: readonly ReviewedField[];
  /** What addresses of uploaded images begin with; such an address is accepted for the product that has the image. */
  readonly media_url: string;
  readonly nextProductId: () => string;
  readonly nextImageId: () => string;
}

/** A row of a feed, or the body of a request, with checked fields. */
export interface PlanInput {
  readonly row_number: number | null;
  readonly patch: ProductPatch | null;
  readonly messages: readonly RowMessage[];
  readonly role?: FeedRow['role'];
}

/** The effect of a row, before it is written. */
export interface RowPlan {
  readonly outcome: Exclude<RowOutcome, 'not_attempted'>;
  /** The whole product to write; `null` when nothing is to be written. */
  readonly next: CatalogueProduct | null;
  /** Enough to apply the plan later or to revert it; empty when nothing is to be written. */
  readonly changes: readonly Change[];
  readonly messages: readonly RowMessage[];
  readonly identity_resolution: IdentityEvidence | null;
  /** The change of the number of products that count towards the seller's plan. */
  readonly slots: -1 | 0 | 1;
}
