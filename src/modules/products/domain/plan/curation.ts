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

/** A decision of the marketplace, and the version that it is about. */
interface CurationDecision {
  readonly decision: 'approved' | 'rejected' | 'suspended';
  readonly reasons: readonly CurationReason[];
  readonly about: DecidedVersion;
  /** When the marketplace decided, RFC 3339. */
  readonly at: string;
}

type Decided = Curation & Pick<CatalogueProduct, 'live_version' | 'approved_at'>;

/**
 * Applies a decision. An approval makes the reviewed fields of its version live; later changes stay pending. If the
 * marketplace rejects a change, the live version stays visible; if it rejects the live version, no version does.
 *
 * @returns `null` when the decision changes nothing
 */
export function decideCuration(
  product: CatalogueProduct,
  { decision, reasons, about, at }: CurationDecision,
  fields: readonly ReviewedField[],
): Decided | null {
  if (decision === 'approved') return approve(product, about, at, fields);
  // A change that is under review or rejected stays so; the content below it is no longer live.
  if (about.is === 'live' && product.curation_state !== 'approved') {
    const { curation_state, curation_reasons } = product;
    return { curation_state, curation_reasons, ...NO_LIVE_VERSION };
  }
  if (about.is !== 'present' && about.is !== 'live') return null;
  const staysLive = decision === 'rejected' && product.curation_state !== 'approved';
  const { approved, live_version, approved_at } = staysLive ? product : NO_LIVE_VERSION;
  const same =
    product.curation_state === decision &&
    product.approved === approved &&
    sameReasons(product.curation_reasons, reasons);
  return same
    ? null
    : { curation_state: decision, curation_reasons: reasons, approved, live_version, approved_at };
}

const NO_LIVE_VERSION = { approved: null, live_version: null, approved_at: null };

function approve(
  product: CatalogueProduct,
  about: DecidedVersion,
  approved_at: string,
  fields: readonly ReviewedField[],
): Decided | null {
  if (product.curation_state === 'approved' || about.is === 'live' || about.is === 'settled') return null;
  if (about.is === 'present')
    return { ...submitted('approved', null), live_version: about.version, approved_at };
  const { content, version } = about;
  if (content === null) return null;
  const rejected = product.curation_state === 'rejected';
  const approved = reviewedDifference({ ...product, ...content }, product, fields);
  // The seller has gone back to the content that the marketplace now approves.
  if (!rejected && approved === null)
    return { ...submitted('approved', null), live_version: product.reviewed_from, approved_at };
  return {
    curation_state: rejected ? 'rejected' : 'pending',
    curation_reasons: rejected ? product.curation_reasons : [],
    approved: approved ?? {},
    live_version: version,
    approved_at,
  };
}

function submitted(curation_state: CurationState, approved: ReviewedVersion | null): Curation {
  return { curation_state, curation_reasons: [], approved };
}
