/** Which members may give and take which roles. Source: docs/design/wire.md#roles. */
import type { Role } from '../../../kernel/permissions.ts';

/** The roles that can give roles. Only an owner may give or take them. */
const PRIVILEGED: readonly Role[] = ['owner', 'admin'];

export interface TeamMember {
  readonly member_id: string;
  readonly roles: readonly Role[];
  readonly status: 'invited' | 'active' | 'removed';
}

interface RoleChange {
  readonly actorRoles: readonly Role[];
  /** Roles before and after a change. There are none before an invitation and after a removal. */
  readonly from: readonly Role[];
  readonly to: readonly Role[];
}

/** Whether the change needs an owner: the member is or becomes owner or admin, but the actor is not an owner. */
export function needsOwner({ actorRoles, from, to }: RoleChange): boolean {
  if (actorRoles.includes('owner')) return false;
  return PRIVILEGED.some((role) => from.includes(role) || to.includes(role));
}

/** Whether no active owner would be left. An invited owner does not count, because the person may not accept. */
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
