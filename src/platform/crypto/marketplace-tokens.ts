/**
 * Session tokens of the marketplace, in the form of its auth server (Supabase Auth). They are signed with a published
 * key, never with a shared secret. Source: docs/design/wire.md#marketplace-sessions.
 */
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { Clock, MarketplaceIdentity } from '../../kernel/context.ts';
import { type ApiError, coreErrors, defineErrors, fail } from '../../kernel/errors.ts';
import { tokenRefused } from './authenticate.ts';
import { type JwksCache, JwksUnavailable } from './jwks-cache.ts';
import { ClaimRefused, readMarketplaceClaims } from './marketplace-claims.ts';
import { SERVICE_TOKEN_TYPE } from './service-tokens.ts';

export const marketplaceErrors = defineErrors({
  marketplace_unavailable: {
    status: 503,
    detail: 'The session could not be verified with the marketplace. Retry with backoff.',
  },
  insufficient_assurance: {
    status: 403,
    detail:
      'The marketplace session must have assurance level aal2: complete the second factor, then send the refreshed session.',
  },
  seller_not_found: {
    status: 404,
    detail:
      'No seller account belongs to this marketplace identity; register, or accept an invitation, first.',
  },
});

const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
/** Types of ordinary and of OAuth access tokens. Tokens of this service have another type and are refused. */
const TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];
/** Header parameters with which a token could make the verifier fetch or trust data of the token itself. */
const REFUSED_PARAMETERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip'];
/** Exactly three parts of base64url. It is checked, because decoders skip other characters. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const KID_CHARS_MAX = 256;
const TOKEN_CHARS_MAX = 8_192;
/** Allowed difference between the clocks of two machines. */
const CLOCK_TOLERANCE_SECONDS = 30;
const AGE_SECONDS_MAX = 24 * 3_600;
const RETRY_AFTER_SECONDS = '5';

export interface MarketplaceTokens {
  /** The `iss` that sessions must have. */
  readonly issuer: string;
  /**
   * Verifies a marketplace session and returns its user. The caller must check the assurance level.
   *
   * @throws ApiError 401 `token_invalid|token_expired`, 503 `marketplace_unavailable`
   */
  verify(token: string): Promise<MarketplaceIdentity>;
}

interface MarketplaceTokenOptions {
  readonly jwks: JwksCache;
  readonly issuer: string;
  readonly audience: string;
  /** The service's clock; token lifetimes follow it. */
  readonly now: Clock;
}

const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' };
const invalidToken = (why: string): ApiError =>
  fail(coreErrors.token_invalid, {
    detail: `The marketplace token is not valid (${why}); sign in to the marketplace again.`,
    headers: CHALLENGE,
  });
const expiredToken = (): ApiError =>
  fail(coreErrors.token_expired, {
    detail: 'The marketplace token has expired; refresh the marketplace session and send its new token.',
    headers: CHALLENGE,
  });

/** Refuses tokens that no key can make valid, before a key is fetched. */
function checkHeader(token: string): void {
  if (token.length > TOKEN_CHARS_MAX) throw invalidToken('too long');
  let header: Record<string, unknown>;
  if (!COMPACT_JWS.test(token)) throw invalidToken('not a signed JWT');
  try {
    header = decodeProtectedHeader(token) as Record<string, unknown>;
  } catch {
    throw invalidToken('not a signed JWT');
  }
  const { alg, kid, typ } = header;
  if (typ === SERVICE_TOKEN_TYPE) throw tokenRefused('service');
  if (!ALGORITHMS.some((known) => known === alg)) throw invalidToken('algorithm not allowed');
  if (typeof kid !== 'string' || kid === '' || kid.length > KID_CHARS_MAX)
    throw invalidToken('no usable key id');
  if (typ !== undefined && (typeof typ !== 'string' || !TYPES.includes(typ.toLowerCase()))) {
    throw invalidToken('another type of token');
  }
  const refused = REFUSED_PARAMETERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw invalidToken(`header parameter ${refused} not allowed`);
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof JwksUnavailable) {
    return fail(marketplaceErrors.marketplace_unavailable, {
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
      cause: error,
    });
  }
  if (error instanceof errors.JWTExpired) return expiredToken();
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof ClaimRefused) {
    return invalidToken(`claim ${error.claim}`);
  }
  if (error instanceof errors.JWKSNoMatchingKey) return invalidToken('unknown key');
  // jose reports unusable keys of the set as a TypeError. The token then cannot be verified.
  return invalidToken('signature');
}

/** Verifies sessions of one issuer. */
export function createMarketplaceTokens({
  jwks,
  issuer,
  audience,
  now,
}: MarketplaceTokenOptions): MarketplaceTokens {
  return {
    issuer,
    async verify(token) {
      checkHeader(token);
      try {
        const { payload } = await jwtVerify(token, (header) => jwks.keyFor(header), {
          algorithms: [...ALGORITHMS],
          issuer,
          audience,
          requiredClaims: ['exp', 'iat', 'sub'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          maxTokenAge: AGE_SECONDS_MAX,
          currentDate: new Date(now()),
        });
        return readMarketplaceClaims(payload);
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}
