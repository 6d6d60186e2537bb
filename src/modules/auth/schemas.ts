import Type from 'typebox';
import { ROLES } from '../../kernel/permissions.ts';
import { described, Instant, PlanSchema, StringEnum } from '../../kernel/schema.ts';
import { BusinessName, TAX_ID_CHECKS, TaxId } from '../sellers/index.ts';

export const ExchangeRequest = Type.Object(
  {
    marketplace_token: Type.String({
      minLength: 1,
      description: 'Current marketplace access token of the signed-in seller',
    }),
  },
  { title: 'ExchangeRequest', description: 'The marketplace session to exchange.' },
);

export const PasswordGrant = Type.Object(
  {
    grant_type: Type.Optional(Type.Literal('password', { description: 'Always `password`' })),
    username: Type.String({ description: 'E-mail address of the account at the marketplace' }),
    password: Type.String({ format: 'password', description: 'Password at the marketplace' }),
  },
  {
    title: 'PasswordGrant',
    description: 'OAuth 2.0 password grant; further fields of the form are ignored.',
    additionalProperties: true,
  },
);
export const PASSWORD_GRANT_EXAMPLE = {
  grant_type: 'password',
  username: 'mia@example.com',
  password: 'demo-password',
};

export const SessionToken = Type.Object(
  {
    access_token: Type.String({
      description: 'Service token for `Authorization: Bearer`; keep it out of logs',
    }),
    token_type: Type.Literal('bearer', { description: 'Always `bearer`' }),
    seller_id: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds until the token expires' }),
    expires_at: Instant(),
  },
  { title: 'SessionToken', description: 'A service token and how long it is valid.' },
);

export const SESSION_TOKEN_EXAMPLE = {
  access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6InNwcC1hY2Nlc3Mrand0In0.eyJzdWIiOiJtYnJfMDEifQ.c2lnbmF0dXJl',
  token_type: 'bearer',
  seller_id: 'slr_01jh0000000000000000000000',
  expires_in: 900,
  expires_at: '2026-07-01T01:15:00.000Z',
};

export const RegisterRequest = Type.Object(
  { business_name: BusinessName, tax_id: TaxId },
  { title: 'RegisterRequest', description: 'A new seller.' },
);

export const SellerProfile = Type.Object(
  {
    seller_id: Type.String(),
    business_name: Type.String({ description: 'Legal name of the business' }),
    tax_id: Type.String({ description: 'Tax identifier of the registration' }),
    tax_id_check: StringEnum(TAX_ID_CHECKS, {
      title: 'TaxIdCheck',
      description: 'Result of the check of its form. It only informs; the marketplace verifies the number',
    }),
    status: StringEnum(['active', 'suspended', 'closed'], {
      title: 'SellerStatus',
      description: 'Whether the marketplace lets the seller trade',
    }),
    verified: Type.Boolean(),
    api_access: Type.Boolean(),
    plan: PlanSchema,
  },
  { title: 'SellerProfile', description: 'The seller after registration.' },
);

export const SELLER_PROFILE_EXAMPLE = {
  seller_id: 'slr_01jh0000000000000000000000',
  business_name: 'Mia’s Ceramics',
  tax_id: '51824753556',
  tax_id_check: 'abn_valid',
  status: 'active',
  verified: false,
  api_access: false,
  plan: 'Free',
};

const Roles = Type.Array(StringEnum(ROLES, { title: 'Role', description: 'A role of a team member' }), {
  description: 'Roles of the member',
});

export const Membership = Type.Object(
  {
    seller_id: Type.String(),
    business_name: Type.String({ description: 'Legal name of the business' }),
    member_id: Type.String({ description: 'The new team member' }),
    roles: Roles,
  },
  { title: 'Membership', description: 'The team that a person has joined.' },
);

export const MEMBERSHIP_EXAMPLE = {
  seller_id: 'slr_01jh0000000000000000000000',
  business_name: 'Mia’s Ceramics',
  member_id: 'mbr_01jh0000000000000000000003',
  roles: ['finance' as const],
};

export const Session = Type.Object(
  {
    seller_id: Type.String(),
    member_id: Type.String({ description: 'Team member that the token acts for' }),
    session_id: Type.String({ description: 'Id of the session, `ses_…`' }),
    roles: Roles,
    permissions: Type.Array(Type.String(), { description: '`area:read` and `area:write`' }),
    plan: described('The plan as it is now; the token cannot change it', PlanSchema),
    issued_at: Instant({ description: 'When the token was issued' }),
    expires_at: Instant(),
    key_id: Type.String({ description: 'The key in `/.well-known/jwks.json` that signed the token' }),
  },
  { title: 'AuthSession', description: 'What the token of the request may do.' },
);

export const SESSION_EXAMPLE = {
  seller_id: 'slr_01jh0000000000000000000000',
  member_id: 'mbr_01jh0000000000000000000001',
  session_id: 'ses_01jh0000000000000000000002',
  roles: ['finance'],
  permissions: ['audit:read', 'finance:read', 'finance:write', 'orders:read', 'settings:read'],
  plan: 'Small',
  issued_at: '2026-07-01T01:00:00.000Z',
  expires_at: '2026-07-01T01:15:00.000Z',
  key_id: 'nkQVOGnSQw7Zp5S1qJwzW2pS0Uw8h2lT6vT0nB5m0dI',
};

export const KeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('OKP', { description: 'Key type' }),
        crv: Type.Literal('Ed25519', { description: 'Curve' }),
        x: Type.String({ description: 'Public key, base64url' }),
        kid: Type.String({ description: 'Id of the key, as in the header of tokens' }),
        alg: Type.Literal('EdDSA', { description: 'Algorithm' }),
        use: Type.Literal('sig', { description: 'Use: signatures' }),
      }),
      { description: 'Keys that sign tokens now, or signed them recently' },
    ),
  },
  { title: 'KeySet', description: 'JSON Web Key Set (RFC 7517).' },
);

export const KEY_SET_EXAMPLE = {
  keys: [
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: 'nkQVOGnSQw7Zp5S1qJwzW2pS0Uw8h2lT6vT0nB5m0dI',
      alg: 'EdDSA',
      use: 'sig',
    },
  ],
};
