import { randomBytes } from 'node:crypto';
import type { SellerCtx } from '../../../kernel/context.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { fail, tierLimitExceeded } from '../../../kernel/errors.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { planLimit } from '../../../kernel/plans.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import { readUsed } from '../../../platform/plan-usage.ts';
import { INVITATION_DAYS } from '../domain/invitation-rules.ts';
import { needsOwner } from '../domain/member-rules.ts';
import { sellerErrors } from '../errors.ts';
import { memberInvited } from '../events.ts';
import { endExpiredInvitations, type MemberRow, teamMembers } from '../store/members.ts';
import { requireSeller } from '../store/seller-row.ts';

const DAY_MS = 24 * 3_600_000;
/** 256 bits cannot be guessed. */
const TOKEN_BYTES = 32;

interface Invited {
  readonly subject: string | null;
  readonly email: string | null;
  readonly roles: readonly Role[];
}

/**
 * Invites a person into the team. Only the marketplace gets the token, for the link that it sends; the row keeps the
 * token's hash. The insert locks the counter of the plan before it is read, so concurrent invitations cannot exceed the
 * limit.
 *
 * @throws ApiError 403 `owner_required`, 409 `member_exists`, 402 `tier_limit_exceeded`
 */
export async function inviteMember(ctx: SellerCtx, invited: Invited): Promise<MemberRow> {
  const { member_id: invited_by, roles: actorRoles } = ctx.seller;
  if (needsOwner({ actorRoles, from: [], to: invited.roles })) throw fail(sellerErrors.owner_required);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expires_at = new Date(ctx.now() + INVITATION_DAYS * DAY_MS).toISOString();
  const member: MemberRow = {
    member_id: ctx.ids.next('mbr_'),
    ...invited,
    status: 'invited',
    invited_by,
    invitation_hash: sha256Hex(token),
    invitation_expires_at: expires_at,
    ...firstVersion(ctx.at()),
  };
  await endExpiredInvitations(ctx);
  if (!(await teamMembers.insert(ctx, member))) throw fail(sellerErrors.member_exists);
  const used = await readUsed(ctx.db, ctx.seller_id, 'team_members');
  const { plan } = await ctx.standing();
  if (used > planLimit(plan, 'team_members')) throw tierLimitExceeded(plan, 'team_members', used - 1);
  const { business_name } = await requireSeller(ctx);
  const { member_id, subject, email, roles } = member;
  const { seller_id } = ctx;
  await ctx.emit(
    memberInvited.of({
      member_id,
      seller_id,
      business_name,
      subject,
      email,
      roles: [...roles],
      invited_by,
      token,
      expires_at,
    }),
  );
  return member;
}
