/** Mints sessions like the marketplace's auth server (Supabase Auth). */
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { DemoAlgorithm, DemoKey } from './signing-keys.ts';
import { type DemoUser, demoUser } from './users.ts';

export const DEMO_AUDIENCE = 'authenticated';
/** The auth server's own default. */
export const DEMO_SESSION_SECONDS = 3_600;

export interface MintOptions {
  readonly email?: string;
  /** `aal1` after a password, `aal2` after a second factor. Default: `aal2`. */
  readonly aal?: 'aal1' | 'aal2';
  readonly expiresIn?: number;
  /** Replaces claims; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: DemoAlgorithm;
}

interface MintInputs {
  readonly key: DemoKey;
  readonly issuer: string;
  readonly audience: string;
  /** Milliseconds. */
  readonly now: number;
}

/** Methods of authentication, newest first: the second factor comes after the password. */
function methodsOf(aal: 'aal1' | 'aal2', seconds: number) {
  const password = { method: 'password', timestamp: seconds };
  return aal === 'aal2' ? [{ method: 'totp', timestamp: seconds }, password] : [password];
}

const DEFAULT_USER: DemoUser | undefined = demoUser('mia@example.com');

/**
 * Signs a session.
 *
 * @throws when the text is no e-mail address
 */
export async function mintSession(
  { key, issuer, audience, now }: MintInputs,
  options: MintOptions,
): Promise<string> {
  const user = options.email === undefined ? DEFAULT_USER : demoUser(options.email);
  if (user === undefined) throw new Error(`not an e-mail address: ${options.email}`);
  const seconds = Math.floor(now / 1000);
  const aal = options.aal ?? 'aal2';
  const claims: Record<string, unknown> = {
    iss: issuer,
    aud: audience,
    sub: user.id,
    role: 'authenticated',
    aal,
    amr: methodsOf(aal, seconds),
    session_id: randomUUID(),
    email: user.email,
    email_verified: true,
    is_anonymous: false,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { email: user.email },
    iat: seconds,
    exp: seconds + (options.expiresIn ?? DEMO_SESSION_SECONDS),
    ...options.claims,
  };
  const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return new SignJWT(present)
    .setProtectedHeader({ alg: key.alg, typ: 'JWT', kid: key.kid })
    .sign(key.privateKey);
}
