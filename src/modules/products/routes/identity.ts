import Type from 'typebox';
import { Nullable } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIdentity } from '../actions/check-identity.ts';
import { identityToWire } from '../domain/identity/wire-identity.ts';
import { Finding, IdentityResolution, NullableText } from '../schemas/parts.ts';
import { Identity } from '../schemas/product.ts';
import { IdentityInput } from '../schemas/product-input.ts';
import { readBody } from './read-body.ts';

const CheckInput = Type.Object(
  {
    identity: IdentityInput,
    seller_sku: Type.Optional(Type.String()),
    title: Type.Optional(NullableText),
    brand: Type.Optional(NullableText),
  },
  { title: 'IdentityCheckInput', description: 'The identity to check.' },
);

const CheckResult = Type.Object(
  {
    usable: Type.Boolean({ description: 'Whether a write with this identity would be accepted' }),
    identity: Nullable(Identity),
    product_id: Nullable(
      Type.String({
        description: 'Id of the product that a write would change; null when it would create one',
      }),
    ),
    identity_resolution: IdentityResolution,
    messages: Type.Array(Finding, { description: 'Errors and warnings about the identity' }),
  },
  { title: 'IdentityCheck', description: 'What a write with the identity would do.' },
);

export const identityRoutes = [
  defineRoute({
    id: 'products.identity.check',
    method: 'POST',
    path: '/identity/check',
    summary: 'Check an identity',
    description: 'Writes nothing. `messages` has the errors and warnings that a write would have.',
    access: { auth: 'seller', permission: 'catalogue:read', rate: 'read', idempotency: 'optional' },
    body: {
      kind: 'json',
      schema: CheckInput,
      example: { identity: { strategy: 'global_id', value: '9300675024235' } },
    },
    tx: 'write',
    ok: okJson('The result of the check', CheckResult, {
      usable: true,
      identity: {
        strategy: 'global_id',
        value: '9300675024235',
        scheme: 'GTIN-13',
        gtin14: '09300675024235',
      },
      product_id: null,
      identity_resolution: {
        strategy: 'global_id',
        normalised: '09300675024235',
        matched_by: null,
        candidates: [],
      },
      messages: [],
    }),
    errors: [],
    handler: async (ctx, { body }) => {
      const verdict = await checkIdentity(ctx, readBody(body));
      const brand = body.identity.brand ?? body.brand ?? null;
      return {
        body: { ...verdict, identity: verdict.identity && identityToWire(verdict.identity, brand) },
      };
    },
  }),
];
