import { isDeepStrictEqual } from 'node:util';
import type { SellerCtx } from '../../../kernel/context.ts';
import { fail, requireFound } from '../../../kernel/errors.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { changedFields } from '../../../platform/audit/changed-fields.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { losesLastOwner, needsOwner } from '../domain/member-rules.ts';
import { sellerErrors } from '../errors.ts';
import { lockMemberAndOwners, type MemberRow, teamMembers } from '../store/members.ts';
import { endSessions } from '../store/sessions.ts';

interface MemberChange {
  readonly memberId: string;
  /** The new roles. `remove` removes the member from the team. */
  readonly roles: readonly Role[] | 'remove';
  /** Throws if the version differs from the one that the client knows. */
  readonly checkVersion: (member: MemberRow) => void;
}

/** The row of a removed member keeps its roles as a record. */
const REMOVED = { status: 'removed' } as const;

async function write(ctx: SellerCtx, member: MemberRow, change: Partial<MemberRow>): Promise<MemberRow> {
  const after = await writeVersion(teamMembers, ctx, member, change);
  await endSessions(ctx, member.member_id);
  ctx.audit({
    target_type: 'member',
    target_id: member.member_id,
    changed_fields: changedFields(member, change),
  });
  return after;
}

/**
 * Changes a member's roles or removes the member. The member's sessions end in the same transaction, because a token
 * states the roles, and a token with the old roles must not be valid any more.
 *
 * @throws ApiError 404 `not_found`, 412, 403 `owner_required`, 409 `last_owner`
 */
export async function changeMember(ctx: SellerCtx, change: MemberChange): Promise<MemberRow> {
  const team = await lockMemberAndOwners(ctx, change.memberId);
  const member = requireFound(team.find(({ member_id }) => member_id === change.memberId));
  change.checkVersion(member);
  const { roles } = change;
  const rolesAfter = roles === 'remove' ? [] : roles;
  if (needsOwner({ actorRoles: ctx.seller.roles, from: member.roles, to: rolesAfter }))
    throw fail(sellerErrors.owner_required);
  if (losesLastOwner(team, member.member_id, rolesAfter)) throw fail(sellerErrors.last_owner);
  if (roles !== 'remove' && isDeepStrictEqual([...member.roles].sort(), [...roles].sort())) return member;
  return write(ctx, member, roles === 'remove' ? REMOVED : { roles });
}

/**
 * Removes the acting member from the team. Every role may do this. The identity may register or join another team
 * afterwards.
 *
 * @throws ApiError 404 `not_found`, 409 `last_owner`
 */
export async function leaveTeam(ctx: SellerCtx): Promise<void> {
  const { member_id } = ctx.seller;
  const team = await lockMemberAndOwners(ctx, member_id);
  const member = requireFound(team.find((one) => one.member_id === member_id));
  if (losesLastOwner(team, member_id, [])) throw fail(sellerErrors.last_owner);
  await write(ctx, member, REMOVED);
}
