import type { SellerCtx } from '../../../kernel/context.ts';
import { fail, tierLimitExceeded } from '../../../kernel/errors.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { planLimit } from '../../../kernel/plans.ts';
import { readUsed } from '../../../platform/plan-usage.ts';
import { needsOwner } from '../domain/member-rules.ts';
import { sellerErrors } from '../errors.ts';
import { insertMember, type MemberRow } from '../store/members.ts';

export interface Invitation {
  readonly sub: string | null;
  readonly email: string | null;
  readonly roles: readonly Role[];
}

/**
 * Invites somebody into the team. The database counts; the count is read after the insert, when the
 * transaction holds the counter, so that simultaneous invitations cannot pass the plan's limit together.
 *
 * @throws ApiError 403 `owner_required`, 409 `member_exists`, 402 `tier_limit_exceeded`
 */
export async function inviteMember(ctx: SellerCtx, invitation: Invitation): Promise<MemberRow> {
  const { seller_id, member_id: invitedBy, roles: actorRoles } = ctx.seller;
  if (needsOwner({ actorRoles, from: [], to: invitation.roles })) throw fail(sellerErrors.owner_required);
  const at = new Date(ctx.now()).toISOString();
  const member: MemberRow = {
    member_id: ctx.ids.next('mbr_'),
    subject: invitation.sub,
    email: invitation.email,
    roles: invitation.roles,
    status: 'invited',
    invited_by: invitedBy,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  if (!(await insertMember(ctx.db, seller_id, member))) throw fail(sellerErrors.member_exists);
  const used = await readUsed(ctx.db, seller_id, 'team_members');
  const { plan } = await ctx.standing();
  if (used > planLimit(plan, 'team_members')) throw tierLimitExceeded(plan, 'team_members', used - 1);
  return member;
}
