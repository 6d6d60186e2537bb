/**
 * Signatures of deliveries: Standard Webhooks 1.0, scheme v1. Source: docs/design/wire.md#webhook-deliveries.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Makes the key from a secret as sellers see it. This takes longer than a signature, so keys are kept. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
}

/**
 * Makes the headers that a receiver verifies.
 *
 * @param seconds the instant of the attempt; receivers refuse old ones
 * @param keys the newest one, and replaced ones during their overlap
 */
export function signedHeaders(
  id: string,
  seconds: number,
  body: string,
  keys: readonly KeyObject[],
): Record<string, string> {
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
