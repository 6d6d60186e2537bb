/** The signatures of the store platform (docs/design/channels.md#signatures). */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Standard base64 of 32 bytes, padded. Other spellings of the same bytes are refused. */
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;
const HEX = /^[0-9a-f]{64}$/;

/** Whether one of the secrets makes this digest of the message. Each is compared in constant time. */
function isDigest(secrets: readonly string[], message: Buffer | string, given: Buffer): boolean {
  const right = secrets.map((secret) => createHmac('sha256', secret).update(message).digest());
  return right.filter((digest) => timingSafeEqual(digest, given)).length > 0;
}

/** Whether the header signs the raw bytes of a body. */
export function isSignedBody(secrets: readonly string[], body: Buffer, header: unknown): boolean {
  if (typeof header !== 'string' || !BASE64.test(header)) return false;
  const given = Buffer.from(header, 'base64');
  // The last letter has two unused bits, so only one spelling is accepted.
  return given.toString('base64') === header && isDigest(secrets, body, given);
}

/**
 * Whether `hmac` signs the other parameters: sorted by name and encoded as in an address, so that no value can look like
 * another parameter. No name occurs twice.
 */
export function isSignedQuery(
  secrets: readonly string[],
  parameters: Readonly<Record<string, string>>,
): boolean {
  const { hmac = '', ...others } = parameters;
  if (!HEX.test(hmac)) return false;
  const sorted = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1));
  const message = new URLSearchParams(sorted).toString().replaceAll('+', '%20');
  return isDigest(secrets, message, Buffer.from(hmac, 'hex'));
}
