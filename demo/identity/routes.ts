/** The HTTP routes of the demo marketplace. */

import { randomUUID } from 'node:crypto';
import { type CloudEvent, demoEvent } from '../demo-event.ts';
import { DEMO_SESSION_SECONDS, type MintOptions } from './mint-session.ts';
import type { DemoAlgorithm, DemoKeys } from './signing-keys.ts';
import { DEMO_PASSWORD, type DemoUser, demoUser } from './users.ts';

interface DemoRequest {
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface DemoAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A session that a refresh token continues. */
interface Refreshable {
  readonly user: DemoUser;
  readonly options: MintOptions;
}

/** Sends an event to the service; resolves with its result. */
export type SendEvent = (event: CloudEvent) => Promise<{ readonly status: string; readonly code?: string }>;

export interface DemoDeps {
  readonly issuer: string;
  readonly keys: DemoKeys;
  /** Milliseconds. */
  readonly now: () => number;
  readonly mint: (options: MintOptions) => Promise<string>;
  /** By refresh token; each is valid once. */
  readonly refreshable: Map<string, Refreshable>;
  /** Absent until the service listens. */
  sendEvent?: SendEvent;
  /** Does what the browser of a store's owner does from a start address on. Absent without demo stores. */
  install?: (startUrl: string) => Promise<void>;
}

type DemoHandler = (deps: DemoDeps, request: DemoRequest) => Promise<DemoAnswer> | DemoAnswer;

/** The lifetime that the marketplace's auth server gives its key set. */
const JWKS_MAX_AGE_SECONDS = 600;

const refused = (status: number, error: string, error_description: string): DemoAnswer => ({
  status,
  body: { error, error_description },
});
const NO_EMAIL = refused(400, 'invalid_request', 'Send {"email":"somebody@example.com"}.');

async function session(deps: DemoDeps, user: DemoUser, options: MintOptions): Promise<DemoAnswer> {
  const expires_in = options.expiresIn ?? DEMO_SESSION_SECONDS;
  const refresh_token = randomUUID();
  deps.refreshable.set(refresh_token, { user, options });
  return {
    status: 200,
    body: {
      access_token: await deps.mint({ ...options, email: user.email }),
      token_type: 'bearer',
      expires_in,
      expires_at: Math.floor(deps.now() / 1000) + expires_in,
      refresh_token,
      user: { id: user.id, email: user.email },
    },
    headers: { 'cache-control': 'no-store' },
  };
}

function discovery({ issuer }: DemoDeps): DemoAnswer {
  return {
    status: 200,
    body: {
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['token'],
      grant_types_supported: ['password', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'EdDSA'],
      claims_supported: 'iss aud sub role aal amr session_id email email_verified exp iat'.split(' '),
      acr_values_supported: ['aal1', 'aal2'],
    },
  };
}

const jwks: DemoHandler = ({ keys }) => ({
  status: 200,
  body: { keys: keys.published() },
  headers: { 'cache-control': `public, max-age=${JWKS_MAX_AGE_SECONDS}` },
});

/** Signs up or in, which is the same: every user exists. */
const signUp: DemoHandler = (deps, { body }) => {
  const user = demoUser(body['email']);
  return user === undefined ? NO_EMAIL : session(deps, user, { aal: 'aal1' });
};

/** A refresh token is valid once. The session goes on at its assurance level, as at the marketplace's auth server. */
const refreshGrant: DemoHandler = (deps, { body }) => {
  const token = String(body['refresh_token']);
  const known = deps.refreshable.get(token);
  if (known === undefined)
    return refused(400, 'invalid_grant', 'Invalid Refresh Token: it was used before, or never issued.');
  deps.refreshable.delete(token);
  return session(deps, known.user, known.options);
};

/** A password alone gives `aal1`. */
const passwordGrant: DemoHandler = (deps, request) => {
  const { query, body } = request;
  const grant = query.get('grant_type') ?? body['grant_type'];
  if (grant === 'refresh_token') return refreshGrant(deps, request);
  if (grant !== 'password')
    return refused(400, 'unsupported_grant_type', 'Known grants: password, refresh_token.');
  const user = demoUser(body['email'] ?? body['username']);
  if (user === undefined || body['password'] !== DEMO_PASSWORD) {
    return refused(400, 'invalid_grant', 'Invalid login credentials');
  }
  return session(deps, user, { aal: 'aal1' });
};

/** Mints a session at any assurance level without a password, for tests and the walk-through. */
const mintSession: DemoHandler = (deps, { body }) => {
  const { aal = 'aal1', expires_in, alg = 'ES256', claims = {} } = body;
  const user = demoUser(body['email']);
  if (user === undefined) return NO_EMAIL;
  if (aal !== 'aal1' && aal !== 'aal2') return refused(400, 'invalid_request', 'aal is aal1 or aal2.');
  if (alg !== 'ES256' && alg !== 'EdDSA') return refused(400, 'invalid_request', 'alg is ES256 or EdDSA.');
  if (expires_in !== undefined && !Number.isSafeInteger(expires_in)) {
    return refused(400, 'invalid_request', 'expires_in is a number of seconds.');
  }
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    return refused(400, 'invalid_request', 'claims is an object.');
  }
  return session(deps, user, {
    aal,
    alg: alg satisfies DemoAlgorithm,
    claims: claims as Record<string, unknown>,
    ...(expires_in === undefined ? {} : { expiresIn: Number(expires_in) }),
  });
};

const rotateKeys: DemoHandler = ({ keys }, { body }) => {
  keys.rotate(body['drop_old'] === true);
  return { status: 200, body: { keys: keys.published().map(({ kid, alg }) => ({ kid, alg })) } };
};

/** Gives a seller a plan. The real marketplace sells them. */
const changePlan: DemoHandler = async ({ sendEvent, now }, { body: { seller_id, plan } }) => {
  if (typeof seller_id !== 'string' || typeof plan !== 'string')
    return refused(400, 'invalid_request', 'Send {"seller_id":"slr_…","plan":"Small"}.');
  if (sendEvent === undefined) return refused(503, 'unavailable', 'The service does not listen yet.');
  const [type, at] = ['seller.standing_changed', now()];
  const event = demoEvent({
    id: randomUUID(),
    type,
    subject: seller_id,
    sellerId: seller_id,
    at,
    data: { plan },
  });
  const { status, code } = await sendEvent(event);
  return status === 'rejected'
    ? refused(422, String(code), 'The service refused the change; plans are Free, Small and Big.')
    : { status: 200, body: { seller_id, plan } };
};

/** The owner of a store installs the app that asks for it at a start address. */
const installApp: DemoHandler = async ({ install }, { body: { start_url } }) => {
  if (typeof start_url !== 'string') return refused(400, 'invalid_request', 'Send {"start_url":"http…"}.');
  if (install === undefined) return refused(503, 'unavailable', 'There are no demo stores.');
  await install(start_url);
  return { status: 200, body: { status: 'installed' } };
};

const overview: DemoHandler = (deps) => ({
  status: 200,
  body: {
    what: 'A demo marketplace for development: it signs in every e-mail address. Not for production.',
    issuer: deps.issuer,
    password_of_everybody: DEMO_PASSWORD,
    routes: [...DEMO_ROUTES.keys()],
  },
});

/** `METHOD path` → handler. */
export const DEMO_ROUTES: ReadonlyMap<string, DemoHandler> = new Map<string, DemoHandler>([
  ['GET /', overview],
  ['GET /.well-known/openid-configuration', discovery],
  ['GET /.well-known/jwks.json', jwks],
  ['POST /signup', signUp],
  ['POST /token', passwordGrant],
  ['POST /session', mintSession],
  ['POST /plan', changePlan],
  ['POST /store-installations', installApp],
  ['POST /keys/rotate', rotateKeys],
]);
