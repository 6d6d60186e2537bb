import Type from 'typebox';
import { described, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { validateAbn } from '../actions/validate-abn.ts';
import { shown } from '../schemas/fields.ts';
import { NAME_MATCH_EXAMPLE, NameMatchSchema, REGISTER_EXAMPLE, Register } from '../schemas/register.ts';

const access = reads('settings', 'setup');

const Abn = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'As typed; blanks and hyphens are allowed',
});

const Validation = Type.Object(
  {
    abn: Type.String({ description: 'The number as sent' }),
    normalised: Type.String({ description: 'The ABN without blanks' }),
    format_valid: Type.Boolean({ description: 'Eleven digits, the first not zero' }),
    checksum_valid: Type.Boolean({ description: 'Whether the check digits are right' }),
    acn: shown('The company number that its last nine digits form, when they do'),
    hint: Nullable(StringEnum(['acn_given'], { description: 'The input is an ACN' })),
    register: Register,
    name_match: described(
      'How well the seller’s name fits the register; null when it was not compared',
      Nullable(NameMatchSchema),
    ),
  },
  { title: 'AbnValidation', description: 'What is known about an ABN.' },
);

const ok = [
  {
    status: 200,
    description: 'What is known about the number',
    schema: Validation,
    example: {
      abn: '51 824 753 556',
      normalised: '51824753556',
      format_valid: true,
      checksum_valid: true,
      acn: null,
      hint: null,
      register: REGISTER_EXAMPLE,
      name_match: NAME_MATCH_EXAMPLE,
    },
  },
] as const;

const description =
  'Reports form, checksum and register separately. The service asks the register only about numbers with a right checksum. If the register does not answer, that says nothing about the number.';

export const abnRoutes = [
  defineRoute({
    id: 'sellers.abn.validate',
    method: 'GET',
    path: '/validate-abn',
    summary: 'Validate an Australian Business Number',
    description,
    access,
    // No transaction is held while the register is asked.
    tx: 'own',
    query: Type.Object({ abn: Abn }),
    ok,
    errors: [],
    handler: async (ctx, { query }) => ({ body: await validateAbn(ctx, query.abn) }),
  }),
  defineRoute({
    id: 'sellers.abn.check',
    method: 'POST',
    path: '/validate-abn',
    summary: 'Validate an Australian Business Number',
    description: `${description} Repeating it changes nothing, so it takes no Idempotency-Key.`,
    access,
    tx: 'own',
    body: {
      kind: 'json',
      schema: Type.Object({ abn: Abn }, { title: 'AbnInput', description: 'The ABN to check.' }),
      example: { abn: '51 824 753 556' },
    },
    ok,
    errors: [],
    handler: async (ctx, { body }) => ({ body: await validateAbn(ctx, body.abn) }),
  }),
];
