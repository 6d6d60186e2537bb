/**
 * How a change and a decision affect curation. The marketplace reviews changes of the reviewed fields; meanwhile
 * buyers see the live version. Source: docs/design/feeds-and-imports.md#curation.
 */
import type {
  CatalogueProduct,
  CurationReason,
  CurationState,
  ProductContent,
  ReviewedField,
  ReviewedVersion,
} from '../product.ts';
import { liveContent } from '../visibility.ts';
import { sameReasons } from './equality.ts';
import { reviewedDifference, sameReviewed } from './reviewed-content.ts';
import type { DecidedVersion } from './reviewed-version.ts';

export type Curation = Pick<ProductContent, 'curation_state' | 'curation_reasons' | 'approved'>;

export function curationAfter(
  before: ProductContent | null,
  after: ProductContent,
  fields: readonly ReviewedField[],
): Curation {
  const kept: Curation = {
    curation_state: after.curation_state,
    curation_reasons: after.curation_reasons,
    approved: after.approved,
  };
  if (before === null || before.curation_state === 'not_submitted') {
    return after.status === 'active' ? submitted('pending', null) : kept;
  }
  // Only the marketplace ends a suspension.
  if (before.curation_state === 'suspended' || sameReviewed(before, after, fields)) return kept;
  const live = liveContent(before);
  if (live === null) return submitted('pending', null);
  const approved = reviewedDifference(live, after, fields);
  return submitted(approved === null ? 'approved' : 'pending', approved);
}

/** A decision of the marketplace about a version. */
interface CurationDecision extends DecidedVersion {
  readonly decision: 'approved' | 'rejected' | 'suspended';
  readonly reasons: readonly CurationReason[];
  /** When the marketplace decided, RFC 3339. */
  readonly at: string;
}

type Decided = Curation & Pick<CatalogueProduct, 'live_version' | 'approved_at'>;

const NO_LIVE_VERSION = { approved: null, live_version: null, approved_at: null };

/**
 * Applies a decision. A decision about a version is about its content: an approval makes it live, and later changes
 * stay pending; a rejection takes it off sale if it is live. Other content that is live stays so.
 *
 * @returns `null` when the decision changes nothing
 */
export function decideCuration(
  product: CatalogueProduct,
  { decision, reasons, version, content, at }: CurationDecision,
  fields: readonly ReviewedField[],
): Decided | null {
  const { curation_state, curation_reasons, approved, live_version, approved_at } = product;
  const decided = { ...product, ...content };
  const isPresent = sameReviewed(decided, product, fields);
  const live = liveContent(product);
  const isLive = live !== null && sameReviewed(decided, live, fields);
  if (decision === 'approved') {
    if (isLive || (!isPresent && version <= (live_version ?? 0))) return null;
    const lives = { live_version: version, approved_at: at };
    // A version before the present ones has their content when the seller has gone back to it.
    if (isPresent)
      return {
        ...submitted(decision, null),
        ...lives,
        live_version: Math.max(version, product.reviewed_from),
      };
    const of = reviewedDifference(decided, product, fields);
    return curation_state === 'rejected'
      ? { curation_state, curation_reasons, approved: of, ...lives }
      : { ...submitted('pending', of), ...lives };
  }
  const state =
    isPresent || decision === 'suspended' ? { curation_state: decision, curation_reasons: reasons } : product;
  const same =
    state.curation_state === curation_state && sameReasons(state.curation_reasons, curation_reasons);
  const ends = live_version !== null && (isLive || decision === 'suspended');
  if (same && !ends) return null;
  const lives = ends ? NO_LIVE_VERSION : { approved, live_version, approved_at };
  return { curation_state: state.curation_state, curation_reasons: state.curation_reasons, ...lives };
}

function submitted(curation_state: CurationState, approved: ReviewedVersion | null): Curation {
  return { curation_state, curation_reasons: [], approved };
}
