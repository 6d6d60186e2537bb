import { type IntakeCtx, type IntakeOutcome, IntakeRejection } from '../../../kernel/events.ts';
import { diffProduct } from '../domain/plan/changes.ts';
import { decideCuration } from '../domain/plan/curation.ts';
import type { CurationReason } from '../domain/product.ts';
import { type DecisionOrder, lockForDecision, recordDecision, sellerExists } from '../store/curation.ts';
import { saveProducts } from './save-products.ts';

export interface Decision {
  readonly sellerId: string;
  readonly productId: string;
  readonly decision: 'approved' | 'rejected' | 'suspended';
  readonly reasons: readonly CurationReason[];
  readonly order: DecisionOrder & { readonly at: string };
}

/** Compares the marketplace's versions where both decisions have one, else the instants. */
function isStale(incoming: Decision['order'], applied: DecisionOrder): boolean {
  if (incoming.version !== null && applied.version !== null) return incoming.version < applied.version;
  return applied.at !== null && Date.parse(incoming.at) < Date.parse(applied.at);
}

/**
 * Applies a decision of the marketplace about the present state of a product.
 *
 * @throws IntakeRejection `seller_not_found`, `product_not_found`; `invalid_transition` for a product that
 *   was never submitted
 */
export async function decideProduct(ctx: IntakeCtx, decision: Decision): Promise<IntakeOutcome> {
  const { sellerId, productId, order } = decision;
  const acting = ctx.acting(sellerId);
  const found = await lockForDecision(acting, productId);
  if (found === undefined) {
    const code = (await sellerExists(acting)) ? 'product_not_found' : 'seller_not_found';
    throw new IntakeRejection(code, 'The seller has no such product.');
  }
  const { product, decided } = found;
  if (isStale(order, decided)) return { status: 'stale' };
  if (product.curation_state === 'not_submitted')
    throw new IntakeRejection('invalid_transition', 'The product was never submitted to curation.');
  const curation = decideCuration(product, decision.decision, decision.reasons);
  if (curation !== null) {
    const next = { ...product, ...curation, version: product.version + 1 };
    const changes = diffProduct(product, next);
    await saveProducts(acting, [{ before: product, next, changes, action: 'curation_decided' }]);
  }
  await recordDecision(acting, productId, order);
  return { status: 'applied' };
}
