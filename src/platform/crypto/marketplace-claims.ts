/** What the claims of a marketplace session say, once its signature, issuer, audience and times are good. */
import type { JWTPayload } from 'jose';
import type { MarketplaceIdentity } from '../../kernel/context.ts';

/** A claim is missing or is not what it should be. */
export class ClaimRefused extends Error {
  override readonly name = 'ClaimRefused';
  readonly claim: string;

  constructor(claim: string) {
    super(`claim ${claim}`);
    this.claim = claim;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TEXT_CHARS_MAX = 320;
/** The longest that the marketplace's auth server can be set to; a session that says more is not its own. */
const LIFETIME_SECONDS_MAX = 7 * 24 * 3_600;

/** An optional text; empty means none (a user without e-mail has an empty one). */
function optionalText(claims: JWTPayload, name: string): string | null {
  const value = claims[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || value.length > TEXT_CHARS_MAX || /\p{Cc}/u.test(value))
    throw new ClaimRefused(name);
  return value;
}

/**
 * Reads the claims at the top level only: `user_metadata` is the user's own to edit, and nothing in it counts.
 *
 * @throws ClaimRefused naming the claim
 */
export function readMarketplaceClaims(claims: JWTPayload): MarketplaceIdentity {
  const { sub, iat, exp, role, is_anonymous, aal } = claims;
  if (typeof sub !== 'string' || !UUID.test(sub)) throw new ClaimRefused('sub');
  if (typeof iat !== 'number' || typeof exp !== 'number') throw new ClaimRefused('exp');
  if (exp - iat > LIFETIME_SECONDS_MAX) throw new ClaimRefused('exp');
  // A service key of the marketplace has another role and stands for no seller.
  if (role !== undefined && role !== 'authenticated') throw new ClaimRefused('role');
  if (is_anonymous !== undefined && is_anonymous !== false) throw new ClaimRefused('is_anonymous');
  return {
    subject: sub.toLowerCase(),
    email: optionalText(claims, 'email'),
    session_id: optionalText(claims, 'session_id'),
    aal: typeof aal === 'string' ? aal : null,
    issued_at: iat,
    expires_at: exp,
  };
}
