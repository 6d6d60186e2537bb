import Type from 'typebox';
import { ROLES } from '../../kernel/permissions.ts';
import { PLANS } from '../../kernel/plans.ts';
import { Instant, StringEnum } from '../../kernel/schema.ts';
import { TAX_ID_CHECKS } from '../sellers/index.ts';

const BUSINESS_NAME_CHARS_MAX = 200;
/** 1 to 20 digits, leading zeros kept (docs/design/wire.md#registration). */
const TAX_ID_DIGITS_MAX = 20;

export const ExchangeRequest = Type.Object(
  {
    marketplace_token: Type.String({
      minLength: 1,
      description: 'Current marketplace access token of the signed-in seller',
    }),
  },
  { title: 'ExchangeRequest' },
);

export const SessionToken = Type.Object(
  {
    access_token: Type.String({
      description: 'Service token for `Authorization: Bearer`; keep it out of logs',
    }),
    token_type: Type.Literal('bearer'),
    seller_id: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds' }),
    expires_at: Instant(),
  },
  { title: 'SessionToken' },
);

export const SESSION_TOKEN_EXAMPLE = {
  access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6InNwcC1hY2Nlc3Mrand0In0.eyJzdWIiOiJtYnJfMDEifQ.c2lnbmF0dXJl',
  token_type: 'bearer',
  seller_id: 'slr_01jh0000000000000000000000',
  expires_in: 900,
  expires_at: '2026-07-01T01:15:00.000Z',
};

export const RegisterRequest = Type.Object(
  {
    business_name: Type.String({
      minLength: 1,
      maxLength: BUSINESS_NAME_CHARS_MAX,
      // Something visible, and nothing that would break a line, a log or an encoding.
      pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]+$',
      description: 'Seller business name',
    }),
    tax_id: Type.String({
      maxLength: TAX_ID_DIGITS_MAX,
      pattern: '^[0-9]+$',
      description: 'Numeric tax identifier, 1 to 20 digits; leading zeros are kept',
    }),
  },
  { title: 'RegisterRequest' },
);

export const SellerProfile = Type.Object(
  {
    seller_id: Type.String(),
    business_name: Type.String(),
    tax_id: Type.String(),
    tax_id_check: StringEnum(TAX_ID_CHECKS, {
      description: 'What the form of the tax_id says; it informs, verification decides',
    }),
    status: StringEnum(['active', 'suspended', 'closed']),
    verified: Type.Boolean(),
    api_access: Type.Boolean(),
    plan: StringEnum(PLANS),
  },
  { title: 'SellerProfile' },
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

export const Session = Type.Object(
  {
    seller_id: Type.String(),
    member_id: Type.String({ description: 'Team member that the token acts for' }),
    session_id: Type.String(),
    roles: Type.Array(StringEnum(ROLES)),
    permissions: Type.Array(Type.String(), { description: '`area:read` and `area:write`' }),
    plan: StringEnum(PLANS, { description: 'The plan as it is now, which binds whatever the token says' }),
    issued_at: Instant(),
    expires_at: Instant(),
    key_id: Type.String({ description: 'The key in `/.well-known/jwks.json` that signed the token' }),
  },
  { title: 'Session' },
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
        kty: Type.Literal('OKP'),
        crv: Type.Literal('Ed25519'),
        x: Type.String(),
        kid: Type.String(),
        alg: Type.Literal('EdDSA'),
        use: Type.Literal('sig'),
      }),
    ),
  },
  { title: 'KeySet' },
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
