/** The users of the demo marketplace: every e-mail address is one, with an id that follows from it. */
import { hash } from 'node:crypto';

export interface DemoUser {
  /** UUID, the `sub` of the user's sessions. */
  readonly id: string;
  readonly email: string;
}

/** The password of every user; the demo marketplace keeps no secrets. */
export const DEMO_PASSWORD = 'demo-password';

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u;

/** A UUID of version 8 (RFC 9562: a rule of our own) that follows from the e-mail address. */
function subjectOf(email: string): string {
  const digest = hash('sha256', `demo marketplace ${email}`, 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

/** The user of an address; undefined when the text is no address. Case does not matter. */
export function demoUser(address: unknown): DemoUser | undefined {
  if (typeof address !== 'string' || !EMAIL.test(address)) return undefined;
  const email = address.toLowerCase();
  return { id: subjectOf(email), email };
}
