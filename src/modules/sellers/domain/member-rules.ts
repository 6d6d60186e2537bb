/** Who may give and take which roles. Source: docs/design/wire.md#roles. */
import type { Role } from '../../../kernel/permissions.ts';

/** Roles that can hand out roles; only an owner decides about them. */
const PRIVILEGED: readonly Role[] = ['owner', 'admin'];

export interface TeamMember {
  readonly member_id: string;
  readonly roles: readonly Role[];
  readonly status: 'invited' | 'active' | 'removed';
}

export interface RoleChange {
  readonly actorRoles: readonly Role[];
  /** Roles before and after; none before an invitation, none after a removal. */
  readonly from: readonly Role[];
  readonly to: readonly Role[];
}

/** Whether the change touches a member who is or becomes owner or admin, and the actor is no owner. */
export function needsOwner({ actorRoles, from, to }: RoleChange): boolean {
  if (actorRoles.includes('owner')) return false;
  return PRIVILEGED.some((role) => from.includes(role) || to.includes(role));
}

/** Whether no active owner would be left. An invited owner may never come, so it does not count. */
export function losesLastOwner(
  team: readonly TeamMember[],
  memberId: string,
  rolesAfter: readonly Role[],
): boolean {
  const isOwner = (member: TeamMember): boolean =>
    member.status === 'active' && member.roles.includes('owner');
  const target = team.find((member) => member.member_id === memberId);
  if (target === undefined || !isOwner(target) || rolesAfter.includes('owner')) return false;
  return !team.some((member) => member.member_id !== memberId && isOwner(member));
}
