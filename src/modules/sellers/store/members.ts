import type { Role } from '../../../kernel/permissions.ts';
import { instant, nullable, text, textOf, textsOf } from '../../../platform/db/columns.ts';
import { allOf, command, part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

export type MemberStatus = 'invited' | 'active' | 'removed';

export const teamMembers = defineTable('team_member', 'member_id', {
  /** Marketplace identity, once it is known. */
  subject: nullable(text),
  email: nullable(text),
  roles: textsOf<Role>(),
  status: textOf<MemberStatus>(),
  invited_by: nullable(text),
  /** SHA-256 of the token in the invitation's link; null for the member who registered. */
  invitation_hash: nullable(text),
  invitation_expires_at: nullable(instant),
});
export type MemberRow = RowIn<typeof teamMembers>;

export const NOT_REMOVED = part`status <> 'removed'`;

interface TeamPage {
  readonly filters: { readonly status?: MemberStatus; readonly role?: Role };
  readonly after: readonly (string | number)[] | undefined;
  readonly limit: number;
}

/** The members, newest first. Removed members are listed only if the filter names them. */
export const pageOfTeam = (
  ctx: SellerDb,
  { filters: { status, role }, ...page }: TeamPage,
): Promise<MemberRow[]> =>
  teamMembers.page(ctx, {
    ...page,
    where: allOf(
      status === undefined ? NOT_REMOVED : part`status = ${status}`,
      role !== undefined && part`${role} = any(roles)`,
    ),
    order: ['member_id'],
    descending: true,
  });

/**
 * Locks the member and all owners. If two owners demote each other, the second one waits and then sees the change of
 * the first one.
 */
export function lockMemberAndOwners(at: SellerDb, memberId: string): Promise<MemberRow[]> {
  return teamMembers.all(
    at,
    part`${NOT_REMOVED}
           and (member_id = ${memberId} or 'owner' = any(roles))
         order by member_id
           for no key update`,
  );
}

/** Ends expired invitations: they no longer count towards the plan, and the person may be invited again. */
export async function endExpiredInvitations({
  db,
  seller_id,
  at,
}: SellerDb & { at(): string }): Promise<void> {
  await db.run(command`
    update team_member
       set status = 'removed',
           version = version + 1,
           updated_at = ${at()}
     where seller_id = ${seller_id}
       and status = 'invited'
       and (invitation_expires_at is null or invitation_expires_at <= ${at()})`);
}
