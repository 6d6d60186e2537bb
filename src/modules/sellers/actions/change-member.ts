import { isDeepStrictEqual } from 'node:util';
import type { SellerCtx } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { losesLastOwner, needsOwner } from '../domain/member-rules.ts';
import { sellerErrors } from '../errors.ts';
import { endSessions, lockMemberAndOwners, type MemberRow, writeMember } from '../store/members.ts';

export interface MemberChange {
  readonly memberId: string;
  /** Roles from now on; `remove` takes the member out of the team. */
  readonly roles: readonly Role[] | 'remove';
  /** Refuses another version than the one the caller has seen. */
  readonly checkVersion: (member: MemberRow) => void;
}

/**
 * Changes a member's roles or removes the member. Its sessions end in the same transaction: tokens carry the
 * roles, so none with the old ones may go on.
 *
 * @throws ApiError 404 `member_not_found`, 412, 403 `owner_required`, 409 `last_owner`
 */
export async function changeMember(ctx: SellerCtx, change: MemberChange): Promise<MemberRow> {
  const { seller_id, roles: actorRoles } = ctx.seller;
  const team = await lockMemberAndOwners(ctx.db, seller_id, change.memberId);
  const member = team.find(({ member_id }) => member_id === change.memberId);
  if (member === undefined) throw fail(sellerErrors.member_not_found);
  change.checkVersion(member);
  const removed = change.roles === 'remove';
  const rolesAfter = change.roles === 'remove' ? [] : change.roles;
  if (needsOwner({ actorRoles, from: member.roles, to: rolesAfter })) throw fail(sellerErrors.owner_required);
  if (losesLastOwner(team, member.member_id, rolesAfter)) throw fail(sellerErrors.last_owner);
  if (!removed && isDeepStrictEqual([...member.roles].sort(), [...rolesAfter].sort())) return member;
  const now = ctx.now();
  const after: MemberRow = {
    ...member,
    // What a removed member was allowed to do stays on record.
    roles: removed ? member.roles : rolesAfter,
    status: removed ? 'removed' : member.status,
    version: member.version + 1,
    updated_at: new Date(now).toISOString(),
  };
  await writeMember(ctx.db, seller_id, after);
  await endSessions(ctx.db, seller_id, member.member_id, now);
  return after;
}
