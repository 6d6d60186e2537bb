import { createHash, timingSafeEqual } from 'node:crypto';
import { bearerToken, tokenInvalid } from '../platform/http/authenticate.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * The check of the marketplace's bearer token. Digests are compared, so that neither content nor length shows
 * in the time it takes.
 *
 * @param tokens comma-separated; more than one while the marketplace changes over to a new one
 */
export function createAuthorise(tokens: string): (authorization: string | undefined) => void {
  const expected = tokens.split(',').map((token) => digest(token.trim()));
  return (authorization) => {
    const given = digest(bearerToken(authorization, 'internal'));
    if (!expected.some((one) => timingSafeEqual(given, one))) throw tokenInvalid('internal');
  };
}
