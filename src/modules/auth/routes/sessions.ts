import Type from 'typebox';
import { sha256Hex } from '../../../kernel/digest.ts';
import { coreErrors } from '../../../kernel/errors.ts';
import { marketplaceErrors } from '../../../platform/crypto/marketplace-tokens.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import {
  acceptInvitation,
  endSession,
  invitationErrors,
  registerSeller,
  registrationErrors,
} from '../../sellers/index.ts';
import { exchangeSession } from '../actions/exchange-session.ts';
import { signInWithPassword } from '../actions/sign-in-with-password.ts';
import { authErrors } from '../errors.ts';
import {
  ExchangeRequest,
  KEY_SET_EXAMPLE,
  KeySet,
  MEMBERSHIP_EXAMPLE,
  Membership,
  PASSWORD_GRANT_EXAMPLE,
  PasswordGrant,
  RegisterRequest,
  SELLER_PROFILE_EXAMPLE,
  SESSION_EXAMPLE,
  SESSION_TOKEN_EXAMPLE,
  SellerProfile,
  Session,
  SessionToken,
} from '../schemas.ts';
import { FORM_TYPE, readCredentials } from './read-credentials.ts';

/** These routes have no Idempotency-Key: tokens must not be stored for a replay, and a repetition changes nothing. */
const open = { auth: 'public', rate: 'auth', idempotency: 'none' } as const;
/** Every role has this permission, because every member may read its own session. */
const anyRole = { auth: 'seller', permission: 'settings:read', idempotency: 'none' } as const;

const standingErrors = [
  coreErrors.seller_suspended,
  coreErrors.seller_not_verified,
  coreErrors.api_access_disabled,
] as const;
const sessionErrors = [
  coreErrors.token_invalid,
  coreErrors.token_expired,
  marketplaceErrors.insufficient_assurance,
  ...standingErrors,
  marketplaceErrors.seller_not_found,
  marketplaceErrors.marketplace_unavailable,
] as const;

const made = (location: string) => ({ status: 201, headers: { location } });

const instant = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** How long other verifiers may cache the key set. A new key is published before it signs. */
const KEY_SET_MAX_AGE_SECONDS = 600;

const exchange = defineRoute({
  id: 'auth.exchange',
  method: 'POST',
  path: '/exchange',
  summary: 'Exchange a marketplace session for a service token',
  description:
    'The session must be current and have assurance level `aal2`; the seller must be verified and have API access.',
  access: open,
  cache: 'no-store',
  body: {
    kind: 'json',
    schema: ExchangeRequest,
    example: { marketplace_token: 'eyJhbGciOiJFUzI1NiJ9.eyJhYWwiOiJhYWwyIn0.c2lnbmF0dXJl' },
    ignoreUnknownKeys: true,
  },
  ok: okJson('Token issued', SessionToken, SESSION_TOKEN_EXAMPLE),
  errors: sessionErrors,
  handler: async (ctx, { body }) => {
    const { services } = ctx;
    const identity = await services.marketplaceTokens.verify(body.marketplace_token);
    return { body: await exchangeSession(services, identity, { ...ctx, needsAal2: true }) };
  },
});

const register = defineRoute({
  id: 'auth.register',
  method: 'POST',
  path: '/register',
  summary: 'Register a seller, or return the existing one',
  description:
    'Any assurance level may register. No token is issued: exchange the session once the marketplace has verified the seller.',
  access: { ...open, auth: 'marketplace' },
  cache: 'no-store',
  body: {
    kind: 'json',
    schema: RegisterRequest,
    example: { business_name: 'Mia’s Ceramics', tax_id: '51824753556' },
    ignoreUnknownKeys: true,
  },
  ok: [
    { status: 201, description: 'Seller created', schema: SellerProfile, example: SELLER_PROFILE_EXAMPLE },
    {
      status: 200,
      description: 'This identity is registered already; its profile is unchanged',
      schema: SellerProfile,
      example: SELLER_PROFILE_EXAMPLE,
    },
  ],
  errors: [
    registrationErrors.tax_id_taken,
    registrationErrors.already_registered,
    marketplaceErrors.marketplace_unavailable,
  ],
  handler: async (ctx, { body }) => {
    const { created, profile } = await registerSeller(ctx, body);
    return { body: profile, ...(created ? made('/api/v1/sellers/me') : { status: 200 }) };
  },
});

const accept = defineRoute({
  id: 'auth.invitations.accept',
  method: 'POST',
  path: '/invitations/{token}/accept',
  summary: 'Accept an invitation into a seller’s team',
  description:
    'Send the token of the link that the marketplace has sent, with a marketplace session of the invited person. The session must be of the identity that the invitation names, otherwise of its e-mail address, verified. Any assurance level may accept. One identity belongs to one seller. A repeated request answers 200. No token is issued: exchange the session afterwards.',
  access: { ...open, auth: 'marketplace' },
  cache: 'no-store',
  params: Type.Object({ token: Type.String({ description: 'Token of the link' }) }),
  ok: [
    { status: 201, description: 'Joined', schema: Membership, example: MEMBERSHIP_EXAMPLE },
    {
      status: 200,
      description: 'The identity has accepted this invitation before',
      schema: Membership,
      example: MEMBERSHIP_EXAMPLE,
    },
  ],
  errors: [
    coreErrors.not_found,
    ...Object.values(invitationErrors),
    registrationErrors.already_registered,
    coreErrors.seller_suspended,
    marketplaceErrors.marketplace_unavailable,
  ],
  handler: async (ctx, { params }) => {
    const { joined, membership } = await acceptInvitation(ctx, params.token);
    const path = `/api/v1/sellers/me/members/${membership.member_id}`;
    return { body: membership, ...(joined ? made(path) : { status: 200 }) };
  },
});

const session = defineRoute({
  id: 'auth.session.get',
  method: 'GET',
  path: '/session',
  tagged: true,
  summary: 'What the token of this request may do',
  description:
    'Shows the seller, the roles and permissions of the member, the plan, and when the token ends.',
  access: { ...anyRole, rate: 'read' },
  cache: 'no-store',
  ok: okJson('The session of the token', Session, SESSION_EXAMPLE),
  errors: [],
  handler: async ({ seller, standing }) => {
    const { sid: session_id, issued_at, expires_at, kid: key_id, ...principal } = seller;
    const { plan } = await standing();
    const body = {
      ...principal,
      session_id,
      plan,
      issued_at: instant(issued_at),
      expires_at: instant(expires_at),
      key_id,
    };
    return { body, etag: sha256Hex(JSON.stringify(body)) };
  },
});

const revoke = defineRoute({
  id: 'auth.session.revoke',
  method: 'POST',
  path: '/revoke',
  summary: 'End the session of the token',
  description: 'The token of this request is refused from now on; other sessions of the member go on.',
  access: { ...anyRole, rate: 'write' },
  cache: 'no-store',
  ok: [{ status: 204, description: 'The session has ended' }],
  errors: [],
  handler: async (ctx) => {
    await endSession(ctx, ctx.seller.sid);
    ctx.audit({ target_type: 'session', target_id: ctx.seller.sid });
    return { status: 204 };
  },
});

const token = defineRoute({
  id: 'auth.token.create',
  method: 'POST',
  path: '/token',
  summary: 'Development login with the user name and password of the marketplace',
  description: 'OAuth 2.0 password form. Exists in development only; other clients use the exchange.',
  environments: ['development'],
  access: open,
  cache: 'no-store',
  body: {
    kind: 'stream',
    contentTypes: [FORM_TYPE],
    description: 'OAuth 2.0 password grant: `grant_type=password`, `username` (e-mail address), `password`',
    example: 'grant_type=password&username=mia%40example.com&password=demo-password',
    media: { [FORM_TYPE]: { schema: PasswordGrant, example: PASSWORD_GRANT_EXAMPLE } },
  },
  ok: okJson('Token issued', SessionToken, SESSION_TOKEN_EXAMPLE),
  errors: [authErrors.invalid_grant, ...sessionErrors],
  handler: async (ctx, { stream, headers }) => {
    const credentials = await readCredentials(stream, headers['content-type']);
    return { body: await signInWithPassword(ctx.services, credentials, ctx) };
  },
});

const keySet = defineRoute({
  id: 'auth.key_set.get',
  method: 'GET',
  path: '/.well-known/jwks.json',
  root: true,
  summary: 'The public keys of service tokens',
  description: 'A JSON Web Key Set (RFC 7517), for programs that check service tokens themselves.',
  access: { auth: 'public', rate: 'public', idempotency: 'none' },
  ok: okJson('JSON Web Key Set (RFC 7517)', KeySet, KEY_SET_EXAMPLE),
  errors: [],
  handler: async ({ services }) => ({
    body: services.tokens.jwks(),
    headers: { 'cache-control': `public, max-age=${KEY_SET_MAX_AGE_SECONDS}` },
  }),
});

export const routes = [exchange, register, accept, session, revoke, token, keySet];
