import type { MarketplaceIdentity } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import type { Services } from '../../../platform/services.ts';
import { registrationErrors } from '../errors.ts';
import {
  acceptInvitation,
  bindIdentity,
  findMemberOf,
  lockInvitation,
  lockSubject,
  type MemberOfSeller,
} from '../store/identities.ts';

/** Accepts the invitation of an identity without a seller, if there is one. */
function joinTeam(services: Services, identity: MarketplaceIdentity): Promise<MemberOfSeller | undefined> {
  const { subject, email } = identity;
  return services.withSystem('resolve-identity', 'write', async (db) => {
    await lockSubject(db, subject);
    // The same person may have joined or registered while this request waited for the lock.
    const already = await findMemberOf(db, subject);
    if (already !== undefined) return already;
    const invitation = await lockInvitation(db, subject, email);
    if (invitation === undefined) return undefined;
    const at = new Date(services.now()).toISOString();
    await acceptInvitation(db, invitation, subject, at);
    await bindIdentity(db, subject, invitation, at);
    return findMemberOf(db, subject);
  });
}

/**
 * The member that a marketplace identity stands for. An invited person becomes a member here.
 *
 * @throws ApiError 404 `seller_not_found`
 */
export async function resolveMember(
  services: Services,
  identity: MarketplaceIdentity,
): Promise<MemberOfSeller> {
  const known = await services.withSystem('resolve-identity', 'read', (db) =>
    findMemberOf(db, identity.subject),
  );
  const member = known ?? (await joinTeam(services, identity));
  if (member === undefined) throw fail(registrationErrors.seller_not_found);
  return member;
}
