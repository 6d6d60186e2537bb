import type { FeedMode } from '../feed-run/run.ts';
import type { FieldColumns } from '../fields/field-columns.ts';
import type { IdentityEvidence } from '../identity/evidence.ts';
import type { CatalogueProduct, SourceOrigin } from '../product.ts';
import type { FeedRow, ProductPatch, RowMessage } from '../row.ts';
import type { Change } from './changes.ts';
import type { RowOutcome } from './row-outcome.ts';

/** What is the same for every row of a run, or for one request. */
export interface PlanContext {
  readonly mode: FeedMode;
  /** The seller's currency. */
  readonly currency: string;
  /** Products that the plan still allows; the caller lowers it by each plan's `slots`. */
  readonly remaining_slots: number;
  readonly source_origin: SourceOrigin;
  readonly run_id: string | null;
  /** Import profile that the rows come from; `external_key` belongs to it. */
  readonly profile: string | null;
  /** Whether a placeholder in place of a code can be the file's statement of an exemption. */
  readonly from_file: boolean;
  /** Under which names findings are reported. */
  readonly columns: FieldColumns;
  readonly nextProductId: () => string;
  readonly nextImageId: () => string;
}

/** What a row or a request says, after its fields were checked. */
export interface PlanInput {
  readonly row_number: number | null;
  readonly patch: ProductPatch | null;
  readonly messages: readonly RowMessage[];
  readonly role?: FeedRow['role'];
}

/** What a row will do; nothing is written yet. */
export interface RowPlan {
  readonly outcome: Exclude<RowOutcome, 'not_attempted'>;
  /** The whole state to write; `null` when nothing is to be written. */
  readonly next: CatalogueProduct | null;
  /** Enough to apply the plan later and to undo it; empty when nothing is written. */
  readonly changes: readonly Change[];
  readonly messages: readonly RowMessage[];
  readonly identity_resolution: IdentityEvidence | null;
  /** By how much the number of products that the plan counts changes. */
  readonly slots: -1 | 0 | 1;
}
