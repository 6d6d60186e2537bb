import { type IntakeCtx, type IntakeOutcome, IntakeRejection } from '../../../kernel/events.ts';
import { sellerExists } from '../../../platform/db/read-standing.ts';
import { diffProduct } from '../domain/plan/changes.ts';
import { decideCuration } from '../domain/plan/curation.ts';
import { type DecidedVersion, findDecidedVersion, type PastReview } from '../domain/plan/reviewed-version.ts';
import type { CurationReason, StoredProduct } from '../domain/product.ts';
import { reviewedFields } from '../settings.ts';
import { type DecisionOrder, loadRunEnds, lockForDecision, recordDecision } from '../store/curation.ts';
import {
  closePastReviews,
  deletePastReviews,
  keepSuspension,
  loadPastReviews,
} from '../store/past-reviews.ts';
import { saveProducts } from './save-products.ts';

export interface Decision {
  readonly sellerId: string;
  readonly productId: string;
  readonly decision: 'approved' | 'rejected' | 'suspended';
  readonly reasons: readonly CurationReason[];
  /** The version that the decision names. If it is `null`, `order` decides which version the decision is about. */
  readonly reviewed_version: number | null;
  readonly order: DecisionOrder & { readonly at: string };
}

type Acting = ReturnType<IntakeCtx['acting']>;

/** Compares the marketplace's versions when both decisions have one, otherwise their times. */
function isStale(incoming: Decision['order'], applied: DecisionOrder): boolean {
  if (incoming.version !== null && applied.version !== null) return incoming.version < applied.version;
  return applied.at !== null && Date.parse(incoming.at) < Date.parse(applied.at);
}

const NO_RUNS: ReadonlyMap<number, string> = new Map();

/** The versions with the instants from which the marketplace could read them. */
function sinceCommit(
  product: StoredProduct,
  past: readonly PastReview[],
  runEnds: ReadonlyMap<number, string>,
): [StoredProduct, readonly PastReview[]] {
  const since = (version: number, written: string) => runEnds.get(version) ?? written;
  const { created_at, reviewed_from, reviewed_at } = product;
  return [
    { ...product, created_at: since(1, created_at), reviewed_at: since(reviewed_from, reviewed_at) },
    past.map((one) => ({
      ...one,
      submitted_at: since(one.first_version, one.submitted_at),
      replaced_at: since(one.last_version + 1, one.replaced_at),
    })),
  ];
}

/** The version that a decision is about. A suspension is always about the present version. */
async function versionOf(
  acting: Acting,
  product: StoredProduct,
  { decision, reviewed_version, order }: Decision,
): Promise<DecidedVersion> {
  if (decision === 'suspended') return { is: 'present', version: product.version };
  const version = reviewed_version ?? (order.version === null ? null : Number(order.version));
  const past = await loadPastReviews(acting, product.product_id);
  // Only a decision that names no version depends on times.
  const ends = version === null ? await loadRunEnds(acting, product.product_id) : NO_RUNS;
  const about = findDecidedVersion(...sinceCommit(product, past, ends), { version, at: order.at });
  if (about !== null) return about;
  throw new IntakeRejection(
    'version_unknown',
    'The service has not sent this version of the product to the marketplace, or no longer keeps it.',
  );
}

/** Deletes the past versions that no later decision can be about, and marks those that are decided. */
async function settlePastReviews(
  acting: Acting,
  { productId, decision }: Decision,
  about: DecidedVersion,
): Promise<void> {
  if (decision === 'suspended') await closePastReviews(acting, productId, null);
  else if (about.is === 'settled' || about.is === 'live') return;
  else if (decision === 'approved') await deletePastReviews(acting, productId, about.version);
  else if (about.is === 'past') await closePastReviews(acting, productId, about.version);
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
    const code = (await sellerExists(acting.db, sellerId)) ? 'product_not_found' : 'seller_not_found';
    throw new IntakeRejection(code, 'The seller has no such product.');
  }
  const { product, decided } = found;
  if (product.curation_state === 'not_submitted')
    throw new IntakeRejection('invalid_transition', 'The product was never submitted to curation.');
  const about = await versionOf(acting, product, decision);
  // `decided` is the order of decisions about the newest content. Decisions about older content are compared to it only
  // while the product is suspended, because a suspension is about all content.
  const undecided = about.is === 'past' && about.content !== null;
  const ofOlder = undecided || about.is === 'live';
  const compared = !ofOlder || product.curation_state === 'suspended';
  if (compared && isStale(order, decided)) return { status: 'stale' };
  if (about.is === 'past' && isStale(order, about.suspended)) return { status: 'stale' };
  const approved = { at: product.approved_at, version: null };
  if (about.is === 'live' && isStale(order, approved)) return { status: 'stale' };
  if (decision.decision === 'approved' && about.is === 'past' && !undecided)
    throw new IntakeRejection('version_unknown', 'The marketplace has already decided about this version.');
  const at = new Date(order.at).toISOString();
  const curation = decideCuration(product, { ...decision, about, at }, reviewedFields(acting.config));
  if (curation !== null) {
    const next = { ...product, ...curation, version: product.version + 1 };
    const changes = diffProduct(product, next);
    await saveProducts(acting, [{ before: product, next, changes, action: 'curation_decided' }]);
  }
  await settlePastReviews(acting, decision, about);
  if (about.is === 'present' && product.curation_state === 'suspended')
    await keepSuspension(acting, productId, decided);
  if (about.is === 'present') await recordDecision(acting, productId, order);
  return { status: 'applied' };
}
