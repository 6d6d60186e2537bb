import { isDeepStrictEqual } from 'node:util';
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { losesLastOwner, needsOwner } from '../domain/member-rules.ts';
import { sellerErrors } from '../errors.ts';
import { lockMemberAndOwners, type MemberRow, teamMembers } from '../store/members.ts';
import { endSessions } from '../store/sessions.ts';

export interface MemberChange {
  readonly memberId: string;
  /** The new roles; `remove` takes the member out of the team. */
  readonly roles: readonly Role[] | 'remove';
  /** Refuses another version than the one that the client knows. */
  readonly checkVersion: (member: MemberRow) => void;
}

/**
 * Changes a member's roles or removes the member. The member's sessions end in the same transaction: tokens carry
 * the roles, and a token with the old roles must not stay good.
 *
 * @throws ApiError 404 `not_found`, 412, 403 `owner_required`, 409 `last_owner`
 */
export async function changeMember(ctx: SellerCtx, change: MemberChange): Promise<MemberRow> {
  const team = await lockMemberAndOwners(ctx, change.memberId);
  const member = team.find(({ member_id }) => member_id === change.memberId);
  if (member === undefined) throw fail(coreErrors.not_found);
  change.checkVersion(member);
  const { roles } = change;
  const rolesAfter = roles === 'remove' ? [] : roles;
  if (needsOwner({ actorRoles: ctx.seller.roles, from: member.roles, to: rolesAfter }))
    throw fail(sellerErrors.owner_required);
  if (losesLastOwner(team, member.member_id, rolesAfter)) throw fail(sellerErrors.last_owner);
  if (roles !== 'remove' && isDeepStrictEqual([...member.roles].sort(), [...roles].sort())) return member;
  // The row of a removed member keeps its roles as a record.
  const after = await writeVersion(
    teamMembers,
    ctx,
    member,
    roles === 'remove' ? { status: 'removed' } : { roles },
  );
  await endSessions(ctx, member.member_id);
  return after;
}
