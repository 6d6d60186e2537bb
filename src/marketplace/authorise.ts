import { createHash, timingSafeEqual } from 'node:crypto';
import { bearerToken, tokenInvalid } from '../platform/http/authenticate.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * The check of the marketplace's bearer token. Digests are compared, so that neither content nor length shows
 * in the time it takes.
 */
export function createAuthorise(token: string): (authorization: string | undefined) => void {
  const expected = digest(token);
  return (authorization) => {
    if (!timingSafeEqual(digest(bearerToken(authorization)), expected)) throw tokenInvalid();
  };
}
