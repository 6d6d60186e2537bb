/** Sessions of service tokens: what makes a token revocable before its end. */
import type { Db } from '../../../kernel/context.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface NewSession {
  readonly seller_id: string;
  readonly member_id: string;
  readonly sid: string;
  /** The roles that the token will carry. */
  readonly roles: readonly Role[];
  readonly created_at: number;
  readonly expires_at: number;
}

// The lock waits for a concurrent change of the member. That change ends the sessions that it can see; this session
// must be visible to it, or not begin.
const OPEN =
  'insert into auth_session (seller_id, sid, member_id, created_at, expires_at) ' +
  'select m.seller_id, $2, m.member_id, $3, $4 from team_member m ' +
  "where m.seller_id = $1 and m.member_id = $5 and m.status = 'active' and m.roles = $6 for share";

/** Opens a session; false when the member is gone or has other roles by now. */
export async function openSession(db: Db, session: NewSession): Promise<boolean> {
  const opened = await db.run(
    sql(OPEN, [
      session.seller_id,
      session.sid,
      new Date(session.created_at).toISOString(),
      new Date(session.expires_at).toISOString(),
      session.member_id,
      session.roles,
    ]),
  );
  return opened === 1;
}

/** Ends one session. */
export async function revokeSession(db: Db, sellerId: string, sid: string, now: number): Promise<void> {
  await db.run(
    sql('update auth_session set revoked_at = $3 where seller_id = $1 and sid = $2 and revoked_at is null', [
      sellerId,
      sid,
      new Date(now).toISOString(),
    ]),
  );
}
