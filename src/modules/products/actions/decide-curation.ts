import { isOlder } from '../../../kernel/event-order.ts';
import { type IntakeCtx, type IntakeOutcome, IntakeRejection } from '../../../kernel/events.ts';
import { diffProduct } from '../domain/plan/changes.ts';
import { decideCuration } from '../domain/plan/curation.ts';
import { sameReviewed } from '../domain/plan/reviewed-content.ts';
import {
  type DecidedVersion,
  type DecisionOrder,
  findDecidedVersion,
  presentReview,
  type Review,
} from '../domain/plan/reviewed-version.ts';
import type { CurationReason, StoredProduct } from '../domain/product.ts';
import { reviewedFields } from '../settings.ts';
import { loadRunEnds, lockForDecision, recordDecision } from '../store/curation.ts';
import { loadPastReviews } from '../store/past-reviews.ts';
import { saveProducts } from './save-products.ts';

interface Decision {
  readonly sellerId: string;
  readonly productId: string;
  readonly decision: 'approved' | 'rejected' | 'suspended';
  readonly reasons: readonly CurationReason[];
  /** The version that the decision names. If it is `null`, `order` decides which version the decision is about. */
  readonly reviewed_version: number | null;
  readonly order: DecisionOrder & { readonly at: string };
}

type Acting = ReturnType<IntakeCtx['acting']>;

const NO_RUNS: ReadonlyMap<number, string> = new Map();

/** A range with the instants from which the marketplace could read it and its successor. */
function sinceCommit(review: Review, runEnds: ReadonlyMap<number, string>): Review {
  const { first_version, last_version, submitted_at, replaced_at } = review;
  return {
    ...review,
    submitted_at: runEnds.get(first_version) ?? submitted_at,
    replaced_at: runEnds.get(last_version + 1) ?? replaced_at,
  };
}

/** The version that a decision is about. A suspension is always about the present version. */
async function versionOf(
  acting: Acting,
  product: StoredProduct,
  reviews: readonly Review[],
  { decision, reviewed_version, order }: Decision,
): Promise<DecidedVersion> {
  const named = reviewed_version ?? (order.version === null ? null : Number(order.version));
  const version = decision === 'suspended' ? product.version : named;
  // Only a decision that names no version depends on times.
  const ends = version === null ? await loadRunEnds(acting, product.product_id) : NO_RUNS;
  const told = reviews.map((review) => sinceCommit(review, ends));
  const about = findDecidedVersion(product, told, { version, at: order.at });
  if (about !== null) return about;
  throw new IntakeRejection(
    'version_unknown',
    'The service has not sent this version of the product to the marketplace, or no longer keeps it.',
  );
}

/**
 * Applies a decision of the marketplace to the version of a product that it is about.
 *
 * @throws IntakeRejection `seller_not_found`, `product_not_found`, `version_unknown`, or `invalid_transition` if the
 *   product was never submitted
 */
export async function decideProduct(ctx: IntakeCtx, decision: Decision): Promise<IntakeOutcome> {
  const { sellerId, productId, order } = decision;
  const acting = ctx.acting(sellerId);
  const found = await lockForDecision(acting, productId);
  if (found === undefined) {
    const code = (await ctx.knows(sellerId)) ? 'product_not_found' : 'seller_not_found';
    throw new IntakeRejection(code, 'The seller has no such product.');
  }
  const { product, decided } = found;
  if (product.curation_state === 'not_submitted')
    throw new IntakeRejection('invalid_transition', 'The product was never submitted to curation.');
  const fields = reviewedFields(acting.config);
  const reviews = [presentReview(product, decided), ...(await loadPastReviews(acting, productId))];
  const about = await versionOf(acting, product, reviews, decision);
  const content = { ...product, ...about.content };
  const same = reviews.filter((review) => sameReviewed({ ...product, ...review.content }, content, fields));
  if (same.some((review) => isOlder(order, review.decided))) return { status: 'stale' };
  const at = new Date(order.at).toISOString();
  const curation = decideCuration(product, { ...decision, ...about, at }, fields);
  if (curation !== null) {
    const next = { ...product, ...curation, version: product.version + 1 };
    const changes = diffProduct(product, next);
    await saveProducts(acting, [{ before: product, next, changes, action: 'curation_decided' }]);
  }
  // A suspension is about all content, and an approval ends the reviews of older content.
  const concerned = reviews.filter(
    (review) =>
      !isOlder(order, review.decided) &&
      (decision.decision === 'suspended' ||
        same.includes(review) ||
        (decision.decision === 'approved' && review.last_version < about.version)),
  );
  await recordDecision(acting, productId, concerned, order);
  return { status: 'applied' };
}
