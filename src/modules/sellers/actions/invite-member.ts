import type { SellerCtx } from '../../../kernel/context.ts';
import { fail, tierLimitExceeded } from '../../../kernel/errors.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { planLimit } from '../../../kernel/plans.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import { readUsed } from '../../../platform/plan-usage.ts';
import { needsOwner } from '../domain/member-rules.ts';
import { sellerErrors } from '../errors.ts';
import { type MemberRow, teamMembers } from '../store/members.ts';

export interface Invitation {
  readonly subject: string | null;
  readonly email: string | null;
  readonly roles: readonly Role[];
}

/**
 * Invites a person into the team. The insert locks the counter of the plan before this reads it, so that
 * simultaneous invitations cannot pass the limit together.
 *
 * @throws ApiError 403 `owner_required`, 409 `member_exists`, 402 `tier_limit_exceeded`
 */
export async function inviteMember(ctx: SellerCtx, invitation: Invitation): Promise<MemberRow> {
  const { member_id: invited_by, roles: actorRoles } = ctx.seller;
  if (needsOwner({ actorRoles, from: [], to: invitation.roles })) throw fail(sellerErrors.owner_required);
  const member: MemberRow = {
    member_id: ctx.ids.next('mbr_'),
    ...invitation,
    status: 'invited',
    invited_by,
    ...firstVersion(ctx.at()),
  };
  if (!(await teamMembers.insert(ctx, member))) throw fail(sellerErrors.member_exists);
  const used = await readUsed(ctx.db, ctx.seller_id, 'team_members');
  const { plan } = await ctx.standing();
  if (used > planLimit(plan, 'team_members')) throw tierLimitExceeded(plan, 'team_members', used - 1);
  return member;
}
