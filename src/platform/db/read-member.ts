import type { Db } from '../../kernel/context.ts';
import type { Role } from '../../kernel/permissions.ts';
import { type RowOf, text, textsOf } from './columns.ts';
import { STANDING } from './read-standing.ts';
import { statement } from './statement.ts';

const { status, verified, api_access, plan } = STANDING;
const member = {
  seller_id: text,
  member_id: text,
  roles: textsOf<Role>(),
  status,
  verified,
  api_access,
  plan,
};

/** An active member, and the standing of its seller. */
export type MemberOfSeller = RowOf<typeof member>;

/**
 * The member of a marketplace identity. No seller is known yet: in the system's scope. An identity whose member was
 * removed may register or join another team.
 */
export function findMemberOf(db: Db, subject: string): Promise<MemberOfSeller | undefined> {
  return db.one(statement(member)`
    select seller_id, member_id, roles, status, verified, api_access, plan
      from v_sellers_member
     where subject = ${subject}`);
}
