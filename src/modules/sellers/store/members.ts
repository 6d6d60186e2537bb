import type { Role } from '../../../kernel/permissions.ts';
import { nullable, text, textOf, textsOf } from '../../../platform/db/columns.ts';
import { allOf, part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

export type MemberStatus = 'invited' | 'active' | 'removed';

export const teamMembers = defineTable('team_member', 'member_id', {
  /** Marketplace identity, once it is known. */
  subject: nullable(text),
  email: nullable(text),
  roles: textsOf<Role>(),
  status: textOf<MemberStatus>(),
  invited_by: nullable(text),
});
export type MemberRow = RowIn<typeof teamMembers>;

export const NOT_REMOVED = part`status <> 'removed'`;

export interface TeamPage {
  readonly filters: { readonly status?: MemberStatus; readonly role?: Role };
  readonly after: readonly (string | number)[] | undefined;
  readonly limit: number;
}

/** Newest first; removed members only when the filter asks for them. */
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
 * Locks the member and every owner: when two owners demote each other, the second waits, and sees what the first
 * did.
 */
export function lockMemberAndOwners({ db, seller_id }: SellerDb, memberId: string): Promise<MemberRow[]> {
  return db.all(
    teamMembers.select(
      seller_id,
      part`${NOT_REMOVED}
           and (member_id = ${memberId} or 'owner' = any(roles))
         order by member_id
           for no key update`,
    ),
  );
}
