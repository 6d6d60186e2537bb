/** Reads the claims of a marketplace session whose signature, issuer, audience and times are valid. */
import type { JWTPayload } from 'jose';
import type { MarketplaceIdentity } from '../../kernel/context.ts';

/** A claim is missing or invalid. */
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
/** The longest lifetime that the marketplace's auth server can give a session. */
const LIFETIME_SECONDS_MAX = 7 * 24 * 3_600;

/** An optional text. An empty text counts as absent, because users without e-mail have an empty e-mail. */
function optionalText(claims: JWTPayload, name: string): string | null {
  const value = claims[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || value.length > TEXT_CHARS_MAX || /\p{Cc}/u.test(value))
    throw new ClaimRefused(name);
  return value;
}

/**
 * Reads claims at the top level only, because users can edit `user_metadata`.
 *
 * @throws ClaimRefused naming the claim
 */
export function readMarketplaceClaims(claims: JWTPayload): MarketplaceIdentity {
  const { sub, iat, exp, role, is_anonymous, aal, email_verified } = claims;
  if (typeof sub !== 'string' || !UUID.test(sub)) throw new ClaimRefused('sub');
  if (typeof iat !== 'number' || typeof exp !== 'number') throw new ClaimRefused('exp');
  if (exp - iat > LIFETIME_SECONDS_MAX) throw new ClaimRefused('exp');
  // Service keys of the marketplace have another role and belong to no seller.
  if (role !== undefined && role !== 'authenticated') throw new ClaimRefused('role');
  if (is_anonymous !== undefined && is_anonymous !== false) throw new ClaimRefused('is_anonymous');
  return {
    subject: sub.toLowerCase(),
    email: optionalText(claims, 'email'),
    email_verified: email_verified === true,
    session_id: optionalText(claims, 'session_id'),
    aal: typeof aal === 'string' ? aal : null,
    issued_at: iat,
    expires_at: exp,
  };
}
