import type { Db } from '../../../kernel/context.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { sql } from '../../../platform/db/sql.ts';

export type MemberStatus = 'invited' | 'active' | 'removed';

/** A team member as stored; instants are RFC 3339. */
export interface MemberRow {
  readonly member_id: string;
  /** Marketplace identity, once it is known. */
  readonly subject: string | null;
  readonly email: string | null;
  readonly roles: readonly Role[];
  readonly status: MemberStatus;
  readonly invited_by: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

const COLUMNS = 'member_id, subject, email, roles, status, invited_by, version, created_at, updated_at';

export interface MemberFilter {
  readonly status?: MemberStatus | undefined;
  readonly role?: Role | undefined;
  /** Identifier of the last member of the page before. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** One more than the limit, newest first; removed members only where the filter asks for them. */
export function listMembers(db: Db, sellerId: string, filter: MemberFilter): Promise<MemberRow[]> {
  const { status = null, role = null, before = null, limit } = filter;
  return db.all<MemberRow>(
    sql(
      `select ${COLUMNS} from team_member where seller_id = $1 and ` +
        "case when $2::text is null then status <> 'removed' else status = $2 end and " +
        '($3::text is null or $3 = any(roles)) and ($4::text is null or member_id < $4) ' +
        'order by member_id desc limit $5',
      [sellerId, status, role, before, limit + 1],
    ),
  );
}

/** A member that has not been removed. */
export function findMember(db: Db, sellerId: string, memberId: string): Promise<MemberRow | undefined> {
  return db.one<MemberRow>(
    sql(
      `select ${COLUMNS} from team_member where seller_id = $1 and member_id = $2 and status <> 'removed'`,
      [sellerId, memberId],
    ),
  );
}

/**
 * The member and every owner, held until the end of the transaction: two owners who demote each other wait for
 * one another, and the second sees what the first has done.
 */
export function lockMemberAndOwners(db: Db, sellerId: string, memberId: string): Promise<MemberRow[]> {
  return db.all<MemberRow>(
    sql(
      `select ${COLUMNS} from team_member where seller_id = $1 and status <> 'removed' and ` +
        "(member_id = $2 or 'owner' = any(roles)) order by member_id for no key update",
      [sellerId, memberId],
    ),
  );
}

/** Adds an invitation; false when a member or invitation with this identity or e-mail exists. */
export async function insertMember(db: Db, sellerId: string, member: MemberRow): Promise<boolean> {
  const added = await db.run(
    sql(
      'insert into team_member (seller_id, member_id, subject, email, roles, status, invited_by, version, created_at, updated_at) ' +
        'values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing',
      [
        sellerId,
        member.member_id,
        member.subject,
        member.email,
        member.roles,
        member.status,
        member.invited_by,
        member.version,
        member.created_at,
        member.updated_at,
      ],
    ),
  );
  return added === 1;
}

/** Writes roles and status of a held member. */
export async function writeMember(db: Db, sellerId: string, member: MemberRow): Promise<void> {
  await db.run(
    sql(
      'update team_member set roles = $3, status = $4, version = $5, updated_at = $6 where seller_id = $1 and member_id = $2',
      [sellerId, member.member_id, member.roles, member.status, member.version, member.updated_at],
    ),
  );
}

/** Ends every session of a member: the next request with one of its tokens is refused. */
export async function endSessions(db: Db, sellerId: string, memberId: string, now: number): Promise<void> {
  await db.run(
    sql(
      'update auth_session set revoked_at = $3 where seller_id = $1 and member_id = $2 and revoked_at is null',
      [sellerId, memberId, new Date(now).toISOString()],
    ),
  );
}
