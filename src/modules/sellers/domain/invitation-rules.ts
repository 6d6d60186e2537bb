/** Who may take up an invitation, and until when. Source: docs/design/wire.md#invitations. */
import type { MarketplaceIdentity } from '../../../kernel/context.ts';

/** A week: long enough for holidays, short enough that a forgotten link is worth nothing. */
export const INVITATION_DAYS = 7;

interface Invitation {
  readonly member_status: 'invited' | 'active' | 'removed';
  readonly subject: string | null;
  readonly email: string | null;
  /** Null: made by a release without tokens. */
  readonly expires_at: string | null;
}

type InvitationRefusal = 'not_found' | 'invitation_expired' | 'invitation_for_another' | 'email_not_verified';

/**
 * An e-mail address in lower case. Only ASCII letters change: Unicode has other letters whose lower case is an ASCII
 * letter, such as the Kelvin sign, and they make another mailbox.
 */
const lowered = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Why an identity may not take up an invitation; undefined when it may. An invitation that names an identity is for
 * that identity, whatever its e-mail address; any other one is for the verified address, in upper or lower case.
 *
 * @param now milliseconds
 */
export function invitationRefusal(
  { member_status, subject, email, expires_at }: Invitation,
  identity: Pick<MarketplaceIdentity, 'subject' | 'email' | 'email_verified'>,
  now: number,
): InvitationRefusal | undefined {
  if (member_status === 'active') return 'not_found';
  if (expires_at === null || Date.parse(expires_at) <= now) return 'invitation_expired';
  if (member_status === 'removed') return 'not_found';
  if (subject !== null) return subject === identity.subject ? undefined : 'invitation_for_another';
  if (email === null || identity.email === null || lowered(email) !== lowered(identity.email))
    return 'invitation_for_another';
  return identity.email_verified ? undefined : 'email_not_verified';
}
