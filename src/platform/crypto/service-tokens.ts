/**
 * The service's own tokens (EdDSA). Their type, issuer, audience and key set differ from those of the marketplace, so
 * neither token is accepted in place of the other (RFC 8725). Source: docs/design/wire.md#service-tokens.
 */
import { hash } from 'node:crypto';
import {
  decodeProtectedHeader,
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock, TokenPrincipal } from '../../kernel/context.ts';
import { permissionsOf, ROLES, type Role } from '../../kernel/permissions.ts';
import type { Plan } from '../../kernel/plans.ts';
import { bearerToken, tokenExpired, tokenInvalid, tokenRefused } from './authenticate.ts';
import type { PublicJwk, SigningKeys } from './signing-keys.ts';

/** 15 minutes: enough for a batch of work, and a leaked token soon expires. */
export const SERVICE_TOKEN_SECONDS = 900;
/** Media type of the token (`typ`); no other token of the marketplace has it. */
export const SERVICE_TOKEN_TYPE = 'spp-access+jwt';
/** The size of the cache. An EdDSA check takes over 100 µs, a look-up about 1 µs. An entry has about 1 kB. */
const VERIFIED_MAX = 20_000;

interface TokenSubject {
  readonly seller_id: string;
  readonly member_id: string;
  readonly sid: string;
  readonly roles: readonly Role[];
  readonly plan: Plan;
}

interface IssuedToken {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
  /** RFC 3339. */
  readonly expires_at: string;
}

export interface ServiceTokens {
  issue(subject: TokenSubject): Promise<IssuedToken>;
  /**
   * Verifies the `Authorization` header of a request. For a token that was verified before it does not return a
   * promise.
   *
   * @throws ApiError 401 `token_missing|token_expired|token_invalid`, also as a rejection
   */
  verify(authorization: string | undefined): TokenPrincipal | Promise<TokenPrincipal>;
  /** The public key set. */
  jwks(): { readonly keys: readonly PublicJwk[] };
}

/**
 * Whether the header has a token of another kind than the service's, for routes that take both kinds. The text is not
 * verified here.
 */
export function isOtherToken(authorization: string | undefined): boolean {
  const [, token = ''] = / (\S+)$/.exec(authorization ?? '') ?? [];
  return kindOf(token) === 'other';
}

/** The kind of token that a text says to be; undefined if it is no token. Nothing is verified here. */
function kindOf(token: string): 'service' | 'other' | undefined {
  try {
    return decodeProtectedHeader(token).typ === SERVICE_TOKEN_TYPE ? 'service' : 'other';
  } catch {
    return undefined;
  }
}

interface ServiceTokenOptions {
  readonly keys: SigningKeys;
  /** The service's clock, which decides when tokens expire. */
  readonly now: Clock;
  readonly issuer: string;
  readonly audience: string;
}

const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The claims as a principal. Roles that this release does not know are left out. */
function principalOf(payload: JWTPayload, kid: string): TokenPrincipal {
  const { seller_id, sub, sid, roles, iat, exp } = payload;
  if (!isText(seller_id) || !isText(sub) || !isText(sid) || !Array.isArray(roles)) throw tokenInvalid();
  if (iat === undefined || exp === undefined) throw tokenInvalid();
  const known = roles.filter(isRole);
  return {
    seller_id,
    member_id: sub,
    sid,
    roles: known,
    // The permissions follow from the roles, because an earlier release may have written other permissions into the
    // token.
    permissions: permissionsOf(known),
    issued_at: iat,
    expires_at: exp,
    kid,
  };
}

function sign(
  { keys, issuer, audience }: Omit<ServiceTokenOptions, 'now'>,
  { seller_id, member_id, sid, roles, plan }: TokenSubject,
  { iat, exp }: { readonly iat: number; readonly exp: number },
): Promise<string> {
  return new SignJWT({ seller_id, roles, permissions: permissionsOf(roles), plan, sid })
    .setProtectedHeader({ alg: 'EdDSA', typ: SERVICE_TOKEN_TYPE, kid: keys.signer.kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(member_id)
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .sign(keys.signer.key);
}

/** Issues and verifies service tokens. */
export function createServiceTokens({ keys, now, issuer, audience }: ServiceTokenOptions): ServiceTokens {
  // The cache has digests as keys, so that a memory dump has no usable tokens.
  const verified = new LRUCache<string, TokenPrincipal>({ max: VERIFIED_MAX });

  const keyOf = (header: JWTHeaderParameters) => {
    const key = typeof header.kid === 'string' ? keys.verifiers.get(header.kid) : undefined;
    if (key === undefined) throw tokenInvalid();
    return key;
  };

  const check = async (token: string, digest: string): Promise<TokenPrincipal> => {
    // Decoders skip padding, so only one spelling of a token is accepted.
    if (token.includes('=')) throw tokenInvalid();
    if (kindOf(token) === 'other') throw tokenRefused('marketplace');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
        algorithms: ['EdDSA'],
        typ: SERVICE_TOKEN_TYPE,
        issuer,
        audience,
        requiredClaims: ['exp', 'iat', 'sub'],
        currentDate: new Date(now()),
      });
      const principal = principalOf(payload, String(protectedHeader.kid));
      verified.set(digest, principal);
      return principal;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw tokenExpired();
      throw tokenInvalid();
    }
  };

  return {
    async issue(subject) {
      const iat = Math.floor(now() / 1000);
      const exp = iat + SERVICE_TOKEN_SECONDS;
      return {
        access_token: await sign({ keys, issuer, audience }, subject, { iat, exp }),
        expires_in: SERVICE_TOKEN_SECONDS,
        expires_at: new Date(exp * 1000).toISOString(),
      };
    },
    verify(authorization) {
      const digest = authorization === undefined ? '' : hash('sha256', authorization, 'base64url');
      const known = verified.get(digest);
      if (known === undefined) return check(bearerToken(authorization), digest);
      if (known.expires_at * 1000 > now()) return known;
      verified.delete(digest);
      throw tokenExpired();
    },
    jwks: () => ({ keys: keys.published }),
  };
}
