/** Which marketplace identity is which member of which seller. No seller is known yet: in the system's scope. */
import type { Db } from '../../../kernel/context.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { type RowOf, text, textsOf } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import { profileColumns } from './seller-row.ts';

const { status, verified, api_access, plan } = profileColumns;
const member = { seller_id: text, member_id: text };
const memberOfSeller = { ...member, roles: textsOf<Role>(), status, verified, api_access, plan };

/** An active member, and the standing of its seller. */
export type MemberOfSeller = RowOf<typeof memberOfSeller>;
type MemberKey = RowOf<typeof member>;

/** The member of an identity. An identity whose member was removed may register or join another team. */
export function findMemberOf(db: Db, subject: string): Promise<MemberOfSeller | undefined> {
  return db.one(statement(memberOfSeller)`
    select i.seller_id, i.member_id, m.roles, s.status, s.verified, s.api_access, s.plan
      from seller_identity i
      join team_member m
        on m.seller_id = i.seller_id
       and m.member_id = i.member_id
       and m.status = 'active'
      join seller s
        on s.seller_id = i.seller_id
     where i.subject = ${subject}`);
}

/** Locks an identity until the transaction ends, so that it is bound once. */
export async function lockSubject(db: Db, subject: string): Promise<void> {
  await db.run(command`select pg_advisory_xact_lock(hashtextextended(${`subject:${subject}`}, 0))`);
}

/**
 * Locks the oldest open invitation of an identity or e-mail address. An invitation that names an identity is for
 * that identity only, whatever its e-mail address.
 */
export function lockInvitation(
  db: Db,
  subject: string,
  email: string | null,
): Promise<MemberKey | undefined> {
  return db.one(statement(member)`
    select seller_id, member_id
      from team_member
     where status = 'invited'
       and (subject = ${subject} or (subject is null and lower(email) = lower(${email})))
     order by subject nulls last, created_at, member_id
     limit 1
       for update`);
}

/** Makes an invited person a member. */
export async function acceptInvitation(
  db: Db,
  { seller_id, member_id }: MemberKey,
  subject: string,
  at: string,
): Promise<void> {
  await db.run(command`
    update team_member
       set status = 'active',
           subject = ${subject},
           version = version + 1,
           updated_at = ${at}
     where seller_id = ${seller_id}
       and member_id = ${member_id}`);
}

/** Binds an identity; an identity that was bound to a removed member moves. */
export async function bindIdentity(
  db: Db,
  subject: string,
  { seller_id, member_id }: MemberKey,
  at: string,
): Promise<void> {
  await db.run(command`
    insert into seller_identity (subject, seller_id, member_id, bound_at)
    values (${subject}, ${seller_id}, ${member_id}, ${at})
        on conflict (subject) do update
       set seller_id = excluded.seller_id,
           member_id = excluded.member_id,
           bound_at = excluded.bound_at`);
}
