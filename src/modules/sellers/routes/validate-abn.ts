import Type from 'typebox';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { validateAbn } from '../actions/validate-abn.ts';
import { shown } from '../schemas/fields.ts';

const access = reads('settings', 'setup');

const Abn = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'As typed; blanks and hyphens are allowed',
});
const day = (description: string) => Nullable(Type.String({ format: 'date', description }));

const Validation = Type.Object(
  {
    abn: Type.String({ description: 'The number as sent' }),
    normalised: Type.String({ description: 'The ABN without blanks' }),
    format_valid: Type.Boolean({ description: 'Eleven digits, the first not zero' }),
    checksum_valid: Type.Boolean({ description: 'Whether the check digits are right' }),
    acn: shown('The company number that its last nine digits form, when they do'),
    hint: Nullable(StringEnum(['acn_given'], { description: 'The input is an ACN' })),
    register: described(
      'What the Australian Business Register says',
      Type.Object({
        status: StringEnum(['found', 'not_found', 'not_checked', 'unavailable'], {
          description: '`not_checked` and `unavailable` say nothing about the number',
        }),
        entity_name: shown('Legal name'),
        entity_type: shown('Kind of entity'),
        entity_type_code: shown('Kind of entity, the register’s code'),
        business_names: Type.Array(Type.String(), { description: 'Business names of the register' }),
        abn_status: Nullable(
          StringEnum(['active', 'cancelled'], { description: 'State of the ABN; null: not known' }),
        ),
        effective_from: day('Since when the status holds'),
        gst_registered: Nullable(Type.Boolean({ description: 'null: not known' })),
        gst_from: day('Since when registered for GST'),
        acn: shown('Company number in the register'),
        state: shown('State of the main business location'),
        postcode: shown('Postcode of the main business location'),
        replaced_by: shown('The register answers with this number instead'),
        checked_at: Nullable(
          Instant({ description: 'When the register was asked; answers are kept for a day' }),
        ),
        source: shown('The register that was asked'),
      }),
    ),
    name_match: described(
      'How well the seller’s name fits the register; null when it was not compared',
      Nullable(
        Type.Object({
          score: Type.Integer({
            minimum: 0,
            maximum: 100,
            description: 'How alike the names are: 100 is equal',
          }),
          business_name: Type.String({ description: 'Name of the seller' }),
          register_name: Type.String({ description: 'The most similar name in the register' }),
        }),
      ),
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
      register: {
        status: 'found',
        entity_name: 'AUSTRALIAN TAXATION OFFICE',
        entity_type: 'Commonwealth Government Entity',
        entity_type_code: 'CGE',
        business_names: [],
        abn_status: 'active',
        effective_from: '1999-11-01',
        gst_registered: true,
        gst_from: '2000-07-01',
        acn: null,
        state: 'NSW',
        postcode: '2640',
        replaced_by: null,
        checked_at: '2026-06-28T01:00:00.000Z',
        source: 'abr',
      },
      name_match: {
        score: 100,
        business_name: 'Australian Taxation Office',
        register_name: 'AUSTRALIAN TAXATION OFFICE',
      },
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
