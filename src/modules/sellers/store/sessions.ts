/** Sessions of service tokens. A token is valid while its session is open. */
import type { Role } from '../../../kernel/permissions.ts';
import { command } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

interface NewSession {
  readonly member_id: string;
  readonly sid: string;
  /** The roles that the token will carry. */
  readonly roles: readonly Role[];
  /** RFC 3339. */
  readonly created_at: string;
  readonly expires_at: string;
}

/**
 * Opens a session. It returns false if the member was removed or has other roles now. A change of the member ends all
 * open sessions. The lock waits for such a change, so a session with old roles is either ended or not opened.
 */
export async function openSession({ db, seller_id }: SellerDb, session: NewSession): Promise<boolean> {
  const { member_id, sid, roles, created_at, expires_at } = session;
  const opened = await db.run(command`
    insert into auth_session (seller_id, sid, member_id, created_at, expires_at)
    select m.seller_id, ${sid}, m.member_id, ${created_at}::timestamptz, ${expires_at}::timestamptz
      from team_member m
     where m.seller_id = ${seller_id}
       and m.member_id = ${member_id}
       and m.status = 'active'
       and m.roles = ${roles}
       for share`);
  return opened === 1;
}

/** Ends one session. */
export async function endSession({ db, seller_id, at }: Ending, sid: string): Promise<void> {
  await db.run(command`
    update auth_session
       set revoked_at = ${at()}
     where seller_id = ${seller_id}
       and sid = ${sid}
       and revoked_at is null`);
}

/** Ends all sessions of a member. The next request with one of its tokens is refused. */
export async function endSessions({ db, seller_id, at }: Ending, memberId: string): Promise<void> {
  await db.run(command`
    update auth_session
       set revoked_at = ${at()}
     where seller_id = ${seller_id}
       and member_id = ${memberId}
       and revoked_at is null`);
}

type Ending = SellerDb & { at(): string };
