/** Reads the bearer token, and refuses sellers that may not use the API. */
import type { Standing } from '../../kernel/context.ts';
import { type ApiError, coreErrors, type ErrorDef, fail } from '../../kernel/errors.ts';
import { refuseAccount } from '../../kernel/standing.ts';

/** The kind of token that a route asks for. The default error texts are those of the service token. */
type TokenKind = 'service' | 'marketplace' | 'internal';

function unauthorised(def: ErrorDef, detail = def.detail): ApiError {
  return fail(def, { detail, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
}

/** What can be wrong with the header, beside a token that no key of the service has signed. */
const REFUSALS = {
  scheme: 'The Authorization header must begin with "Bearer ", followed by the token.',
  shape: 'After "Bearer " comes the token alone, without quotes or blanks.',
  marketplace:
    'This is not a service token. Exchange the marketplace session at POST /api/v1/auth/exchange and send the access_token of the answer.',
  service: 'This is a service token. Send the access token of the marketplace here.',
  ended: 'The session of this token has ended; exchange the marketplace session again.',
  member: 'The member of this token was removed or got other roles during the request; sign in again.',
} as const;
export const tokenRefused = (why: keyof typeof REFUSALS): ApiError =>
  unauthorised(coreErrors.token_invalid, REFUSALS[why]);

export const tokenMissing = (kind: TokenKind = 'service'): ApiError =>
  unauthorised(coreErrors.token_missing, `Send the ${kind} token as "Authorization: Bearer <token>".`);
export const tokenExpired = (): ApiError => unauthorised(coreErrors.token_expired);
export const tokenInvalid = (kind: TokenKind = 'service'): ApiError =>
  unauthorised(
    coreErrors.token_invalid,
    kind === 'service' ? undefined : `The token is not a valid ${kind} token.`,
  );

/** All tokens of the service and the marketplace are shorter. A longer text is refused without reading it. */
const TOKEN_CHARS_MAX = 8_192;

/**
 * The token of an `Authorization: Bearer …` header.
 *
 * @throws ApiError 401 `token_missing` without one, `token_invalid` for another scheme or shape
 */
export function bearerToken(authorization: string | undefined, kind: TokenKind = 'service'): string {
  if (authorization === undefined || authorization === '') throw tokenMissing(kind);
  if (!/^Bearer /i.test(authorization)) throw tokenRefused('scheme');
  const match = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(
    authorization.length > TOKEN_CHARS_MAX ? '' : authorization,
  );
  if (match?.[1] === undefined) throw tokenRefused('shape');
  return match[1];
}

/**
 * Refuses a seller that may not use the API, even when its token is valid.
 *
 * @throws ApiError 401 for a revoked session, 403 `seller_suspended|seller_not_verified|api_access_disabled`
 */
export function refuseStanding(standing: Standing, sessionLive: boolean): void {
  if (!sessionLive) throw tokenRefused('ended');
  refuseAccount(standing);
}
