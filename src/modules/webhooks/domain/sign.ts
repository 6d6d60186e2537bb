/**
 * Signatures of deliveries: Standard Webhooks 1.0, scheme v1. Source: docs/design/wire.md#webhook-deliveries.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** What signs, of the text that sellers are shown. Prepared once: it costs more than a signature. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
}

/**
 * The headers that a receiver verifies.
 *
 * @param seconds the instant of the attempt; receivers refuse old ones
 * @param keys one, and while a secret is being replaced those before it
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
