/**
 * Finds the member and the seller of a marketplace identity. It runs in the system's scope, as no seller is known
 * yet.
 */

import type { Db } from '../../../kernel/context.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { instant, nullable, type RowOf, text, textOf, textsOf } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import type { MemberStatus } from './members.ts';
import { profileColumns } from './seller-row.ts';

const { status } = profileColumns;
const member = { seller_id: text, member_id: text };
type MemberKey = RowOf<typeof member>;

/** Locks an identity until the transaction ends, so that it is bound once. */
export async function lockSubject(db: Db, subject: string): Promise<void> {
  await lockName(db, `subject:${subject}`);
}

/** An invitation, with what its token and its seller's standing decide about it. */
const invitationColumns = {
  ...member,
  roles: textsOf<Role>(),
  subject: nullable(text),
  email: nullable(text),
  member_status: textOf<MemberStatus>(),
  expires_at: nullable(instant),
  business_name: text,
  status,
};
export type InvitationRow = RowOf<typeof invitationColumns>;

/** Locks the invitation of a token: it waits for another acceptance, and for a withdrawal. */
export function lockInvitation(db: Db, hash: string): Promise<InvitationRow | undefined> {
  return db.one(statement(invitationColumns)`
    select m.seller_id, m.member_id, m.roles, m.subject, m.email, m.status as member_status,
           m.invitation_expires_at as expires_at, s.business_name, s.status
      from team_member m
      join seller s
        on s.seller_id = m.seller_id
     where m.invitation_hash = ${hash}
       for update of m`);
}

/** Makes an invited person a member; other invitations of the same identity into this team end. */
export async function activateMember(
  db: Db,
  { seller_id, member_id }: MemberKey,
  subject: string,
  at: string,
): Promise<void> {
  await db.run(command`
    update team_member
       set status = 'removed',
           version = version + 1,
           updated_at = ${at}
     where seller_id = ${seller_id}
       and subject = ${subject}
       and status = 'invited'
       and member_id <> ${member_id}`);
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
