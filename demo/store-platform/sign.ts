/** The two signatures of the store platform. */
import { createHmac } from 'node:crypto';

/** The signature of a delivery: its body only, in base64. */
export const signBody = (secret: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(body).digest('base64');

/** The query with its signature: the other parameters, sorted by name, as in an address but blanks as `%20`. */
export function signQuery(secret: string, parameters: Readonly<Record<string, string>>): URLSearchParams {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  const message = new URLSearchParams(sorted).toString().replaceAll('+', '%20');
  const hmac = createHmac('sha256', secret).update(message).digest('hex');
  return new URLSearchParams([...sorted, ['hmac', hmac]]);
}
