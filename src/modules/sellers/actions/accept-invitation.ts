import type { MarketplaceCtx } from '../../../kernel/context.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { refuseInactive } from '../../../kernel/standing.ts';
import { findMemberOf } from '../../../platform/db/read-member.ts';
import type { WithServices } from '../../../platform/services.ts';
import { invitationRefusal } from '../domain/invitation-rules.ts';
import { invitationErrors, registrationErrors } from '../errors.ts';
import {
  activateMember,
  bindIdentity,
  type InvitationRow,
  lockInvitation,
  lockSubject,
} from '../store/identities.ts';

interface Membership {
  readonly seller_id: string;
  readonly business_name: string;
  readonly member_id: string;
  readonly roles: readonly Role[];
}

const notFound = () =>
  fail(coreErrors.not_found, {
    detail: 'There is no open invitation with this token; ask the team to invite you again.',
  });
const HAS_SELLER =
  'This marketplace identity belongs to a seller already; leave that team first, or accept with another identity.';

const membershipOf = ({ seller_id, business_name, member_id, roles }: InvitationRow): Membership => ({
  seller_id,
  business_name,
  member_id,
  roles,
});

/**
 * Makes the bearer of a marketplace session a member of the team that invited this person. The same person may repeat
 * it. The locks are taken in the order of a registration, identity first, so that an identity that registers and
 * accepts at once gets one seller.
 *
 * @param token of the invitation's link
 * @throws ApiError 404 `not_found`, 410 `invitation_expired`, 403 `invitation_for_another|email_not_verified`, 409
 *   `already_registered`, 403 `seller_suspended`
 */
export function acceptInvitation(
  { services, identity, auditAs, record }: MarketplaceCtx & WithServices,
  token: string,
): Promise<{ readonly joined: boolean; readonly membership: Membership }> {
  return services.withSystem('accept-invitation', 'write', async (db) => {
    const { subject } = identity;
    await lockSubject(db, subject);
    const invitation = await lockInvitation(db, sha256Hex(token));
    if (invitation === undefined) throw notFound();
    const membership = membershipOf(invitation);
    const member = await findMemberOf(db, subject);
    const isThisMember =
      member?.seller_id === membership.seller_id && member.member_id === membership.member_id;
    const auditMember = (): void => auditAs({ ...membership, aal: identity.aal });
    if (isThisMember) {
      auditMember();
      await record(db, { status: 200 });
      return { joined: false, membership };
    }
    const refusal = invitationRefusal(invitation, identity, services.now());
    if (refusal === 'not_found') throw notFound();
    if (refusal !== undefined) throw fail(invitationErrors[refusal]);
    if (member !== undefined) throw fail(registrationErrors.already_registered, { detail: HAS_SELLER });
    auditMember();
    refuseInactive(invitation);
    const at = new Date(services.now()).toISOString();
    await activateMember(db, membership, subject, at);
    await bindIdentity(db, subject, membership, at);
    await record(db, { status: 201 });
    return { joined: true, membership };
  });
}
