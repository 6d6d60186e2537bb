import type { MarketplaceIdentity, Recording } from '../../kernel/context.ts';
import { fail } from '../../kernel/errors.ts';
import { findMemberOf, type MemberOfSeller } from '../db/read-member.ts';
import type { WithSystem } from '../db/scope.ts';
import { marketplaceErrors } from './marketplace-tokens.ts';

/**
 * Refuses a session that was not confirmed by a second factor.
 *
 * @throws ApiError 403 `insufficient_assurance` with the challenge of RFC 9470, so that clients can step up
 */
function requireAal2(identity: MarketplaceIdentity): void {
  if (identity.aal === 'aal2') return;
  throw fail(marketplaceErrors.insufficient_assurance, {
    facts: { required: 'aal2' },
    headers: {
      'www-authenticate': 'Bearer error="insufficient_user_authentication", acr_values="aal2"',
    },
  });
}

/**
 * The member that a marketplace identity stands for. It is named to the activity log first, so that a refusal for the
 * missing second factor is an entry.
 *
 * @throws ApiError 403 `insufficient_assurance`, 404 `seller_not_found`
 */
export async function resolveMember(
  { withSystem }: { readonly withSystem: WithSystem },
  identity: MarketplaceIdentity,
  { auditAs, needsAal2 }: Partial<Pick<Recording, 'auditAs'>> & { readonly needsAal2: boolean },
): Promise<MemberOfSeller> {
  const member = await withSystem('resolve-identity', 'read', (db) => findMemberOf(db, identity.subject));
  if (member !== undefined) auditAs?.({ ...member, aal: identity.aal });
  if (needsAal2) requireAal2(identity);
  if (member === undefined) throw fail(marketplaceErrors.seller_not_found);
  return member;
}
