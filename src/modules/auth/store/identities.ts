/** Which marketplace identity is which member of which seller. Asked before any seller is known. */
import type { Db, Standing } from '../../../kernel/context.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { sql } from '../../../platform/db/sql.ts';

/** An active member, and the seller as it stands. */
export interface MemberOfSeller extends Pick<Standing, 'status' | 'verified' | 'api_access' | 'plan'> {
  readonly seller_id: string;
  readonly member_id: string;
  readonly roles: readonly Role[];
}

// An identity whose member was removed has no seller: it may register or be invited elsewhere.
const FIND_MEMBER =
  'select i.seller_id, i.member_id, m.roles, s.status, s.verified, s.api_access, s.plan from seller_identity i ' +
  "join team_member m on m.seller_id = i.seller_id and m.member_id = i.member_id and m.status = 'active' " +
  'join seller s on s.seller_id = i.seller_id where i.subject = $1';

export function findMember(db: Db, subject: string): Promise<MemberOfSeller | undefined> {
  return db.one<MemberOfSeller>(sql(FIND_MEMBER, [subject]));
}

/** Holds an identity until the end of the transaction, so that it is bound once. */
export async function lockSubject(db: Db, subject: string): Promise<void> {
  await db.run(sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`subject:${subject}`]));
}

export interface Invitation {
  readonly seller_id: string;
  readonly member_id: string;
}

// An invitation that names an identity is for that identity alone, whatever its e-mail address.
const FIND_INVITATION =
  "select seller_id, member_id from team_member where status = 'invited' and " +
  '(subject = $1 or (subject is null and lower(email) = lower($2))) ' +
  'order by subject nulls last, created_at, member_id limit 1 for update';

/** The oldest open invitation of this identity or e-mail address, held until the end of the transaction. */
export function lockInvitation(
  db: Db,
  subject: string,
  email: string | null,
): Promise<Invitation | undefined> {
  return db.one<Invitation>(sql(FIND_INVITATION, [subject, email]));
}

/** Makes an invited person a member. */
export async function acceptInvitation(
  db: Db,
  { seller_id, member_id }: Invitation,
  subject: string,
  now: number,
): Promise<void> {
  await db.run(
    sql(
      "update team_member set status = 'active', subject = $3, version = version + 1, updated_at = $4 " +
        'where seller_id = $1 and member_id = $2',
      [seller_id, member_id, subject, new Date(now).toISOString()],
    ),
  );
}

/** Binds an identity; one that was bound to a removed member moves. */
export async function bindIdentity(
  db: Db,
  subject: string,
  { seller_id, member_id }: Invitation,
  now: number,
): Promise<void> {
  await db.run(
    sql(
      'insert into seller_identity (subject, seller_id, member_id, bound_at) values ($1, $2, $3, $4) ' +
        'on conflict (subject) do update set seller_id = excluded.seller_id, member_id = excluded.member_id, ' +
        'bound_at = excluded.bound_at',
      [subject, seller_id, member_id, new Date(now).toISOString()],
    ),
  );
}
