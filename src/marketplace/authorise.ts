import { createHash, timingSafeEqual } from 'node:crypto';
import { bearerToken, tokenInvalid } from '../platform/crypto/authenticate.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Checks the marketplace's bearer token. It compares digests, so the duration reveals neither content nor length.
 *
 * @param tokens comma-separated; several while the marketplace rotates its token
 */
export function createAuthorise(tokens: string): (authorization: string | undefined) => void {
  const expected = tokens.split(',').map((token) => digest(token.trim()));
  return (authorization) => {
    const given = digest(bearerToken(authorization, 'internal'));
    if (!expected.some((one) => timingSafeEqual(given, one))) throw tokenInvalid('internal');
  };
}
